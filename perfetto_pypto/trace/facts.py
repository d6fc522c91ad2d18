"""Facts: a Swimlane as TracePackets, complete, readable and checkable.

A task's slice carries its facts as arguments; its predecessors' dense ids are the array `deps`,
so the dependency table in SQL is complete whatever the importer makes of the drawn flows. The
run's own facts are arguments of one slice of category `run` on the root track.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict

import numpy as np

from perfetto_pypto.predict import predict
from perfetto_pypto.swimlane.model import HUB, NOT_A_CORE, Int64s, Strings, Swimlane
from perfetto_pypto.trace import layout
from perfetto_pypto.trace.colours import RUN, task_colour_id
from perfetto_pypto.trace.flows import Flows
from perfetto_pypto.trace.writer import Args, Packets, Prepared, TraceWriter, lanes

#: Version of the facts' form; a reader of a newer form must refuse.
SCHEMA = 1

#: Predecessors written out as text; the array `deps` always has them all.
_PREDECESSORS_SHOWN = 16

#: Texts of several lines: an array, one line an item.
_LINES = frozenset({"inputs", "outputs"})

#: Numbers that are written even where they are unknown (-1).
_ALWAYS = frozenset({"seq", "func", "root_index", "psg_id"})

_Column = Strings | Int64s


def write_facts(swimlane: Swimlane, *, flows: Flows, small_task_ns: int) -> Packets:
    """Writes the run's facts.

    Args:
        swimlane: the run.
        flows: the arrows to draw.
        small_task_ns: tasks shorter than this are small; travels with the trace.

    Returns:
        The packets, with the record of what was written.
    """
    writer = TraceWriter(sequence=1)
    _write_groups(writer, swimlane)
    _write_tasks(writer, swimlane, flows)
    _write_sync_events(writer, swimlane)
    _write_pipes(writer, swimlane)
    _write_phases(writer, swimlane)
    _write_counters(writer, swimlane)
    _write_run(writer, swimlane, small_task_ns)
    return writer.finish()


def task_ids(swimlane: Swimlane) -> list[str]:
    """The file's own id of each task, by dense id: `seq-func-op` or its token."""
    t = swimlane.tasks
    if t.token is not None:
        return [t.token.values[code] if code >= 0 else "" for code in t.token.codes.tolist()]
    triples = zip(t.seq.tolist(), t.func.tolist(), t.op.tolist(), strict=True)
    return [f"{seq}-{func}-{op}" for seq, func, op in triples]


def task_names(swimlane: Swimlane) -> list[str]:
    """The slice name of each task: its semantic label, else its subgraph's number."""
    t = swimlane.tasks
    labels, roots, psgs = t.label, t.root_index.tolist(), t.psg_id.tolist()
    hubs = {i for i, core in enumerate(swimlane.cores) if core.engine == HUB}
    return [
        labels.values[code] if code >= 0 else "hub" if core in hubs else f"subgraph {root}-{psg}"
        for code, core, root, psg in zip(
            labels.codes.tolist(), t.core.tolist(), roots, psgs, strict=True
        )
    ]


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


def _write_tasks(writer: TraceWriter, swimlane: Swimlane, flows: Flows) -> None:
    t = swimlane.tasks
    names, ids = task_names(swimlane), task_ids(swimlane)
    parents = {engine: layout.engine_track(i) for i, engine in enumerate(layout.engines(swimlane))}
    start, end = t.start.tolist(), t.end.tolist()
    of_core: dict[int, list[int]] = defaultdict(list)
    for task, core in enumerate(t.core.tolist()):
        of_core[core].append(task)
    arguments = _TaskArgs(writer, swimlane, names, ids)
    subgraphs = t.subgraphs()
    for index, core in enumerate(swimlane.cores):
        tasks = of_core[index]
        if not tasks and core.engine in NOT_A_CORE:
            continue
        category = {HUB: "hub"}.get(
            core.engine, "off_core" if core.engine in NOT_A_CORE else "task"
        )
        parent = parents.get(core.engine, layout.HUBS if core.engine == HUB else layout.OFF_CORE)
        spans = layout.by_start([start[i] for i in tasks], [end[i] for i in tasks], tasks)
        lane_of = lanes((s, e) for s, e, _ in spans)
        by_lane: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for span, lane in zip(spans, lane_of, strict=True):
            by_lane[lane].append(span)
        for lane in range(max(len(by_lane), 1)):
            track = layout.core_track(index, lane)
            writer.track(layout.row(track, core.name, core.number, parent, core.name))
            for s, e, task in by_lane[lane]:
                writer.slice(
                    track,
                    s,
                    e,
                    names[task],
                    category,
                    args=arguments.of(task),
                    colour_id=task_colour_id(subgraphs[task]),
                    flows_out=flows.out_of.get(task, ()),
                    flows_in=flows.into.get(task, ()),
                )


