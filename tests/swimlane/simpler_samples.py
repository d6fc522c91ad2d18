"""Tiny files of the simpler runtime, spelled as it spells them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from perfetto_pypto.swimlane import Strings, Swimlane, read

Json = dict[str, Any]

#: Cycles are 20 ns.
CLOCK = 50_000_000


def token(ring: int, number: int) -> int:
    return ring << 32 | number


def records(aicore: list[list[int]], aicpu: list[list[int]] | None = None, **more: Any) -> Json:
    """Two cube and two vector cores."""
    return {
        "chip_swimlane_level": 2 if aicpu else 1,
        "metadata": {
            "clock_freq_hz": CLOCK,
            "num_cores": 4,
            "core_types": ["aic", "aic", "aiv", "aiv"],
        },
        "aicore_tasks": aicore,
        "aicpu_tasks": aicpu or [],
        **more,
    }


def deps(edges: list[tuple[int, int]], **kernels: list[int]) -> Json:
    """Edges between numbers; kernels by ``t<number>``."""
    return {
        "tasks": [
            {"task_id": name[1:], "scope": "auto", "kernel_ids": ids, "block_num": 1}
            for name, ids in kernels.items()
        ],
        "edges": [{"pred": str(pred), "succ": str(succ), "arg": 0} for pred, succ in edges],
    }


def slice_of(
    task: str, core: int, ts: float, dur: float, func: int = 7, name: str = "up", **args: Any
) -> Json:
    """A task of the Worker View."""
    return {
        "args": {"event-hint": f"Task:{task}, FuncId:{func}, CoreId:{core}", **args},
        "cat": "event",
        "id": 0,
        "name": f"{name}({task})",
        "ph": "X",
        "pid": 4,
        "tid": 10_000 + 10 * core,
        "ts": ts,
        "dur": dur,
    }


def seen(task: str, core: int, dispatch: float, finish: float, pid: int = 3) -> Json:
    """The same task in the Scheduler View."""
    times = {"dispatch-time-us": dispatch, "finish-time-us": finish}
    event = slice_of(task, core, dispatch, finish - dispatch)
    return {**event, "pid": pid, "args": {**event["args"], **times}}


def process(pid: int, name: str) -> Json:
    return {"args": {"name": name}, "name": "process_name", "ph": "M", "pid": pid}


def thread(pid: int, core: int, name: str) -> Json:
    tid = 10_000 + 10 * core
    return {"args": {"name": name}, "name": "thread_name", "ph": "M", "pid": pid, "tid": tid}


def write(folder: Path, name: str, value: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps(value), "utf-8")
    return path


def read_records(folder: Path, value: Json, graph: Json | None = None) -> Swimlane:
    if graph is not None:
        write(folder, "deps.json", graph)
    return read(write(folder, "chip_swimlane_records.json", value))


def read_merged(folder: Path, *events: Json) -> Swimlane:
    return read(write(folder, "merged_swimlane.json", {"traceEvents": list(events)}))


def texts(column: Strings | None) -> list[str | None]:
    assert column is not None
    return [column[row] for row in range(len(column))]


def numbers(column: Any) -> list[int]:
    return list(column.tolist())


def on(run: Swimlane) -> list[str]:
    """The core of each task."""
    return [run.cores[core].name for core in run.tasks.core]


def edges(run: Swimlane) -> list[tuple[int, int]]:
    return list(zip(run.dependencies.src.tolist(), run.dependencies.dst.tolist(), strict=True))
