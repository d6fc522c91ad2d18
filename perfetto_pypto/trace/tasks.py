"""The tasks' slices: a row for each lane, with all that is known of a task as arguments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TrackEvent

from perfetto_pypto.predict.graph import group
from perfetto_pypto.swimlane.model import HUB, NOT_A_CORE, Core, Int64s, Strings, Swimlane
from perfetto_pypto.trace import layout
from perfetto_pypto.trace.arguments import text_values
from perfetto_pypto.trace.colours import task_colour_id
from perfetto_pypto.trace.encode import Column, beside, cut, fixed64s, joined, tag
from perfetto_pypto.trace.flows import Flows, Ids
from perfetto_pypto.trace.writer import TraceWriter, lanes

#: Predecessors written out as text; the array `deps` always has them all.
_PREDECESSORS_SHOWN = 16

#: Texts of several lines: an array, one line an item.
_LINES = frozenset({"inputs", "outputs"})

#: Numbers that are written even where they are unknown (-1).
_ALWAYS = frozenset({"root_index", "psg_id"})

_Codes = Strings | Int64s


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


def task_texts(swimlane: Swimlane, ids: Sequence[str], names: Sequence[str]) -> list[str]:
    """What people call each task: its id, name and core."""
    cores = [core.name for core in swimlane.cores]
    columns = zip(ids, names, swimlane.tasks.core.tolist(), strict=True)
    return [f"{task} {name} on {cores[core]}" for task, name, core in columns]


def write_tasks(writer: TraceWriter, swimlane: Swimlane, flows: Flows) -> None:
    """Writes the rows of the tasks, hubs and off-core tasks.

    Args:
        writer: gets them.
        swimlane: the run.
        flows: the arrows to draw.
    """
    t = swimlane.tasks
    described = joined(*_Events(writer, swimlane).columns(flows))
    parents = {engine: layout.engine_track(i) for i, engine in enumerate(layout.engines(swimlane))}
    order = np.lexsort((t.end, t.start, t.core))
    bounds = np.searchsorted(t.core[order], np.arange(len(swimlane.cores) + 1))
    for index, core in enumerate(swimlane.cores):
        tasks = order[bounds[index] : bounds[index + 1]]
        if not len(tasks) and core.engine in NOT_A_CORE:
            continue
        parent = parents.get(core.engine, layout.HUBS if core.engine == HUB else layout.OFF_CORE)
        lane_of = lanes(t.start[tasks], t.end[tasks])
        for lane in range(int(lane_of.max(initial=0)) + 1):
            here = tasks[lane_of == lane]
            track = layout.core_track(index, lane)
            writer.track(layout.core_row(track, core, parent))
            what = [described[task] for task in here.tolist()]
            writer.slices(track, category(core), t.start[here], t.end[here], what)


def category(core: Core) -> str:
    """The category of the tasks of a lane."""
    if core.engine == HUB:
        return "hub"
    return "off_core" if core.engine in NOT_A_CORE else "task"


class _Events:
    """Columns of the slices' arguments, the telling ones first."""

    def __init__(self, writer: TraceWriter, swimlane: Swimlane) -> None:
        self._writer = writer
        self._arguments = writer.arguments
        self._swimlane = swimlane
        self._tasks = swimlane.tasks
        self._names = task_names(swimlane)
        # Edges are sorted by consumer: one stretch of `src` a task.
        nodes = np.arange(len(self._tasks) + 1)
        self._bounds = np.searchsorted(swimlane.dependencies.dst, nodes)

    def columns(self, flows: Flows) -> list[Column]:
        """All that is known of the tasks."""
        t, arguments = self._tasks, self._arguments
        ids = task_ids(self._swimlane)
        what: dict[str, _Codes] = {"label": t.label}
        if t.source_line is not None:
            what["source_line"] = t.source_line
        what |= {"inputs": t.inputs, "outputs": t.outputs}
        what |= {"leaf_hash": t.leaf_hash, "root_hash": t.root_hash, "hash_order": t.hash_order}
        identity = {"seq": t.seq, "func": t.func, "op": t.op}
        times = [("dispatch_ns", t.dispatch), ("finish_ns", t.finish)]
        src = self._swimlane.dependencies.src.astype(np.int64)
        return [
            self._heads(),
            arguments.texts("task", text_values(ids)),
            self._shared(what),
            self._predecessors(ids),
            *(arguments.ints(key, column) for key, column in identity.items()),
            self._shared({"root_index": t.root_index, "psg_id": t.psg_id}),
            arguments.ints("call_op_magic", t.call_op_magic, absent=-1),
            arguments.ints("wrap_id", t.wrap_id, absent=-1),
            *(arguments.ints(key, ts, absent=-1) for key, ts in times if ts is not None),
            arguments.ints("id", np.arange(len(t))),
            arguments.int_lists("deps", src, self._bounds),
            arguments.ints("taskId", t.task_id, group="source"),
            self._texts("extra", t.extra),
            self._texts("execution-hint", t.execution_hint),
            _arrows("flow_ids", flows.src, flows.ids, len(t)),
            _arrows("terminating_flow_ids", flows.dst, flows.ids, len(t)),
        ]

    def _heads(self) -> list[bytes]:
        cores = [category(core) for core in self._swimlane.cores]
        kinds = list(
            zip(
                map(cores.__getitem__, self._tasks.core.tolist()),
                self._names,
                self._tasks.subgraphs(),
                strict=True,
            )
        )
        heads = {
            (category, name, subgraph): self._writer.event(
                name, category, colour_id=task_colour_id(subgraph)
            )
            for category, name, subgraph in dict.fromkeys(kinds)
        }
        return [heads[kind] for kind in kinds]

    def _shared(self, columns: dict[str, _Codes]) -> list[bytes]:
        """Arguments that are the same for many tasks, encoded once for each combination."""
        codes = [(c.codes if isinstance(c, Strings) else c).tolist() for c in columns.values()]
        rows = list(zip(*codes, strict=True))
        encoded = {
            row: self._arguments.shared(
                {
                    key: value
                    for (key, column), code in zip(columns.items(), row, strict=True)
                    if (value := _value(key, column, code)) is not None
                }
            )
            for row in dict.fromkeys(rows)
        }
        return [encoded[row] for row in rows]

    def _texts(self, key: str, column: Strings) -> list[bytes]:
        """Texts of the group `source`."""
        encoded = [self._arguments.shared({"source": {key: text}}) for text in column.values]
        encoded.append(b"")  # code -1
        return [encoded[code] for code in column.codes.tolist()]

    def _predecessors(self, ids: Sequence[str]) -> list[bytes]:
        """The first predecessors of each task, for people."""
        counts = np.diff(self._bounds)
        many = np.flatnonzero(counts > _PREDECESSORS_SHOWN)
        texts = task_texts(self._swimlane, ids, self._names)
        more = [f"and {n - _PREDECESSORS_SHOWN} more: see deps" for n in counts[many].tolist()]
        chosen = self._swimlane.dependencies.src.astype(np.int64)
        rank = np.arange(len(chosen)) - np.repeat(self._bounds[:-1], counts)
        chosen[rank == _PREDECESSORS_SHOWN] = len(texts) + np.arange(len(many))
        chosen = chosen[rank <= _PREDECESSORS_SHOWN]
        bounds = np.append(0, np.cumsum(np.minimum(counts, _PREDECESSORS_SHOWN + 1)))
        return self._arguments.text_lists("predecessors", [*texts, *more], chosen, bounds)


def _value(key: str, column: _Codes, code: int) -> object:
    if not isinstance(column, Strings):
        return code if code != -1 or key in _ALWAYS else None
    if code < 0:
        return None
    text = column.values[code]
    return text.split("\n") if key in _LINES else text


def _arrows(field: str, tasks: Ids, ids: Int64s, count: int) -> list[bytes]:
    """The ids of the arrows at each task."""
    of_each, bounds = group(ids, tasks.astype(np.int64), count)
    table = beside(tag(TrackEvent, field), fixed64s(of_each))
    return cut(table.tobytes(), bounds * table.shape[1])
