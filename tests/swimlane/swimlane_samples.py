"""Tiny merged swimlanes, spelled as PyPTO spells them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from perfetto_pypto.swimlane import Swimlane, read
from perfetto_pypto.swimlane.findings import unaccounted

Event = dict[str, Any]


def process(name: str, pid: int = 1) -> Event:
    return {
        "args": {"name": name},
        "cat": "__metadata",
        "name": "process_name",
        "ph": "M",
        "pid": pid,
    }


def thread(name: str, tid: int, pid: int = 1) -> Event:
    return {
        "args": {"name": name},
        "cat": "__metadata",
        "name": "thread_name",
        "ph": "M",
        "pid": pid,
        "tid": tid,
    }


#: Two cores and the lane for hubs, as on a device.
LANES = [
    process("Machine View"),
    thread("Fake Core_0", 1000),
    thread("AIV_3", 1006),
    thread("AIC_1", 1002),
]


def hint(task: str = "0-0-0", leaf: str = "77", task_id: int = 0) -> str:
    return f"Task:[{task}], rootHash:55, callOpMagic:10004, leafHash:{leaf}, TaskId:{task_id}"


def task(name: str, tid: int, ts: Any, dur: Any, **args: Any) -> Event:
    return {
        "args": {"event-hint": hint(), "taskId": 0, "seqNo": 0, **args},
        "cat": "event",
        "id": 0,
        "name": name,
        "ph": "X",
        "pid": 1,
        "tid": tid,
        "ts": ts,
        "dur": dur,
    }


def phase(name: str, tid: int, ts: float, dur: float) -> Event:
    core_type = "AICPU-CTRL"
    return {
        "name": name,
        "cat": core_type,
        "ph": "X",
        "ts": ts,
        "dur": dur,
        "pid": 0,
        "tid": tid,
        "freq": 50,
    }


def flow(number: Any, src: tuple[int, float], dst: tuple[int, float]) -> list[Event]:
    """An edge from (lane, time) to (lane, time), the times as they stand in the file."""
    common = {"cat": "machine-view-last-dep", "id": number, "name": "machine-view-last-dep"}
    return [
        {**common, "ph": "s", "pid": 1, "tid": src[0], "ts": src[1]},
        {"bp": "e", **common, "ph": "f", "pid": 1, "tid": dst[0], "ts": dst[1]},
    ]


def count(name: str, ts: float, **args: Any) -> Event:
    return {"name": name, "pid": 1, "tid": 1, "ph": "C", "ts": ts, "args": args}


def write(folder: Path, events: list[Event], name: str = "merged_swimlane.json") -> Path:
    path = folder / name
    path.write_text(json.dumps({"traceEvents": events}, indent=4, ensure_ascii=False), "utf-8")
    return path


def read_events(folder: Path, *events: Event, lanes: list[Event] = LANES) -> Swimlane:
    """Writes a file of these lanes and events, reads it, and checks that nothing went missing."""
    run = read(write(folder, [*lanes, *events]))
    assert missing(run) == {}
    return run


def missing(run: Swimlane) -> dict[str, int]:
    """What the file held and is neither imported nor reported."""
    imported = {
        "tasks": len(run.tasks),
        "dependencies": len(run.dependencies),
        "counters": sum(len(counter.ts) for counter in run.counters),
        "phases": len(run.phases),
        "sync_events": len(run.sync_events),
        "pipe_spans": len(run.pipe_spans),
    }
    return unaccounted(run.present, imported, run.findings)


def found(run: Swimlane) -> dict[str, int]:
    """The findings: code and count."""
    return {finding.code: finding.count for finding in run.findings}


def edges(run: Swimlane) -> list[tuple[int, int]]:
    return list(zip(run.dependencies.src.tolist(), run.dependencies.dst.tolist(), strict=True))
