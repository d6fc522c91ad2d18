"""List scheduling: what a scheduler that never idles beside ready work would need."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

import numpy as np

from perfetto_pypto.predict.graph import group, longest
from perfetto_pypto.swimlane.model import Int64s


def list_schedule(
    src: Int64s,
    dst: Int64s,
    duration: Int64s,
    engine: Sequence[str | None],
    cores: Mapping[str, int],
) -> int | None:
    """Makespan (ns) of list scheduling, highest level first.

    Whenever a core of an engine is idle, it starts the engine's ready task with the longest way
    to the end (the lowest id among equals); over all engines, the one with the longest way goes
    first. Nodes without an engine (hubs, off-core tasks) take no core and no time.

    Args:
        src: producers of the direct dependencies.
        dst: their consumers.
        duration: ns per node, 0 for those without an engine.
        engine: engine per node, None for those that need no core.
        cores: cores per engine.

    Returns:
        The makespan; None when the dependencies form a cycle.
    """
    tail = longest(dst, src, duration)
    if tail is None:
        return None
    count = len(duration)
    after, bounds = group(dst, src, count)
    followers, at = after.tolist(), bounds.tolist()
    waiting = np.bincount(dst, minlength=count).tolist()
    length = duration.tolist()
    # Heaps of plain integers: a task's rank by level, or its end and id in one.
    by_rank = np.argsort(-tail, kind="stable")
    rank_of = np.empty(count, dtype=np.int64)
    rank_of[by_rank] = np.arange(count)
    task_at, rank = by_rank.tolist(), rank_of.tolist()
    number = {name: place for place, name in enumerate(cores)}
    where = [-1 if name is None else number[name] for name in engine]
    idle = list(cores.values())
    ready: list[list[int]] = [[] for _ in cores]
    running: list[int] = []
    free = [node for node in range(count) if not waiting[node]]
    now = 0

    def finish(node: int) -> None:
        for follower in followers[at[node] : at[node + 1]]:
            waiting[follower] -= 1
            if not waiting[follower]:
                free.append(follower)

    while True:
        while free:
            node = free.pop()
            if where[node] >= 0:
                heapq.heappush(ready[where[node]], rank[node])
            else:
                finish(node)
        able = [queue for place, queue in enumerate(ready) if queue and idle[place]]
        if able:
            node = task_at[heapq.heappop(min(able))]
            if length[node]:
                idle[where[node]] -= 1
                heapq.heappush(running, (now + length[node]) * count + node)
            else:  # what it releases may go before the others
                finish(node)
            continue
        if not running:
            return now
        now = running[0] // count
        while running and running[0] < (now + 1) * count:
            node = heapq.heappop(running) % count
            idle[where[node]] += 1
            finish(node)
