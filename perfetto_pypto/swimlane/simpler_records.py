"""Reads the simpler runtime's own records, all generations, by what they hold.

``chip_swimlane_records.json``, ``l2_swimlane_records.json``: rows of counter cycles. How many
columns a row has tells what it knows. Before that, ``l2_perf_records.json`` and
``perf_swimlane_*.json``: an object a task, in µs. The graph lies in ``deps.json`` beside the file
(the oldest carry it themselves), the kernels' names in ``name_map*.json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Meta, Struct

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane.findings import EXAMPLES, Findings
from perfetto_pypto.swimlane.lanes import core_order
from perfetto_pypto.swimlane.model import OTHER, Core, Int64s, Source, Strings, Swimlane
from perfetto_pypto.swimlane.names import SIMPLER_RECORDS
from perfetto_pypto.swimlane.opening import Opened
from perfetto_pypto.swimlane.simpler import Executions, Parts, assemble
from perfetto_pypto.swimlane.simpler_clock import MAX_HZ, Bools, Clock, Cycles, Micros, Stamps
from perfetto_pypto.swimlane.simpler_graph import Graph
from perfetto_pypto.swimlane.simpler_input import (
    REMEDY,
    decode,
    integers,
    read_deps,
    read_names,
    signed,
    tokens,
)
from perfetto_pypto.swimlane.simpler_phases import Thread, read_phases

_RECEIVE, _EPOCH, _AICPU_EPOCH = 5, 6, 4
_ENGINES = {"aic": "AIC", "aiv": "AIV"}


class Metadata(Struct, gc=False):
    """What the rows don't say; ``core_types`` by core number."""

    clock_freq_hz: Annotated[int, Meta(ge=1, le=MAX_HZ)]
    core_types: list[str]


class Task(Struct, gc=False):
    """An execution of the generations before rows; times in µs."""

    task_id: int
    core_id: int
    core_type: str
    start_time_us: float
    end_time_us: float
    func_id: int = -1
    dispatch_time_us: float = 0.0
    finish_time_us: float = 0.0
    fanout: list[int] = []


class SchedulerTasks(Struct, gc=False):
    """The AICPU's rows where they have an object of their own."""

    records: list[Annotated[list[int], Meta(min_length=4)]] = []


class SchedulerRecords(Struct, gc=False):
    """The schedulers' phases where they have an object of their own."""

    streams: list[Thread] = []


class Records(Struct, gc=False):
    """A file of records."""

    chip_swimlane_level: int | None = None
    l2_swimlane_level: int | None = None
    l2_perf_level: int | None = None
    version: int | None = None
    metadata: Metadata | None = None
    aicore_tasks: list[Annotated[list[int], Meta(min_length=5)]] | None = None
    aicpu_tasks: list[Annotated[list[int], Meta(min_length=4)]] | None = None
    scheduler_tasks: SchedulerTasks | None = None
    tasks: list[Task] | None = None
    aicpu_scheduler_phases: list[Thread] = []
    scheduler_records: SchedulerRecords | None = None
    aicpu_orchestrator_phases: list[Thread] = []
    host_orchestrator_phases: list[list[object]] = []


class Raw(NamedTuple):
    """Executions as they stand in the file; stamps on the file's clock, 0 where there is none."""

    token: Int64s
    core: Int64s
    start: Stamps
    end: Stamps
    dispatch: Stamps
    finish: Stamps
    received: Stamps
    func: Int64s