class _Shared:
    """Arguments that are the same for many tasks, prepared once for each combination."""

    def __init__(self, writer: TraceWriter, columns: dict[str, _Column]) -> None:
        self._writer = writer
        self._columns = columns
        codes = [(c.codes if isinstance(c, Strings) else c).tolist() for c in columns.values()]
        self._rows = list(zip(*codes, strict=True))
        self._prepared: dict[tuple[int, ...], Prepared] = {}

    def of(self, task: int) -> Prepared:
        row = self._rows[task]
        found = self._prepared.get(row)
        if found is None:
            found = self._prepared[row] = self._writer.prepare(dict(self._args(row)))
        return found

    def _args(self, row: tuple[int, ...]) -> Iterator[tuple[str, object]]:
        for (key, column), code in zip(self._columns.items(), row, strict=True):
            if not isinstance(column, Strings):
                if code != -1 or key in _ALWAYS:
                    yield key, code
            elif code >= 0:
                text = column.values[code]
                yield key, text.split("\n") if key in _LINES else text


class _TaskArgs:
    """Builds the arguments of each task's slice, the telling ones first."""

    def __init__(
        self, writer: TraceWriter, swimlane: Swimlane, names: Sequence[str], ids: Sequence[str]
    ) -> None:
        t = swimlane.tasks
        self._ids = ids
        core_names = [core.name for core in swimlane.cores]
        self._texts = [
            f"{task} {name} on {core_names[core]}"
            for task, name, core in zip(ids, names, t.core.tolist(), strict=True)
        ]
        what: dict[str, _Column] = {"label": t.label}
        if t.source_line is not None:
            what["source_line"] = t.source_line
        what |= {"inputs": t.inputs, "outputs": t.outputs}
        what |= {"leaf_hash": t.leaf_hash, "root_hash": t.root_hash, "hash_order": t.hash_order}
        self._what = _Shared(writer, what)
        self._where = _Shared(
            writer,
            {
                "root_index": t.root_index,
                "psg_id": t.psg_id,
                "call_op_magic": t.call_op_magic,
                "wrap_id": t.wrap_id,
            },
        )
        self._hint = [
            writer.prepare({"source": {"execution-hint": hint}}) for hint in t.execution_hint.values
        ]
        self._hint_of = t.execution_hint.codes.tolist()
        self._function = _Shared(writer, {"seq": t.seq, "func": t.func})
        self._op = t.op.tolist()
        self._times = {
            key: times.tolist()
            for key, times in (("dispatch_ns", t.dispatch), ("finish_ns", t.finish))
            if times is not None
        }
        self._task_id = t.task_id.tolist()
        self._extra = t.extra
        # Edges are sorted by consumer: one slice of `src` a task.
        bounds = np.searchsorted(swimlane.dependencies.dst, np.arange(len(t) + 1))
        self._bounds = bounds.tolist()
        self._src = swimlane.dependencies.src.tolist()

    def of(self, task: int) -> list[Args | Prepared]:
        deps = self._src[self._bounds[task] : self._bounds[task + 1]]
        rest: dict[str, object] = {
            key: times[task] for key, times in self._times.items() if times[task] != -1
        }
        rest["id"] = task
        if deps:
            shown = [self._texts[src] for src in deps[:_PREDECESSORS_SHOWN]]
            if len(deps) > len(shown):
                shown.append(f"and {len(deps) - len(shown)} more: see deps")
            rest["deps"] = deps
        source: dict[str, object] = {"taskId": self._task_id[task]}
        if (extra := self._extra[task]) is not None:
            source["extra"] = extra
        rest["source"] = source
        parts: list[Args | Prepared] = [
            {"task": self._ids[task]},
            self._what.of(task),
            {"predecessors": shown} if deps else {},
            self._function.of(task),
            {"op": self._op[task]},
            self._where.of(task),
            rest,
        ]
        if (hint := self._hint_of[task]) >= 0:
            parts.append(self._hint[hint])
        return parts


