"""Facts: a Swimlane as TracePackets, complete, readable and checkable.

A task's slice carries its facts as arguments; its predecessors' dense ids are the array `deps`,
so the dependency table in SQL is complete whatever the importer makes of the drawn flows. The
run's own facts are arguments of one slice of category `run` on the root track. For SQL alone, tasks
and dependencies come as columns instead (see `columns`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict

import numpy as np

from perfetto_pypto.predict import Prediction
from perfetto_pypto.swimlane.model import HUB, NOT_A_CORE, Swimlane
from perfetto_pypto.trace import layout
from perfetto_pypto.trace.arguments import Args
from perfetto_pypto.trace.colours import RUN
from perfetto_pypto.trace.columns import write_columns
from perfetto_pypto.trace.flows import Flows
from perfetto_pypto.trace.tasks import task_ids, write_tasks
from perfetto_pypto.trace.writer import Packets, Part, TraceWriter, lanes

#: Version of the facts' form; a reader of a newer form must refuse.
SCHEMA = 1


def write_facts(
    swimlane: Swimlane,
    *,
    flows: Flows,
    small_task_ns: int,
    predictions: Iterable[Prediction],
    bare: bool = False,
) -> Iterator[Packets]:
    """Writes the run's facts.

    Args:
        swimlane: the run.
        flows: the arrows to draw.
        small_task_ns: tasks shorter than this are small; travels with the trace.
        predictions: what `predict` said of the run; asked for when all else is handed on.
        bare: for the SQL pack alone: tasks and dependencies as columns, without slices, and none of
            what only people read: more about the tasks, the file's own counters.

    Yields:
        The packets, with the record of what was written; those of the run's own slice last.
    """
    writer = TraceWriter(Part.FACTS)
    _write_groups(writer, swimlane)
    if bare:
        write_columns(writer, swimlane)
    else:
        write_tasks(writer, swimlane, flows)
    _write_sync_events(writer, swimlane)
    _write_pipes(writer, swimlane)
    _write_phases(writer, swimlane)
    if not bare:
        _write_counters(writer, swimlane)
    yield writer.finish()
    yield _write_run(swimlane, small_task_ns, predictions)


def _write_groups(writer: TraceWriter, swimlane: Swimlane) -> None:
    writer.track(layout.root_descriptor(swimlane.name))
    counts = swimlane.source.core_counts
    for index, engine in enumerate(layout.engines(swimlane)):
        name = f"{engine} cores ({counts[engine]})"
        rank = layout.engine_rank(index) + 2
        writer.track(layout.group(layout.engine_track(index), name, rank))
    engines = {core.engine for core in swimlane.cores}
    if engines & NOT_A_CORE - {HUB}:
        name = " and ".join(sorted(engines & NOT_A_CORE - {HUB}))
        writer.track(layout.group(layout.OFF_CORE, name, layout.OFF_CORE_RANK))
    if HUB in engines:
        hubs = [i for i, core in enumerate(swimlane.cores) if core.engine == HUB]
        count = int(np.isin(swimlane.tasks.core, hubs).sum())
        if count:
            name = f"Hub tasks ({count})"
            writer.track(layout.group(layout.HUBS, name, layout.HUBS_RANK))


def _write_sync_events(writer: TraceWriter, swimlane: Swimlane) -> None:
    sync = swimlane.sync_events
    parents = {engine: layout.engine_track(i) for i, engine in enumerate(layout.engines(swimlane))}
    ids = task_ids(swimlane) if len(sync) else []
    core_of = swimlane.tasks.core[sync.task]
    for index in np.unique(core_of).tolist():
        core = swimlane.cores[index]
        # A lane of its own: among the tasks an event at a task's end would bend the nesting.
        track = layout.core_track(index, layout.SYNC_LANE)
        parent = parents.get(core.engine, layout.OFF_CORE)
        writer.track(layout.core_row(track, core, parent))
        here = np.flatnonzero(core_of == index)
        here = here[np.argsort(sync.ts[here], kind="stable")]
        events = [
            writer.event(
                sync.type[event] or "sync",
                "sync",
                args={"task": ids[sync.task[event]], "event_id": int(sync.event_id[event])},
            )
            for event in here.tolist()
        ]
        writer.slices(track, "sync", sync.ts[here], sync.ts[here], events)


def _write_pipes(writer: TraceWriter, swimlane: Swimlane) -> None:
    """Pipes as rows below their core's."""
    spans = swimlane.pipe_spans
    order = np.lexsort((spans.end, spans.start, spans.pipe.codes, spans.core))
    keys = np.stack((spans.core, spans.pipe.codes), axis=1)[order]
    rows, firsts = np.unique(keys, axis=0, return_index=True)
    for (index, code), members in zip(rows.tolist(), np.split(order, firsts[1:]), strict=False):
        core, pipe = swimlane.cores[index].name, spans.pipe.values[code]
        lane_of = lanes(spans.start[members], spans.end[members])
        for lane in range(int(lane_of.max(initial=0)) + 1):
            here = members[lane_of == lane]
            track = layout.pipe_track(index, code, lane)
            parent = layout.core_track(index)
            writer.track(layout.row(track, pipe, layout.pipe_rank(pipe), parent, pipe))
            events = []
            for span in here.tolist():
                args: Args = {"core": core}
                if (text := spans.tile_op[span]) is not None:
                    args["tile_op"] = text
                events.append(writer.event(spans.name[span] or "operation", "pipe", args=args))
            writer.slices(track, "pipe", spans.start[here], spans.end[here], events)


