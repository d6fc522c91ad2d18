"""Reads the merged swimlane that the simpler runtime's own script writes.

Its tasks stand twice in it: as the cores ran them (Worker View, before that AICore View, on the
first day Machine View) and as the scheduler saw them (Scheduler View, before that AICPU View). The
graph is in the tasks' hints, tasks without a kernel included.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec
import numpy as np

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane.clock import possible
from perfetto_pypto.swimlane.findings import EXAMPLES, Findings
from perfetto_pypto.swimlane.lanes import Lane, name_cores
from perfetto_pypto.swimlane.model import Counter, Doubles, Int64s, Source, Strings, Swimlane
from perfetto_pypto.swimlane.names import SIMPLER_MERGED
from perfetto_pypto.swimlane.opening import Opened
from perfetto_pypto.swimlane.records import Count, Metadata
from perfetto_pypto.swimlane.simpler import Executions, Parts, assemble, phases_of
from perfetto_pypto.swimlane.simpler_clock import Bools, Micros
from perfetto_pypto.swimlane.simpler_events import (
    TAGS,
    Args,
    Document,
    Event,
    Hint,
    Slice,
    parse_hint,
    parse_label,
    parse_tasks,
)
from perfetto_pypto.swimlane.simpler_graph import Graph
from perfetto_pypto.swimlane.simpler_input import REMEDY, integers, signed, tokens
from perfetto_pypto.swimlane.simpler_phases import ORCHESTRATOR, SCHEDULER
from perfetto_pypto.swimlane.text import convert, load, read_text, well_formed

_WORKERS = frozenset({"Worker View", "AICore View", "Machine View"})
_SCHEDULER_VIEWS = frozenset({"Scheduler View", "AICPU View"})
_PHASES = {"AICPU Scheduler": SCHEDULER, "AICPU Orchestrator": ORCHESTRATOR}
_GRAPHS = "Graph Execution"
_HOST = "Host "
_AICPU_LANE = re.compile(r"AICPU_[0-9]+")
_SETUP = "setup"
_NUMBER = re.compile(r"[0-9]{1,9}$")
_COUNT = re.compile(r"\(-?[0-9]+\)$")
_NO_ARGS = Args()


@dataclass(slots=True)
class _Task:
    """A slice of a core, with what its hint says."""

    slice: Slice
    args: Args
    hint: Hint


@dataclass(slots=True)
class _Trace:
    """The file's events, sorted by what they are."""

    processes: dict[int, str] = field(default_factory=dict)
    threads: dict[Lane, str] = field(default_factory=dict)
    tasks: list[_Task] = field(default_factory=list)
    scheduled: list[_Task] = field(default_factory=list)
    phases: list[Slice] = field(default_factory=list)
    counts: list[Count] = field(default_factory=list)
    unparsed: int = 0
    host: int = 0


