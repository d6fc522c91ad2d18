"""The scenarios: which variants of a run are predicted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perfetto_pypto.predict.graph import waves
from perfetto_pypto.predict.replay import Replay, build_replay, on_core
from perfetto_pypto.predict.schedule import list_schedule
from perfetto_pypto.swimlane.model import Int64s, Swimlane

_FUSE = (2, 4, 8)

#: Subgraphs whose fusion is predicted: those with the most tasks.
_MOST = 3

#: Cells (nodes x variants) replayed at once: 32 MB of int64; more is hardly faster.
_CELLS = 1 << 22


@dataclass(frozen=True, slots=True)
class Prediction:
    """A predicted makespan (ns); ``subgraph`` is '' where the scenario is about the whole run."""

    scenario: str
    subgraph: str
    makespan: int


def predict(swimlane: Swimlane, small_task_ns: int) -> list[Prediction]:
    """Predicts every variant of a run.

    Args:
        swimlane: the run.
        small_task_ns: only subgraphs whose median is shorter are fused.
    """
    is_task = on_core(swimlane)
    if not is_task.any():
        return []
    result = []
    names = [core.engine for core in swimlane.cores]
    scheduled = list_schedule(
        swimlane.dependencies.src.astype(np.int64),
        swimlane.dependencies.dst.astype(np.int64),
        np.where(is_task, swimlane.tasks.end - swimlane.tasks.start, 0),
        [
            names[core] if task else None
            for core, task in zip(swimlane.tasks.core.tolist(), is_task.tolist(), strict=True)
        ],
        swimlane.source.core_counts,
    )
    if scheduled is not None:
        result.append(Prediction("list-schedule", "", scheduled))
    subgraphs = swimlane.tasks.subgraphs()
    keys = sorted(set(subgraphs))
    number = {key: code for code, key in enumerate(keys)}
    code = np.array([number[key] for key in subgraphs], dtype=np.int64)
    code = np.where(is_task, code, -1)
    return result + _replays(build_replay(swimlane), keys, code, small_task_ns)


def _replays(replay: Replay, keys: list[str], code: Int64s, small_task_ns: int) -> list[Prediction]:
    graph = waves(replay.src, replay.dst, len(code))
    if graph is None:
        return []
    variants = _variants(replay, keys, code, small_task_ns)
    base = (replay.lag + replay.duration)[graph.order]
    at_once = max(_CELLS // len(base), 1)
    result = []
    for first in range(0, len(variants), at_once):
        part = variants[first : first + at_once]
        times = np.repeat(base[:, None], len(part), axis=1)
        for column, variant in enumerate(part):
            times[graph.place[variant.nodes], column] -= variant.saved
        graph.follow(times)
        # What takes no time is no later than the last task.
        makespans = times.max(axis=0).tolist()
        result += [
            Prediction(variant.scenario, variant.subgraph, makespan)
            for variant, makespan in zip(part, makespans, strict=True)
        ]
    return result


@dataclass(frozen=True, slots=True)
class _Variant:
    """What some nodes save (ns)."""

    scenario: str
    subgraph: str
    nodes: Int64s
    saved: Int64s


def _variants(replay: Replay, keys: list[str], code: Int64s, small_task_ns: int) -> list[_Variant]:
    place, run_start = _runs(replay, code)
    members = {key: np.flatnonzero(code == number) for number, key in enumerate(keys)}
    variants = [
        _Variant("faster", key, nodes, replay.duration[nodes] // 10)
        for key, nodes in members.items()
        if len(nodes)
    ]
    fused = 0
    for key, nodes in sorted(members.items(), key=lambda item: (-len(item[1]), item[0])):
        follows = (code[replay.chain] == keys.index(key)) & ~run_start
        durations = np.sort(replay.duration[nodes])
        # SQL shows the first _MOST whose median is small; an even count has it in between.
        if not follows.any() or durations[(len(nodes) - 1) // 2] >= small_task_ns:
            continue
        for size in _FUSE:
            inside = replay.chain[follows & (place % size != 0)]
            variants.append(_Variant(f"fused:{size}", key, inside, replay.lag[inside]))
        fused += bool(durations[len(nodes) // 2] < small_task_ns)
        if fused == _MOST:
            break
    return variants


def _runs(replay: Replay, code: Int64s) -> tuple[Int64s, Int64s]:
    """Runs of one subgraph on a core: each task's place in its run, and whether it starts one."""
    kind = code[replay.chain]
    core = replay.chain_core
    run_start = np.ones(len(kind), dtype=bool)
    run_start[1:] = (kind[1:] != kind[:-1]) | (core[1:] != core[:-1])
    numbers = np.arange(len(kind))
    first = np.maximum.accumulate(np.where(run_start, numbers, 0))
    return numbers - first, run_start
