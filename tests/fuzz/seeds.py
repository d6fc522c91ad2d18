"""The files that are damaged: small cuts of real runs, and the same runs in the simpler layouts."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from perfetto_pypto.swimlane import NOT_A_CORE, Swimlane, read
from tests.paths import TRACES

Json = dict[str, Any]


@dataclass(frozen=True)
class Seed:
    """An input: its files, the one to damage, and what is then opened (a file; "": the folder)."""

    files: dict[str, bytes]
    target: str
    opened: str


def _events(run: str, tasks: int, flows: int, others: int) -> Json:
    """The first events of each kind."""
    text = gzip.decompress((TRACES / run / "merged_swimlane.json.gz").read_bytes())
    room = {"X": tasks, "s": flows, "f": flows, "C": others, "M": 200}
    kept = []
    for event in json.loads(text)["traceEvents"]:
        kind = event["ph"] if event.get("cat", "").startswith(("event", "mach")) else "C"
        kind = "M" if event["ph"] == "M" else kind
        if room[kind] > 0:
            room[kind] -= 1
            kept.append(event)
    return {"traceEvents": kept}


def _small_run() -> Swimlane:
    return read(TRACES / "ffn_device" / "merged_swimlane.json.gz")


def _lanes(run: Swimlane) -> dict[int, tuple[int, str]]:
    """Core -> the runtime's number and type of it."""
    cores = [index for index, core in enumerate(run.cores) if core.engine not in NOT_A_CORE]
    return {core: (number, run.cores[core].engine.lower()) for number, core in enumerate(cores)}


def _rows(run: Swimlane, count: int) -> list[tuple[int, int, int, int]]:
    """The first executions: task, core, start and end in cycles of 20 ns."""
    t = run.tasks
    tasks = [i for i in range(len(t)) if run.cores[t.core[i]].engine not in NOT_A_CORE]
    return [
        (
            i + (1 << 32 if i % 5 == 0 else 0),
            int(t.core[i]),
            int(t.start[i]) // 20,
            int(t.end[i]) // 20,
        )
        for i in tasks[:count]
    ]


def _token(run: Swimlane, task: int) -> int:
    return task + (
        1 << 32 if task % 5 == 0 and run.cores[run.tasks.core[task]].name != "HUB" else 0
    )


def simpler_records(run: Swimlane, count: int = 14) -> dict[str, Any]:
    """Rows of cycles; task 3 runs on two more cores; with phases."""
    lanes, boot = _lanes(run), 10**12
    aicore, aicpu = [], []
    rows = _rows(run, count)
    rows += [(rows[3][0], rows[number][1], *rows[3][2:]) for number in (7, 8)]
    for register, (task, core, start, end) in enumerate(rows):
        number = lanes[core][0]
        aicore.append([number, task, register, boot + start, boot + end, 8])
        aicpu.append([number, register, boot + start - 20, boot + end + 15])
    depth = {"shared_at_start": [1, 0, 0], "shared_at_end": [0, 1, 0]}
    phase = {"kind": "dispatch", "start_cycles": boot, "end_cycles": boot + 9, "loop_iter": 1}
    submit = {"submit_idx": 0, "task_id": 1, "start_cycles": boot - 90, "end_cycles": boot - 5}
    return {
        "chip_swimlane_level": 4,
        "metadata": {
            "clock_freq_hz": 50_000_000,
            "num_cores": len(lanes),
            "core_types": [kind for _, kind in lanes.values()],
        },
        "aicore_tasks": aicore,
        "aicpu_tasks": aicpu,
        "aicpu_scheduler_phases": [[phase | depth], [phase | {"kind": "complete"} | depth]],
        "aicpu_orchestrator_phases": [[submit]],
    }