def read_records(opened: Opened, asked: Mapping[str, int] | None) -> Swimlane:
    """Reads a file of records with the graph and the names beside it.

    Raises:
        InputError: a file is damaged, breaks the format or holds no executed task.
        PyptoPerfettoError: ``asked`` contradicts the file.
    """
    findings = Findings()
    records = decode(opened, Records, "simpler_records", findings)
    graph, kernels = _graph(opened, records, findings)
    names = read_names(opened, findings)
    clock: Clock
    if records.tasks is not None:
        clock, present = Micros(), len(records.tasks)
        types = {task.core_id: task.core_type for task in records.tasks}
        raw, seen = _of_tasks(records.tasks), "cores seen (files of this age omit idle cores)"
    else:
        metadata = _metadata(opened, records)
        clock, present = Cycles(metadata.clock_freq_hz), len(records.aicore_tasks or [])
        types = dict(enumerate(metadata.core_types))
        raw = _of_rows(records, types, kernels, findings)
        seen = "file metadata (core_types)"

    cores, core_of = _cores(types, raw.core, findings)
    raw = _possible(raw, clock, findings)
    # 0 cycles are no time, but 0 µs may be the run's first dispatch: then the finish tells.
    finished = clock.possible(raw.finish) & (raw.finish > 0)
    dispatched = clock.possible(raw.dispatch) & (clock.in_cycles | finished)
    phases = read_phases(
        [*records.aicpu_scheduler_phases, *_streams(records)],
        records.aicpu_orchestrator_phases,
        clock,
        findings,
    )
    host = sum(len(thread) for thread in records.host_orchestrator_phases)
    findings.add("host-phase", host)
    clock.start(
        [raw.start, raw.dispatch[dispatched], raw.finish[finished], *phases.stamps],
    )
    start = clock.ns(raw.start)
    executions = Executions(
        token=raw.token,
        core=np.array([core_of[one] for one in raw.core.tolist()], dtype=np.int32),
        start=start,
        end=np.maximum(start, clock.ns(raw.end)),
        dispatch=_optional(clock, raw.dispatch, dispatched),
        finish=_optional(clock, raw.finish, finished),
        setup=np.where(raw.received > 0, start - clock.ns(raw.received), -1),
        func=raw.func,
        label=Strings.of(_label(func, names) for func in raw.func.tolist()),
    )
    source = Source(
        path=opened.path,
        format=SIMPLER_RECORDS,
        layout=_layout(records),
        clock_hz=clock.hz,
        clock_from=clock.known_from,
        origin_us=clock.origin_us,
        core_counts={},
        core_counts_from="",
    )
    parts = Parts(
        cores=cores,
        cores_seen=seen,
        executions=executions,
        graph=graph,
        phases=phases.build(clock),
        counters=phases.counters(clock),
        present={
            "tasks": present,
            "phases": phases.present + host,
            "counters": phases.counter_values,
        },
    )
    return assemble(opened, source, parts, asked, findings)


def _graph(
    opened: Opened, records: Records, findings: Findings
) -> tuple[Graph, dict[int, list[int]]]:
    """The graph: the file's own where it has one, else that of deps.json."""
    own = {
        (signed(task.task_id), signed(after))
        for task in records.tasks or ()
        for after in task.fanout
    }
    if not own:
        return read_deps(opened, findings)
    pred, succ = (tokens(column) for column in zip(*sorted(own), strict=True))
    return Graph(pred, succ, tokens(())), {}


def _metadata(opened: Opened, records: Records) -> Metadata:
    if records.metadata is None or records.aicore_tasks is None:
        missing = "metadata" if records.metadata is None else "aicore_tasks"
        raise InputError(opened.path, f"has no {missing!r}", REMEDY)
    return records.metadata


def _of_tasks(tasks: list[Task]) -> Raw:
    start, end, dispatch, finish = (
        np.array(column, dtype=np.float64)
        for column in (
            [task.start_time_us for task in tasks],
            [task.end_time_us for task in tasks],
            [task.dispatch_time_us for task in tasks],
            [task.finish_time_us for task in tasks],
        )
    )
    return Raw(
        tokens(task.task_id for task in tasks),
        integers([task.core_id for task in tasks]),
        start,
        end,
        dispatch,
        finish,
        np.zeros(len(tasks)),
        np.array(
            [task.func_id if 0 <= task.func_id < 2**31 else -1 for task in tasks], dtype=np.int64
        ),
    )


def _of_rows(
    records: Records, types: dict[int, str], kernels: dict[int, list[int]], findings: Findings
) -> Raw:
    rows = records.aicore_tasks or []
    aicpu = records.scheduler_tasks.records if records.scheduler_tasks else records.aicpu_tasks
    aicpu = aicpu or []
    has_runs = bool(rows) and all(len(row) > _EPOCH for row in rows)
    has_runs = has_runs and all(len(row) > _AICPU_EPOCH for row in aicpu)
    if has_runs:
        last = max(row[_EPOCH] for row in rows)
        findings.add("other-run", sum(row[_EPOCH] != last for row in rows))
        rows = [row for row in rows if row[_EPOCH] == last]
        aicpu = [row for row in aicpu if row[_AICPU_EPOCH] == last]
    times = _join(rows, aicpu, findings)
    token = tokens(row[1] for row in rows)
    start = integers([row[3] for row in rows])
    wait = integers([row[_RECEIVE] if len(row) > _RECEIVE else 0 for row in rows])
    # What the core waited can't be longer than the counter has run.
    received = np.where((wait > 0) & (wait < start), start - wait, 0)
    return Raw(
        token,
        integers([row[0] for row in rows]),
        start,
        integers([row[4] for row in rows]),
        integers([dispatch for dispatch, _ in times]),
        integers([finish for _, finish in times]),
        received,
        np.array(
            [
                _kernel(kernels.get(task, []), types.get(row[0], ""))
                for task, row in zip(token.tolist(), rows, strict=True)
            ],
            dtype=np.int64,
        ),
    )