def _write_phases(writer: TraceWriter, swimlane: Swimlane) -> None:
    phases = swimlane.phases
    if not len(phases):
        return
    writer.track(layout.group(layout.AICPU, "AICPU", layout.AICPU_RANK))
    threads = dict.fromkeys(phases.thread.codes.tolist())
    parts = {code: _aicpu_part(phases.thread.values[code]) for code in threads}
    for part in sorted(set(parts.values())):
        name = layout.AICPU_PARTS[part]
        writer.track(layout.group(layout.aicpu_part_track(part), name, part, layout.AICPU))
    order = np.lexsort((phases.end, phases.start))
    for code in threads:
        thread = phases.thread.values[code]
        parent = layout.aicpu_part_track(parts[code])
        members = order[phases.thread.codes[order] == code]
        lane_of = lanes(phases.start[members], phases.end[members])
        for lane in range(int(lane_of.max(initial=0)) + 1):
            here = members[lane_of == lane]
            track = layout.thread_track(code, lane)
            writer.track(layout.row(track, thread, code, parent, thread))
            events = []
            for phase in here.tolist():
                args: Args = {"round": int(phases.round[phase])}
                if phases.dev_task[phase] >= 0:
                    args["dev_task"] = int(phases.dev_task[phase])
                events.append(writer.event(phases.name[phase] or "phase", "aicpu", args=args))
            writer.slices(track, "aicpu", phases.start[here], phases.end[here], events)


def _aicpu_part(thread: str) -> int:
    if thread.startswith("AICPU-CTRL"):
        return 0
    return 1 if thread.startswith("AICPU-SCHED") else 2


def _write_counters(writer: TraceWriter, swimlane: Swimlane) -> None:
    if not swimlane.counters:
        return
    writer.track(layout.group(layout.COUNTERS, "Counters of the file", layout.COUNTERS_RANK))
    for index, counter in enumerate(swimlane.counters):
        track = layout.counter_track(index)
        writer.track(layout.counter(track, counter.name, index, "", counter.name, layout.COUNTERS))
        writer.counter(track, counter.ts, counter.value)


def _write_run(
    swimlane: Swimlane, small_task_ns: int, predictions: Iterable[Prediction]
) -> Packets:
    writer = TraceWriter(Part.RUN)
    # Declared again: its name for the record.
    writer.track(layout.root_descriptor(swimlane.name))
    source = swimlane.source
    t = swimlane.tasks
    phases, spans = swimlane.phases, swimlane.pipe_spans
    slices = len(t) + len(swimlane.sync_events) + len(spans) + len(phases)
    ends = (t.end, phases.end, spans.end)
    last = max(int(end.max(initial=0)) for end in ends)
    args: dict[str, object] = {
        "schema": SCHEMA,
        "name": swimlane.name,
        "path": source.path,
        "format": source.format,
        "layout": source.layout,
        "clock_hz": source.clock_hz,
        "clock_from": source.clock_from,
        "origin_us": source.origin_us,
        "small_task_ns": small_task_ns,
        "core_count": dict(source.core_counts),
        "core_counts_from": source.core_counts_from,
        "slice_count": slices + 1,
        "counter_count": sum(len(counter.ts) for counter in swimlane.counters),
        "present": dict(swimlane.present),
        "predictions": [asdict(prediction) for prediction in predictions],
        "findings": [
            {**asdict(finding), "examples": "; ".join(finding.examples)}
            for finding in swimlane.findings
        ],
        "cores": [core.name for core in swimlane.cores if core.engine not in NOT_A_CORE],
    }
    if swimlane.log:
        args["log"] = [asdict(core) for core in swimlane.log]
    event = writer.event(swimlane.name, "run", args=args, colour_id=RUN)
    writer.slices(layout.ROOT, "run", np.array([0]), np.array([last]), [event])
    return writer.finish()