def read_simpler_merged(opened: Opened, asked: Mapping[str, int] | None) -> Swimlane:
    """Reads a merged swimlane of the simpler runtime.

    Raises:
        InputError: the file is damaged, breaks the format or holds no executed task.
        PyptoPerfettoError: ``asked`` contradicts the file.
    """
    findings = Findings()
    trace = _sort(_events(opened, findings), findings)
    present = {"tasks": len(trace.tasks) + trace.unparsed}
    clock = Micros()
    end = _column([task.slice.ts + task.slice.dur for task in trace.tasks])
    kernel = _column([_kernel_us(task) for task in trace.tasks])
    begin = _column([task.slice.ts for task in trace.tasks])
    start = np.where(np.isnan(kernel), begin, end - kernel)
    good = clock.possible(begin) & clock.possible(start)
    _report(trace.tasks, "impossible-timestamp", ~good, findings)
    trace.tasks = [task for task, one in zip(trace.tasks, good.tolist(), strict=True) if one]
    begin, start, end = begin[good], start[good], end[good]
    ended = clock.possible(end)
    _report(trace.tasks, "impossible-duration", ~ended, findings)
    end = np.where(ended, end, start)
    _report(trace.tasks, "negative-duration", end < start, findings)

    dispatch, finish = _scheduled(trace, clock, findings)
    phase_start = _column([one.ts for one in trace.phases])
    phase_end = phase_start + _column([one.dur for one in trace.phases])
    fine = clock.possible(phase_start) & clock.possible(phase_end)
    series, values = _series(trace.counts, findings)
    clock.start(
        [
            start,
            dispatch[~np.isnan(dispatch)],
            finish[~np.isnan(finish)],
            phase_start[fine],
            phase_end[fine],
        ],
        [one.ts for one in series],
    )
    findings.add("impossible-phase", int((~fine).sum()))
    phases = [one for one, kept in zip(trace.phases, fine.tolist(), strict=True) if kept]
    used: dict[Lane, int] = defaultdict(int)
    for task in trace.tasks:
        used[task.slice.pid, task.slice.tid] += 1
    workers = {pid for pid, name in trace.processes.items() if name in _WORKERS}
    lanes = {
        lane: name
        for lane, name in trace.threads.items()
        if lane[0] in workers and not _AICPU_LANE.fullmatch(name)
    }
    cores, core_of = name_cores(lanes, used, findings)
    start_ns = clock.ns(start)
    setup = start_ns - clock.ns(begin)
    executions = Executions(
        token=tokens(task.hint.token for task in trace.tasks),
        core=np.array(
            [core_of[task.slice.pid, task.slice.tid] for task in trace.tasks], dtype=np.int32
        ),
        start=start_ns,
        end=np.maximum(start_ns, clock.ns(end)),
        dispatch=_optional(dispatch, clock),
        finish=_optional(finish, clock),
        setup=np.where(setup > 0, setup, -1),
        func=integers([max(task.hint.func, -1) for task in trace.tasks]),
        label=Strings.of(parse_label(task.slice.name) or None for task in trace.tasks),
    )
    source = Source(
        path=opened.path,
        format=SIMPLER_MERGED,
        layout=", ".join(sorted(set(trace.processes.values()))),
        clock_hz=clock.hz,
        clock_from=clock.known_from,
        origin_us=clock.origin_us,
        core_counts={},
        core_counts_from="",
    )
    present |= {"phases": len(trace.phases) + trace.host, "counters": values}
    parts = Parts(
        cores=cores,
        cores_seen="lanes in the file (the script omits idle cores)",
        executions=executions,
        graph=_graph(trace.tasks),
        phases=phases_of(
            [_thread(trace, one) for one in phases],
            [_phase(one) for one in phases],
            clock.ns(phase_start[fine]),
            clock.ns(phase_end[fine]),
        ),
        counters=[Counter(one.name, clock.ns(one.ts), one.value) for one in series],
        present=present,
    )
    return assemble(opened, source, parts, asked, findings)


def _events(opened: Opened, findings: Findings) -> list[Event]:
    text = read_text(opened)
    try:
        return msgspec.json.decode(text, type=Document).events
    except (msgspec.MsgspecError, ValueError, RecursionError):
        value = load(opened.path, text, 0)
    loaded = value.get("traceEvents") if isinstance(value, dict) else value
    if not isinstance(loaded, list):
        raise InputError(opened.path, '"traceEvents" is no list', REMEDY)
    events: list[Event] = []
    for index, one in enumerate(loaded):
        place = f"traceEvents[{index}]"
        tag = one.get("ph") if isinstance(one, dict) else None
        record = TAGS.get(tag) if isinstance(tag, str) else None
        if record is not None:
            clean = well_formed(one, findings)
            events.append(convert(opened.path, clean, record, place, "simpler_merged", findings))
        elif isinstance(tag, str):
            findings.add("unknown-event", 1, [f"{place} with ph {tag!r}"])
        else:
            convert(opened.path, one, Metadata, place, "simpler_merged", findings)
    return events


def _sort(events: list[Event], findings: Findings) -> _Trace:
    trace = _Trace()
    slices: list[Slice] = []
    for event in events:
        if isinstance(event, Slice):
            slices.append(event)
        elif isinstance(event, Count):
            trace.counts.append(event)
        elif isinstance(event, Metadata):
            name = (event.args or {}).get("name")
            if isinstance(name, str) and event.name == "process_name":
                trace.processes[event.pid] = name
            elif isinstance(name, str) and event.name == "thread_name":
                trace.threads[event.pid, event.tid] = name
    for one in slices:
        process = trace.processes.get(one.pid, "")
        if process in _WORKERS:
            _sort_worker(trace, one, findings)
        elif process in _SCHEDULER_VIEWS:
            hint = parse_hint((one.args or _NO_ARGS).event_hint or "")
            if hint is not None:
                trace.scheduled.append(_task(one, hint))
        elif process in _PHASES:
            trace.phases.append(one)
        elif process.startswith(_HOST):
            trace.host += 1
        elif process == _GRAPHS:
            findings.add("derived-slice", 1, [one.name])
        else:
            findings.add("unknown-event", 1, [f"slice {one.name} of process {one.pid}"])
    findings.add("host-phase", trace.host)
    return trace


def _sort_worker(trace: _Trace, one: Slice, findings: Findings) -> None:
    hint = parse_hint((one.args or _NO_ARGS).event_hint or "")
    if hint is not None:
        trace.tasks.append(_task(one, hint))
    elif one.name == _SETUP or _AICPU_LANE.fullmatch(trace.threads.get((one.pid, one.tid), "")):
        findings.add("derived-slice", 1, [one.name])
    else:
        trace.unparsed += 1
        findings.add("unparsed-task", 1, [one.name])