def simpler_objects(run: Swimlane, count: int = 14) -> Json:
    """An object a task, with the graph inside."""
    lanes = _lanes(run)
    rows = _rows(run, count)
    edges = simpler_edges(run, count)
    tasks = [
        {
            "task_id": task,
            "func_id": number % 3,
            "core_id": lanes[core][0],
            "core_type": lanes[core][1],
            "start_time_us": start / 50,
            "end_time_us": end / 50,
            "duration_us": (end - start) / 50,
            "dispatch_time_us": max(start - 20, 0) / 50,
            "finish_time_us": (end + 15) / 50,
            "fanout": [succ for pred, succ in edges if pred == task],
        }
        for number, (task, core, start, end) in enumerate(rows)
    ]
    phase = {"phase": "scan", "start_time_us": 0.0, "end_time_us": 0.2, "loop_iter": 1}
    return {"version": 2, "tasks": tasks, "aicpu_scheduler_phases": [[phase]]}


def simpler_edges(run: Swimlane, count: int = 14) -> list[tuple[int, int]]:
    """The run's edges among its first tasks; hubs are tasks without a kernel."""
    executed = {task & 0xFFFFFFFF: task for task, *_ in _rows(run, count)}
    hubs = {i for i, core in enumerate(run.tasks.core) if run.cores[core].engine in NOT_A_CORE}
    pairs = zip(run.dependencies.src.tolist(), run.dependencies.dst.tolist(), strict=True)
    return [
        (executed.get(src, src), executed.get(dst, dst))
        for src, dst in pairs
        if (src in executed or src in hubs) and (dst in executed or dst in hubs)
    ]


def simpler_deps(run: Swimlane, count: int = 14) -> Json:
    """deps.json of the records."""
    rows = _rows(run, count)
    kernels = {task: [number % 3, 4, -1] for number, (task, *_) in enumerate(rows)}
    edges = simpler_edges(run, count)
    nodes = sorted({task for edge in edges for task in edge} | set(kernels))
    return {
        "tasks": [
            {"task_id": str(task), "kernel_ids": kernels.get(task, [-1] * 3), "block_num": 1}
            for task in nodes
        ],
        "edges": [{"pred": str(pred), "succ": str(succ), "arg": 0} for pred, succ in edges],
    }


def simpler_merged(run: Swimlane, count: int = 12) -> Json:
    """Worker View and Scheduler View."""
    lanes, edges = _lanes(run), simpler_edges(run, count)
    events: list[Json] = [
        {"args": {"name": name}, "name": "process_name", "ph": "M", "pid": pid}
        for pid, name in ((4, "Worker View"), (3, "Scheduler View"), (2, "AICPU Scheduler"))
    ]
    rows = _rows(run, count)
    for number, kind in (lanes[core] for core in sorted({row[1] for row in rows})):
        lane = {"name": "thread_name", "ph": "M", "pid": 4, "tid": 10_000 + 10 * number}
        events.append(lane | {"args": {"name": f"{kind.upper()}_{number}"}})
    for index, (task, core, start, end) in enumerate(rows):
        number = lanes[core][0]
        fan = [
            [_shown(p) for p, s in edges if s == task],
            [_shown(s) for p, s in edges if p == task],
        ]
        hint = f"Task:{_shown(task)}, FuncId:{index % 3}, CoreId:{number}"
        common = {
            "cat": "event",
            "ph": "X",
            "tid": 10_000 + 10 * number,
            "name": f"up({_shown(task)})",
        }
        bar = {"ts": start / 50 - 0.16, "dur": (end - start) / 50 + 0.16, "pid": 4}
        args = {
            "event-hint": hint,
            "fanin-hint": f"{len(fan[0])}: [{', '.join(fan[0])}]",
            "fanout-hint": f"{len(fan[1])}: [{', '.join(fan[1])}]",
            "kernel-duration-us": (end - start) / 50,
            "taskId": task,
        }
        events.append(common | bar | {"args": args})
        times = {"dispatch-time-us": start / 50 - 0.4, "finish-time-us": end / 50 + 0.3}
        view = {"ts": start / 50 - 0.4, "dur": (end - start) / 50 + 0.7, "pid": 3}
        events.append(common | view | {"args": {"event-hint": hint, "taskId": task, **times}})
    events.append({"name": "dispatch(2)", "ph": "X", "pid": 2, "tid": 1, "ts": 0.2, "dur": 0.4})
    depth = {"AIC": 1, "AIV": 0, "MIX": 0}
    events.append({"name": "shared_ready_queue", "ph": "C", "pid": 2, "ts": 0.6, "args": depth})
    return {"traceEvents": events}