def _write_sync_events(writer: TraceWriter, swimlane: Swimlane) -> None:
    sync = swimlane.sync_events
    by_core: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    core_of = swimlane.tasks.core.tolist()
    for event, (task, ts) in enumerate(zip(sync.task.tolist(), sync.ts.tolist(), strict=True)):
        by_core[core_of[task]].append((ts, ts, event))
    parents = {engine: layout.engine_track(i) for i, engine in enumerate(layout.engines(swimlane))}
    ids = task_ids(swimlane)
    for index, events in sorted(by_core.items()):
        core = swimlane.cores[index]
        # A lane of its own: among the tasks an event at a task's end would bend the nesting.
        track = layout.core_track(index, layout.SYNC_LANE)
        parent = parents.get(core.engine, layout.OFF_CORE)
        writer.track(layout.row(track, core.name, core.number, parent, core.name))
        for ts, _, event in sorted(events):
            writer.slice(
                track,
                ts,
                ts,
                sync.type[event] or "sync",
                "sync",
                args={"task": ids[sync.task[event]], "event_id": int(sync.event_id[event])},
            )


def _write_pipes(writer: TraceWriter, swimlane: Swimlane) -> None:
    """Pipes as rows below their core's."""
    spans = swimlane.pipe_spans
    start, end = spans.start.tolist(), spans.end.tolist()
    by_pipe: dict[tuple[int, int], list[int]] = defaultdict(list)
    for span, key in enumerate(zip(spans.core.tolist(), spans.pipe.codes.tolist(), strict=True)):
        by_pipe[key].append(span)
    for (index, code), members in sorted(by_pipe.items()):
        core, pipe = swimlane.cores[index].name, spans.pipe.values[code]
        rows = layout.by_start([start[i] for i in members], [end[i] for i in members], members)
        lane_of = lanes((s, e) for s, e, _ in rows)
        for lane in range(max(lane_of) + 1):
            track = layout.pipe_track(index, code, lane)
            parent = layout.core_track(index)
            writer.track(layout.row(track, pipe, layout.pipe_rank(pipe), parent, pipe))
        for (s, e, span), lane in zip(rows, lane_of, strict=True):
            args: dict[str, object] = {"core": core}
            if (text := spans.tile_op[span]) is not None:
                args["tile_op"] = text
            name = spans.name[span] or "operation"
            writer.slice(layout.pipe_track(index, code, lane), s, e, name, "pipe", args=args)


def _write_phases(writer: TraceWriter, swimlane: Swimlane) -> None:
    phases = swimlane.phases
    if not len(phases):
        return
    writer.track(layout.group(layout.AICPU, "AICPU", layout.AICPU_RANK))
    start, end = phases.start.tolist(), phases.end.tolist()
    by_thread: dict[int, list[int]] = defaultdict(list)
    for phase, code in enumerate(phases.thread.codes.tolist()):
        by_thread[code].append(phase)
    parts = {code: _aicpu_part(phases.thread.values[code]) for code in by_thread}
    for part in sorted(set(parts.values())):
        name = layout.AICPU_PARTS[part]
        writer.track(layout.group(layout.aicpu_part_track(part), name, part, layout.AICPU))
    for code, members in by_thread.items():
        thread = phases.thread.values[code]
        parent = layout.aicpu_part_track(parts[code])
        spans = layout.by_start([start[i] for i in members], [end[i] for i in members], members)
        lane_of = lanes((s, e) for s, e, _ in spans)
        for lane in range(max(lane_of) + 1):
            track = layout.thread_track(code, lane)
            writer.track(layout.row(track, thread, code, parent, thread))
        for (s, e, phase), lane in zip(spans, lane_of, strict=True):
            args: dict[str, object] = {"round": int(phases.round[phase])}
            if phases.dev_task[phase] >= 0:
                args["dev_task"] = int(phases.dev_task[phase])
            track = layout.thread_track(code, lane)
            writer.slice(track, s, e, phases.name[phase] or "phase", "aicpu", args=args)


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
        for ts, value in zip(counter.ts.tolist(), counter.value.tolist(), strict=True):
            writer.counter(track, ts, value)


def _write_run(writer: TraceWriter, swimlane: Swimlane, small_task_ns: int) -> None:
    source = swimlane.source
    t = swimlane.tasks
    ends = (t.end, swimlane.phases.end, swimlane.pipe_spans.end)
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
        "slice_count": writer.slice_count + 1,
        "counter_count": writer.counter_values,
        "present": dict(swimlane.present),
        "predictions": [asdict(prediction) for prediction in predict(swimlane, small_task_ns)],
        "findings": [
            {**asdict(finding), "examples": "; ".join(finding.examples)}
            for finding in swimlane.findings
        ],
        "cores": [core.name for core in swimlane.cores if core.engine not in NOT_A_CORE],
    }
    writer.slice(layout.ROOT, 0, last, swimlane.name, "run", args=args, colour_id=RUN)
