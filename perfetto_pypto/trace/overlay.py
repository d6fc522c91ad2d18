"""Overlay: what the SQL pack found, drawn beside the facts.

Bubbles, engine states, the observed critical path and the counters come from the pack's own
tables, so what the eye sees and what the metrics say can't differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from perfetto.trace_processor import TraceProcessor

from perfetto_pypto.alongside import MANY_TASKS, Forked, on_thread
from perfetto_pypto.engine import is_in_process, query_columns
from perfetto_pypto.engine.columns import rows
from perfetto_pypto.swimlane.model import Int64s, Swimlane
from perfetto_pypto.trace import layout
from perfetto_pypto.trace.arguments import Args, text_values
from perfetto_pypto.trace.colours import (
    DEPENDENCY_WAIT,
    NO_MORE_WORK,
    RUN,
    SCHEDULING_WAIT,
    task_colour_id,
)
from perfetto_pypto.trace.encode import joined
from perfetto_pypto.trace.engines import write_engines
from perfetto_pypto.trace.tasks import task_ids, task_names, task_texts
from perfetto_pypto.trace.writer import Packets, Part, TraceWriter

#: Cause of a bubble -> (slice name, colour); the telling word comes first.
BUBBLES = {
    "wait_predecessor": ("dependency wait", DEPENDENCY_WAIT),
    "wait_schedule": ("scheduling wait", SCHEDULING_WAIT),
    "startup_predecessor": ("dependency wait, start-up", DEPENDENCY_WAIT),
    "startup_schedule": ("scheduling wait, start-up", SCHEDULING_WAIT),
    "tail": ("no more work", NO_MORE_WORK),
    "idle": ("no work at all", NO_MORE_WORK),
}

#: Kind of a gap on the critical path -> (words, colour).
GAPS = {
    "data_wait": ("scheduling wait after its data", SCHEDULING_WAIT),
    "core_wait": ("scheduling wait after its core", SCHEDULING_WAIT),
    "front": ("start-up", SCHEDULING_WAIT),
}

#: What `write_engines` returns, once it is there.
Engines = Forked[tuple[Packets, float | None]]

#: A query's result.
_Columns = Mapping[str, Any]


def find_shared(tp: TraceProcessor) -> None:
    """Finds what the whole overlay needs: a copy of the engine then has it, too."""
    query_columns(tp, "INCLUDE PERFETTO MODULE pypto.core_step")


def begin_engines(swimlane: Swimlane, tp: TraceProcessor) -> Engines:
    """Begins to draw the engines, of a large run on another core."""
    large = len(swimlane.tasks) >= MANY_TASKS and is_in_process(tp)
    return Forked(lambda: write_engines(swimlane, tp), worth=large)


def write_overlay(swimlane: Swimlane, tp: TraceProcessor, engines: Engines) -> Iterator[Packets]:
    """Draws the pack's tables for a run whose facts ``tp`` holds.

    Yields:
        Packets to be appended to the facts.
    """
    writer = TraceWriter(Part.OVERLAY)
    ids = task_ids(swimlane)
    # Most of what is drawn here is bubbles: they are written while the engine finds the rest.
    bubbles = _bubbles(tp)
    drawn = on_thread(lambda: _write_bubbles(writer, swimlane, ids, bubbles))
    summary, path = _summary(tp), _critical_path(tp)
    drawn.result()
    _write_critical_path(writer, ids, path)
    yield writer.finish()
    states, utilization = engines.result()
    yield states
    yield _write_summary(swimlane, summary, utilization)


def critical_edges(tp: TraceProcessor) -> tuple[Int64s, Int64s]:
    """Returns the dependencies along the observed path: producers and consumers (dense ids)."""
    columns = query_columns(
        tp,
        """
        INCLUDE PERFETTO MODULE pypto.critical_path;
        SELECT before.id AS src, p.id AS dst
        FROM pypto_critical_path AS p
        JOIN pypto_critical_path AS before ON before.step = p.step - 1
        WHERE p.gap_kind = 'data_wait' ORDER BY p.step
        """,
    )
    edges = np.array([columns["src"], columns["dst"]], dtype=np.int64)
    return edges[0], edges[1]


def _summary(tp: TraceProcessor) -> _Columns:
    return query_columns(
        tp,
        """
        INCLUDE PERFETTO MODULE pypto.critical_path;
        SELECT s.ts, s.dur, coalesce(b.lower_bound, 0) AS lower_bound,
          coalesce(b.headroom, 0) AS headroom
        FROM pypto_span AS s JOIN _pypto_bound AS b
        WHERE s.dur > 0
        """,
    )


def _write_summary(swimlane: Swimlane, summary: _Columns, utilization: float | None) -> Packets:
    """The run in one line, below its name: how long, how busy, how far from the best."""
    writer = TraceWriter(Part.SUMMARY)
    # Declared again where this sequence draws on the facts' track: its name for the record.
    writer.track(layout.root_descriptor(swimlane.name))
    for ts, dur, lower_bound, headroom in rows(summary) if utilization is not None else ():
        name = f"{dur / 1e3:,.2f} µs · cores {utilization:.1%} busy"
        if lower_bound > 0:
            name += f" · no schedule is faster than {lower_bound / 1e3:,.2f} µs ({headroom:.2f}x)"
        # Inside the run's own slice, which begins no later and ends no earlier.
        start, end = np.array([ts]), np.array([ts + dur])
        event = writer.event(name, "summary", colour_id=RUN)
        writer.slices(layout.ROOT, "summary", start, end, [event])
    return writer.finish()


def _bubbles(tp: TraceProcessor) -> _Columns:
    return query_columns(
        tp,
        """
        INCLUDE PERFETTO MODULE pypto.core;
        SELECT core, ts, ts + dur AS end_ts, cause, coalesce(next_id, -1) AS next_id,
          coalesce(blocked_by, -1) AS blocked_by
        FROM pypto_bubble ORDER BY core, ts
        """,
    )


def _write_bubbles(
    writer: TraceWriter, swimlane: Swimlane, ids: Sequence[str], bubbles: _Columns
) -> None:
    kinds = {
        cause: writer.event(name, "bubble", args={"cause": cause}, colour_id=colour)
        for cause, (name, colour) in BUBBLES.items()
    }
    # By dense id; id -1 is the last.
    texts = text_values([*task_texts(swimlane, ids, task_names(swimlane)), ""])
    next_task = map(texts.__getitem__, np.asarray(bubbles["next_id"]).tolist())
    last_predecessor = map(texts.__getitem__, np.asarray(bubbles["blocked_by"]).tolist())
    events = joined(
        [kinds[cause] for cause in bubbles["cause"]],
        writer.arguments.texts("next_task", next_task),
        writer.arguments.texts("last_predecessor", last_predecessor),
    )
    parents = {engine: layout.engine_track(i) for i, engine in enumerate(layout.engines(swimlane))}
    cores = {core.name: i for i, core in enumerate(swimlane.cores)}
    start, end = np.asarray(bubbles["ts"]), np.asarray(bubbles["end_ts"])
    first = 0
    for name, group in groupby(bubbles["core"]):
        here = slice(first, first := first + len(list(group)))
        core = swimlane.cores[cores[name]]
        track = layout.core_track(cores[name], layout.BUBBLE_LANE)
        writer.track(layout.core_row(track, core, parents[core.engine]))
        writer.slices(track, "bubble", start[here], end[here], events[here])


def _critical_path(tp: TraceProcessor) -> _Columns:
    return query_columns(
        tp,
        """
        INCLUDE PERFETTO MODULE pypto.critical_path;
        SELECT p.step, p.id, p.name, p.core, p.ts, p.dur, p.gap_kind, p.gap_ts, p.gap_dur,
          t.subgraph
        FROM pypto_critical_path AS p JOIN pypto_task AS t USING (id) ORDER BY p.step
        """,
    )


def _write_critical_path(writer: TraceWriter, ids: Sequence[str], path: _Columns) -> None:
    writer.track(
        layout.row(
            layout.CRITICAL_PATH,
            "Critical path",
            layout.CRITICAL_PATH_RANK,
            layout.ROOT,
            "critical path",
        )
    )
    events, categories, times = [], [], []
    for step, task, name, core, ts, dur, kind, gap_ts, gap_dur, subgraph in rows(path):
        if gap_dur > 0:
            words, colour = GAPS[kind]
            args: Args = {"kind": kind, "next_task": f"{ids[task]} {name} on {core}"}
            categories.append("critical_path_gap")
            events.append(writer.event(words, categories[-1], args=args, colour_id=colour))
            times.append((gap_ts, gap_ts + gap_dur))
        args = {"task": ids[task], "core": core, "step": step}
        categories.append("critical_path")
        colour = task_colour_id(subgraph)
        events.append(writer.event(name, categories[-1], args=args, colour_id=colour))
        times.append((ts, ts + dur))
    start, end = np.array(times, dtype=np.int64).reshape(-1, 2).T
    writer.slices(layout.CRITICAL_PATH, categories, start, end, events)