def _join(
    rows: list[list[int]], aicpu: list[list[int]], findings: Findings
) -> list[tuple[int, int]]:
    """Dispatch and finish of each AICore row, by core and register task id; 0 where unknown."""
    waiting: dict[tuple[int, int], tuple[int, int]] = {}
    lost = []
    for core, register, dispatch, finish, *_ in aicpu:
        if waiting.setdefault((core, register), (dispatch, finish)) != (dispatch, finish):
            lost.append((core, register))
    times = [waiting.pop((row[0], row[2]), (0, 0)) for row in rows]
    lost += waiting
    findings.add(
        "unmatched-dispatch",
        len(lost),
        [f"core {core}, register task {register}" for core, register in lost[:EXAMPLES]],
    )
    return times


def _kernel(ids: list[int], core_type: str) -> int:
    """The kernel that a task runs on a core of this type: cube, or the first vector one."""
    slots = ids[:1] if core_type == "aic" else ids[1:3]
    return next((one for one in slots if 0 <= one < 2**31), -1)


def _label(func: int, names: dict[str, str]) -> str:
    """A kernel's name, else its number, as the runtime's own script names it."""
    if func < 0:
        return "task"
    return names.get(str(func)) or f"func_{func}"


def _cores(
    types: dict[int, str], used: Int64s, findings: Findings
) -> tuple[list[Core], dict[int, int]]:
    """All cores, idle ones included where the file lists them, and the place of each number."""
    named = {
        number: Core(f"{kind.upper()}_{number}", _ENGINES.get(kind, OTHER), number)
        for number, kind in types.items()
    }
    for number in np.unique(used).tolist():
        if number not in named:
            named[number] = Core(f"core {number}", OTHER, number)
    odd = [core.name for core in named.values() if core.engine == OTHER]
    findings.add("unknown-lane", len(odd), odd)
    ordered = sorted(named, key=lambda number: core_order(named[number]))
    return [named[number] for number in ordered], {n: at for at, n in enumerate(ordered)}


def _possible(raw: Raw, clock: Clock, findings: Findings) -> Raw:
    """Drops what has no possible start; gives what has no possible end the length 0."""

    def report(code: str, odd: Bools) -> None:
        rows = np.flatnonzero(odd)
        findings.add(code, len(rows), [f"row {row}" for row in rows[:EXAMPLES]])

    good = clock.possible(raw.start)
    report("impossible-timestamp", ~good)
    ended = clock.possible(raw.end)
    report("impossible-duration", good & ~ended)
    report("negative-duration", good & ended & (raw.end < raw.start))
    return Raw(
        token=raw.token[good],
        core=raw.core[good],
        start=raw.start[good],
        end=np.where(ended, raw.end, raw.start)[good],
        dispatch=raw.dispatch[good],
        finish=raw.finish[good],
        received=raw.received[good],
        func=raw.func[good],
    )


def _optional(clock: Clock, stamps: Stamps, known: Bools) -> Int64s:
    return np.where(known, clock.ns(np.where(known, stamps, 0)), -1)


def _streams(records: Records) -> list[Thread]:
    return records.scheduler_records.streams if records.scheduler_records else []


def _layout(records: Records) -> str:
    kinds = ("chip_swimlane_level", "l2_swimlane_level", "l2_perf_level", "version")
    kind, level = next(
        ((kind, level) for kind in kinds if (level := getattr(records, kind)) is not None),
        ("no level", None),
    )
    parts = [kind if level is None else f"{kind} {level}"]
    rows = records.aicore_tasks or []
    widths = sorted({len(row) for row in rows})
    if records.tasks is not None:
        parts.append("an object a task")
    elif widths:
        parts.append("AICore rows of " + " and ".join(map(str, widths)) + " columns")
    return "; ".join(parts)
