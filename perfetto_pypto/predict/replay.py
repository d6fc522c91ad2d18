"""The gap-preserving replay: the same tasks, cores and order, each as late as it was.

A task's lag is how long after the last thing that it waited for it started: a predecessor, or the
task before it on its core. Replayed with the lags and durations of the run, every task ends when
it did; with changed ones, the difference is the prediction.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perfetto_pypto.swimlane.model import NOT_A_CORE, Int64s, Swimlane


@dataclass(frozen=True, slots=True)
class Replay:
    """The graph of a replay; hubs and off-core tasks take part without taking time.

    src, dst: what each node waits for
    lag:      ns per node; for a task that waited for nothing, its start
    duration: ns per node, 0 off the cores
    chain:    tasks in the order of their cores (core, start, end, id)
    chain_core: core of each task of ``chain``
    """

    src: Int64s
    dst: Int64s
    lag: Int64s
    duration: Int64s
    chain: Int64s
    chain_core: Int64s


def on_core(swimlane: Swimlane) -> NDArray[np.bool_]:
    """Which nodes are tasks on cores."""
    is_core = np.array([core.engine not in NOT_A_CORE for core in swimlane.cores], dtype=bool)
    return is_core[swimlane.tasks.core]


def build_replay(swimlane: Swimlane) -> Replay:
    """Builds the replay of a run that has tasks on cores."""
    tasks, is_task = swimlane.tasks, on_core(swimlane)
    count = len(tasks)
    t0 = int(tasks.start[is_task].min())
    start, end = tasks.start - t0, tasks.end - t0
    src = swimlane.dependencies.src.astype(np.int64)
    dst = swimlane.dependencies.dst.astype(np.int64)
    behind = _behind(src, dst, np.where(is_task, end, -1), is_task)
    # A backward edge is never followed in time.
    follows = (behind[src] >= 0) & (~is_task[dst] | (behind[src] <= start[dst]))
    both = is_task[src] & is_task[dst]
    follows &= ~both | _comes_before(start, end, src, dst)
    ids = np.flatnonzero(is_task)
    chain = ids[np.lexsort((ids, end[ids], start[ids], tasks.core[ids]))]
    chain_core = tasks.core[chain].astype(np.int64)
    before, after = chain[:-1], chain[1:]
    on_same = (chain_core[:-1] == chain_core[1:]) & (end[before] <= start[after])
    src = np.concatenate((src[follows], before[on_same]))
    dst = np.concatenate((dst[follows], after[on_same]))
    waited = np.zeros(count, dtype=np.int64)
    np.maximum.at(waited, dst, behind[src])
    return Replay(
        src=src,
        dst=dst,
        lag=np.where(is_task, start - waited, 0),
        duration=np.where(is_task, end - start, 0),
        chain=chain,
        chain_core=chain_core,
    )


def _comes_before(start: Int64s, end: Int64s, src: Int64s, dst: Int64s) -> NDArray[np.bool_]:
    """Whether src comes before dst by (start, end, id)."""
    earlier: NDArray[np.bool_] = (start[src] < start[dst]) | (
        (start[src] == start[dst])
        & ((end[src] < end[dst]) | ((end[src] == end[dst]) & (src < dst)))
    )
    return earlier


def _behind(src: Int64s, dst: Int64s, end: Int64s, is_task: NDArray[np.bool_]) -> Int64s:
    """End of each task; of another node, the latest end of the tasks behind it.

    Those are the tasks that reach it through nodes without a core alone; -1 where none does.
    """
    behind = end.copy()
    inner = ~is_task[dst]
    followers: dict[int, list[int]] = defaultdict(list)
    for u, v in zip(src[inner].tolist(), dst[inner].tolist(), strict=True):
        followers[u].append(v)
    sources = [u for u in followers if is_task[u]]
    # The latest ends go first, so the first one to reach a node is its latest.
    for source in sorted(sources, key=lambda u: -int(end[u])):
        stack = [source]
        while stack:
            for v in followers[stack.pop()]:
                if behind[v] < 0:
                    behind[v] = end[source]
                    stack.append(v)
    return behind
