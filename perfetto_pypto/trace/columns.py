"""Tasks and their dependencies for the SQL pack alone: as columns, without slices.

An engine takes 7 µs to load a task's slice and its arguments, and 4 µs to put its facts into a
table; an item of a JSON array takes 0.2 µs. `pypto.node` reads either form.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np

from perfetto_pypto.swimlane.model import Int64s, Swimlane
from perfetto_pypto.trace import layout
from perfetto_pypto.trace.arguments import Args
from perfetto_pypto.trace.interned import whole
from perfetto_pypto.trace.tasks import category, task_ids, task_names
from perfetto_pypto.trace.writer import TraceWriter


def write_columns(writer: TraceWriter, swimlane: Swimlane) -> None:
    """Writes the tasks, hubs, off-core tasks and dependencies as arguments of one slice."""
    t, edges = swimlane.tasks, swimlane.dependencies
    traits: dict[tuple[int, str, str, int], int] = {}
    alike = zip(
        t.core.tolist(), task_names(swimlane), t.subgraphs(), t.label.codes.tolist(), strict=True
    )
    trait = [traits.setdefault(one, len(traits)) for one in alike]
    cores = [(category(core), whole(core.name)) for core in swimlane.cores]
    labels = [*map(whole, t.label.values), None]  # code -1 is the last
    args: Args = {
        "start": _column(t.start.tolist()),
        "end": _column(t.end.tolist()),
        "seq": _column(t.seq.tolist()),
        "func": _column(t.func.tolist()),
        "op": _column(t.op.tolist()),
        "trait": _column(trait),
        "traits": _column(
            [*cores[core], whole(name), whole(subgraph), labels[label]]
            for core, name, subgraph, label in traits
        ),
        "edges": _column((edges.dst.astype(np.int64) << 32 | edges.src).tolist()),
    }
    if t.token is not None:
        args["task"] = _column(task_ids(swimlane))
    if t.dispatch is not None:
        args["dispatch_ns"] = _column(_known(t.dispatch))
    if t.finish is not None:
        args["finish_ns"] = _column(_known(t.finish))
    for index in np.unique(swimlane.pipe_spans.core).tolist():  # rows of pipes lie below these
        core = swimlane.cores[index]
        track = layout.core_track(index)
        writer.track(layout.core_row(track, core, layout.ROOT))
    writer.track(layout.row(layout.COLUMNS, "columns", 0, layout.ROOT, "columns"))
    now = np.zeros(1, dtype=np.int64)
    writer.slices(
        layout.COLUMNS, "columns", now, now, [writer.event("columns", "columns", args=args)]
    )


def _known(times: Int64s) -> list[int | None]:
    return [None if time == -1 else time for time in times.tolist()]


def _column(items: Iterable[object]) -> str:
    return msgspec.json.encode(list(items)).decode()