def _shown(task: int) -> str:
    return f"r{task >> 32}t{task & 0xFFFFFFFF}" if task >> 32 else f"t{task}"


def _unpacked(*path: str) -> bytes:
    return gzip.decompress(TRACES.joinpath(*path).read_bytes())


def _small_program() -> Json:
    """The compiled program with the first operations of each function."""
    program = json.loads(_unpacked("ffn", "program.json.gz"))
    for function in program["functions"]:
        for key, value in list(function.items()):
            if isinstance(value, list):
                function[key] = value[:3]
    return program


def _small_pipes() -> list[Json]:
    """The pipes of two cores, a few operations each."""
    cores = json.loads(_unpacked("ffn", "_simulate.pipe.swim.json.gz"))
    return [
        core | {"pipeLogs": {pipe: spans[:4] for pipe, spans in core["pipeLogs"].items()}}
        for core in cores[:2]
    ]


def _raw_seeds() -> dict[str, Seed]:
    """PyPTO's own files, each damaged beside the others."""
    device = {
        name: _unpacked("ffn_device_aicpu", f"{name}.gz")
        for name in (
            "tilefwk_L1_prof_data.json",
            "dyn_topo.txt",
            "machine_trace_perf_data_0.json",
            "machine_runtime_operator_trace_0.json",
        )
    }
    device["program.json"] = _dump(_small_program())
    profile, stamps, trace = "tilefwk_L1_prof_data.json", *list(device)[2:4]
    simulated = {
        name: _unpacked("ffn", f"{name}.gz") for name in ("_simulate.swim.json", "dyn_topo.txt")
    }
    simulated["_simulate.pipe.swim.json"] = _dump(_small_pipes())
    both = {
        name: _unpacked("matmul_long_k", f"{name}.gz")
        for name in ("_simulate.swim.json", "dyn_topo.txt", "merged_swimlane.json")
    }
    return {
        "raw-profile": Seed(device, profile, profile),
        "raw-topology": Seed(device, "dyn_topo.txt", profile),
        "raw-program": Seed(device, "program.json", profile),
        "raw-stamps": Seed(device, stamps, ""),
        "aicpu-stamps": Seed({stamps: device[stamps]}, stamps, stamps),
        "aicpu-trace": Seed({trace: device[trace]}, trace, trace),
        "raw-pipes": Seed(simulated, "_simulate.pipe.swim.json", ""),
        "raw-and-merged": Seed(both, "_simulate.swim.json", ""),
        "merged-and-raw": Seed(both, "merged_swimlane.json", ""),
    }


def _dump(value: object) -> bytes:
    return json.dumps(value, indent=1).encode()


@cache
def seeds() -> dict[str, Seed]:
    """All inputs by name."""
    merged = "merged_swimlane.json"
    records = "chip_swimlane_records.json"
    run = _small_run()
    simpler = {
        records: _dump(simpler_records(run)),
        "deps.json": _dump(simpler_deps(run)),
        "name_map_case.json": _dump({"callable_id_to_name": {"0": "up", "4": "down"}}),
    }
    found = {
        f"merged-{name}": Seed({merged: _dump(_events(name, *room))}, merged, merged)
        for name, room in {
            "ffn": (14, 12, 6),
            "ffn_device": (14, 12, 0),
            "ffn_device_aicpu": (8, 6, 20),
        }.items()
    }
    found["simpler-records"] = Seed(simpler, records, records)
    found["simpler-deps"] = Seed(simpler, "deps.json", records)
    found["simpler-names"] = Seed(simpler, "name_map_case.json", records)
    objects = "l2_perf_records.json"
    found["simpler-objects"] = Seed({objects: _dump(simpler_objects(run))}, objects, objects)
    found["simpler-merged"] = Seed({merged: _dump(simpler_merged(run))}, merged, merged)
    return found | _raw_seeds()