def _task(one: Slice, hint: Hint) -> _Task:
    """The hint's task, or the exact number where the slice has it."""
    args = one.args or _NO_ARGS
    token = hint.token if args.task_id is None else args.task_id
    return _Task(one, args, hint._replace(token=signed(token)))


def _kernel_us(task: _Task) -> float:
    """The kernel's own time, where the slice begins with the core's setup; NaN where it doesn't."""
    return np.nan if task.args.kernel_us is None else task.args.kernel_us


def _scheduled(trace: _Trace, clock: Micros, findings: Findings) -> tuple[Doubles, Doubles]:
    """Dispatch and finish of each task, by task and core; in order where several are there."""
    by_place: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    for one in trace.scheduled:
        times = (
            _or(one.args.dispatch_us, one.slice.ts),
            _or(one.args.finish_us, one.slice.ts + one.slice.dur),
        )
        if clock.possible(_column(list(times))).all():
            by_place[one.hint.token, one.hint.core].append(times)
    rows: dict[tuple[int, int], list[int]] = defaultdict(list)
    for row, task in enumerate(trace.tasks):
        rows[task.hint.token, task.hint.core].append(row)
    found = np.full((2, len(trace.tasks)), np.nan)
    lost = len(trace.scheduled) - sum(map(len, by_place.values()))
    for place, times_there in by_place.items():
        there = sorted(rows.get(place, []), key=lambda row: trace.tasks[row].slice.ts)
        if len(there) != len(times_there):
            lost += len(times_there)
            continue
        for row, pair in zip(there, sorted(times_there), strict=True):
            found[:, row] = pair
    findings.add("unmatched-dispatch", lost)
    return found[0], found[1]


def _or(value: float | None, other: float) -> float:
    return other if value is None else value


def _graph(tasks: list[_Task]) -> Graph:
    """The edges that the tasks' hints name, each of them twice."""
    # The hints print 8 bits of a ring: what ran is known by that text, too.
    ran = {_printed(task.hint.token): task.hint.token for task in tasks}
    edges: set[tuple[int, int]] = set()
    for task in tasks:
        own = task.hint.token
        for other in parse_tasks(task.args.fanin or ""):
            edges.add((ran.get(_printed(other), signed(other)), own))
        for other in parse_tasks(task.args.fanout or ""):
            edges.add((own, ran.get(_printed(other), signed(other))))
    pred, succ = (
        (tokens(column) for column in zip(*sorted(edges), strict=True))
        if edges
        else (
            tokens(()),
            tokens(()),
        )
    )
    nodes = np.unique(np.concatenate([pred, succ]))
    return Graph(pred, succ, np.setdiff1d(nodes, tokens(ran.values())))


def _printed(token: int) -> int:
    return token & 0xFF_FFFFFFFF


class _Series(NamedTuple):
    """A counter in µs, in time order."""

    name: str
    ts: Doubles
    value: Doubles


def _series(events: list[Count], findings: Findings) -> tuple[list[_Series], int]:
    """One counter a value of the events' args, and how many values the file has."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for event in events:
        args = event.args or {}
        for key, one in args.items():
            name = event.name if len(args) == 1 else f"{event.name} {key}"
            found[name].append((event.ts, np.nan if one is None else one))
    series = []
    for name, pairs in found.items():
        ts, value = (_column(list(column)) for column in zip(*pairs, strict=True))
        good = possible(ts) & np.isfinite(value)
        findings.add("impossible-counter", int((~good).sum()), [name])
        order = np.argsort(ts[good], kind="stable")
        if len(order):
            series.append(_Series(name, ts[good][order], value[good][order]))
    return series, sum(map(len, found.values()))


def _thread(trace: _Trace, one: Slice) -> str:
    part = _PHASES[trace.processes[one.pid]]
    number = _NUMBER.search(trace.threads.get((one.pid, one.tid), ""))
    return f"{part}-{int(number[0]) if number else one.tid}"


def _phase(one: Slice) -> str:
    return (one.args or _NO_ARGS).phase or _COUNT.sub("", one.name) or "phase"


def _optional(stamps: Doubles, clock: Micros) -> Int64s:
    known = ~np.isnan(stamps)
    return np.where(known, clock.ns(np.where(known, stamps, 0.0)), -1)


def _column(values: list[float]) -> Doubles:
    return np.array(values, dtype=np.float64)


def _report(
    tasks: list[_Task],
    code: str,
    odd: Bools,
    findings: Findings,
) -> None:
    rows = np.flatnonzero(odd)
    findings.add(code, len(rows), [tasks[row].slice.name for row in rows[:EXAMPLES]])
