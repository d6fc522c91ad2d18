"""The scenarios: which variants of a run are predicted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perfetto_pypto.predict.graph import longest
from perfetto_pypto.predict.replay import Replay, build_replay, on_core
from perfetto_pypto.predict.schedule import list_schedule
from perfetto_pypto.swimlane.model import Int64s, Swimlane

_FUSE = (2, 4, 8)

#: Cells (nodes x variants) replayed at once: 128 MB of int64.
_CELLS = 1 << 24


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
        small_task_ns: only subgraphs that have a shorter task are fused.
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
    keys, code = np.unique(np.array(swimlane.tasks.subgraphs()), return_inverse=True)
    code = np.where(is_task, code, -1)
    return result + _replays(build_replay(swimlane), keys.tolist(), code, small_task_ns)


def _replays(replay: Replay, keys: list[str], code: Int64s, small_task_ns: int) -> list[Prediction]:
    variants: list[tuple[str, str, Int64s]] = []
    place, run_start = _runs(replay, code)
    for number, key in enumerate(keys):
        members = code == number
        if not members.any():
            continue
        change = np.where(members, replay.duration // 10, 0)
        variants.append(("faster", key, change))
        follows = members[replay.chain] & ~run_start
        if follows.any() and (replay.duration[members] < small_task_ns).any():
            for size in _FUSE:
                fused = replay.chain[follows & (place % size != 0)]
                change = np.zeros_like(replay.lag)
                change[fused] = replay.lag[fused]
                variants.append((f"fused:{size}", key, change))
    base = replay.lag + replay.duration
    at_once = max(_CELLS // len(base), 1)
    result = []
    for first in range(0, len(variants), at_once):
        part = variants[first : first + at_once]
        weight = base[:, None] - np.stack([change for _, _, change in part], axis=1)
        finish = longest(replay.src, replay.dst, weight)
        if finish is None:
            return []
        makespans = finish[replay.chain].max(axis=0).tolist()
        result += [
            Prediction(scenario, key, makespan)
            for (scenario, key, _), makespan in zip(part, makespans, strict=True)
        ]
    return result


def _runs(replay: Replay, code: Int64s) -> tuple[Int64s, Int64s]:
    """Runs of one subgraph on a core: each task's place in its run, and whether it starts one."""
    kind = code[replay.chain]
    core = replay.chain_core
    run_start = np.ones(len(kind), dtype=bool)
    run_start[1:] = (kind[1:] != kind[:-1]) | (core[1:] != core[:-1])
    numbers = np.arange(len(kind))
    first = np.maximum.accumulate(np.where(run_start, numbers, 0))
    return numbers - first, run_start
