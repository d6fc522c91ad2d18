"""Overlay: what the SQL pack found, drawn beside the facts.

Bubbles, engine states, the observed critical path and the counters come from the pack's own
tables, so what the eye sees and what the metrics say can't differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

import numpy as np
from perfetto.trace_processor import TraceProcessor

from perfetto_pypto.engine import query_columns
from perfetto_pypto.swimlane.model import Int64s, Swimlane
from perfetto_pypto.trace import layout
from perfetto_pypto.trace.arguments import Args
from perfetto_pypto.trace.colours import (
    BUSY,
    DEPENDENCY_WAIT,
    NO_MORE_WORK,
    RUN,
    SCHEDULING_WAIT,
    task_colour_id,
)
from perfetto_pypto.trace.encode import joined
from perfetto_pypto.trace.tasks import task_ids, task_names, task_texts
from perfetto_pypto.trace.writer import Packets, TraceWriter

#: Cause of a bubble -> (slice name, colour); the telling word comes first.
BUBBLES = {
    "wait_predecessor": ("dependency wait", DEPENDENCY_WAIT),
    "wait_schedule": ("scheduling wait", SCHEDULING_WAIT),
    "startup_predecessor": ("dependency wait, start-up", DEPENDENCY_WAIT),
    "startup_schedule": ("scheduling wait, start-up", SCHEDULING_WAIT),
    "tail": ("no more work", NO_MORE_WORK),
    "idle": ("no work at all", NO_MORE_WORK),
}

#: State of an engine -> (words, colour).
STATES = {
    "busy": ("busy", BUSY),
    "starved": ("scheduling wait", SCHEDULING_WAIT),
    "blocked": ("dependency wait", DEPENDENCY_WAIT),
    "drained": ("no more work", NO_MORE_WORK),
}

#: Kind of a gap on the critical path -> (words, colour).
GAPS = {
    "data_wait": ("scheduling wait after its data", SCHEDULING_WAIT),
    "core_wait": ("scheduling wait after its core", SCHEDULING_WAIT),
    "front": ("start-up", SCHEDULING_WAIT),
}


def write_overlay(swimlane: Swimlane, tp: TraceProcessor) -> Packets:
    """Draws the pack's tables for a run whose facts ``tp`` holds.

    Returns:
        Packets to be appended to the facts.
    """
    writer = TraceWriter(sequence=2)
    # Rows are declared again where this sequence draws on the facts' tracks: names for the record.
    _write_summary(writer, swimlane, tp)
    _write_bubbles(writer, swimlane, tp)
    _write_critical_path(writer, swimlane, tp)
    for index, engine in enumerate(layout.engines(swimlane)):
        _write_engine(writer, tp, index, engine, swimlane.source.core_counts[engine])
    return writer.finish()


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


def _write_summary(writer: TraceWriter, swimlane: Swimlane, tp: TraceProcessor) -> None:
    """The run in one line, below its name: how long, how busy, how far from the best."""
    rows = query_columns(
        tp,
        """
        INCLUDE PERFETTO MODULE pypto.summary;
        INCLUDE PERFETTO MODULE pypto.engine;
        SELECT s.ts, s.dur, e.utilization, coalesce(r.lower_bound, 0) AS lower_bound,
          coalesce(r.headroom, 0) AS headroom
        FROM pypto_span AS s JOIN pypto_run_stats AS r JOIN pypto_engine_stats AS e
        WHERE e.engine = 'all' AND s.dur > 0
        """,
    )
    writer.track(layout.root_descriptor(swimlane.name))
    for ts, dur, utilization, lower_bound, headroom in _rows(rows):
        name = f"{dur / 1e3:,.2f} µs · cores {utilization:.1%} busy"
        if lower_bound > 0:
            name += f" · no schedule is faster than {lower_bound / 1e3:,.2f} µs ({headroom:.2f}x)"
        # Inside the run's own slice, which begins no later and ends no earlier.
        start, end = np.array([ts]), np.array([ts + dur])
        event = writer.event(name, "summary", colour_id=RUN)
        writer.slices(layout.ROOT, "summary", start, end, [event])


def _write_bubbles(writer: TraceWriter, swimlane: Swimlane, tp: TraceProcessor) -> None:
    columns = query_columns(
        tp,
        """
        INCLUDE PERFETTO MODULE pypto.core;
        SELECT core, ts, ts + dur AS end_ts, cause, coalesce(next_id, -1) AS next_id,
          coalesce(blocked_by, -1) AS blocked_by
        FROM pypto_bubble ORDER BY core, ts
        """,
    )
    kinds = {
        cause: writer.event(name, "bubble", args={"cause": cause}, colour_id=colour)
        for cause, (name, colour) in BUBBLES.items()
    }
    # By dense id; id -1 is the last.
    texts = [*task_texts(swimlane, task_ids(swimlane), task_names(swimlane)), ""]
    tasks = {
        key: [texts[task] for task in np.asarray(columns[key]).tolist()]
        for key in ("next_id", "blocked_by")
    }
    events = joined(
        [kinds[cause] for cause in columns["cause"]],
        writer.arguments.texts("next_task", tasks["next_id"]),
        writer.arguments.texts("last_predecessor", tasks["blocked_by"]),
    )
    parents = {engine: layout.engine_track(i) for i, engine in enumerate(layout.engines(swimlane))}
    cores = {core.name: i for i, core in enumerate(swimlane.cores)}
    start, end = np.asarray(columns["ts"]), np.asarray(columns["end_ts"])
    first = 0
    for name, group in groupby(columns["core"]):
        here = slice(first, first := first + len(list(group)))
        core = swimlane.cores[cores[name]]
        track = layout.core_track(cores[name], layout.BUBBLE_LANE)
        writer.track(layout.row(track, name, core.number, parents[core.engine], name))
        writer.slices(track, "bubble", start[here], end[here], events[here])


def _write_critical_path(writer: TraceWriter, swimlane: Swimlane, tp: TraceProcessor) -> None:
    rows = query_columns(
        tp,
        """
        INCLUDE PERFETTO MODULE pypto.critical_path;
        SELECT p.step, p.id, p.name, p.core, p.ts, p.dur, p.gap_kind, p.gap_ts, p.gap_dur,
          t.subgraph
        FROM pypto_critical_path AS p JOIN pypto_task AS t USING (id) ORDER BY p.step
        """,
    )
    writer.track(
        layout.row(
            layout.CRITICAL_PATH,
            "Critical path",
            layout.CRITICAL_PATH_RANK,
            layout.ROOT,
            "critical path",
        )
    )
    ids = task_ids(swimlane)
    events, categories, times = [], [], []
    for step, task, name, core, ts, dur, kind, gap_ts, gap_dur, subgraph in _rows(rows):
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


def _write_engine(
    writer: TraceWriter, tp: TraceProcessor, index: int, engine: str, cores: int
) -> None:
    rank = layout.engine_rank(index)
    group = layout.engine_track(index)
    writer.track(layout.group(group, f"{engine} cores ({cores})", rank + 2))
    states = query_columns(
        tp,
        f"""
        INCLUDE PERFETTO MODULE pypto.engine;
        SELECT ts, dur, state, busy, starved, blocked, drained
        FROM pypto_engine_state WHERE engine = '{engine}' ORDER BY ts
        """,
    )
    tasks = query_columns(tp, f"SELECT count() AS n FROM pypto_task WHERE engine = '{engine}'")
    ran = int(tasks["n"][0]) > 0
    events = []
    for _, dur, state, *parts in _rows(states):
        words, colour = STATES[state]
        share = dict(zip(STATES, (100 * part / (cores * dur) for part in parts), strict=True))
        name = f"{words} {share[state]:.0f}%"
        if not ran:
            name = "no work at all"
        elif state != "busy":
            name += f" · busy {share['busy']:.0f}%"
        args: Args = {
            "busy": f"{share['busy']:.1f} %",
            "scheduling wait": f"{share['starved']:.1f} %",
            "dependency wait": f"{share['blocked']:.1f} %",
            "no more work": f"{share['drained']:.1f} %",
            "core_ns": dict(zip(STATES, parts, strict=True)),
        }
        events.append(writer.event(name, "engine_state", args=args, colour_id=colour))
    start = np.asarray(states["ts"])
    writer.slices(group, "engine_state", start, start + np.asarray(states["dur"]), events)
    if ran:
        _write_profile(writer, tp, index, engine, cores)


def _write_profile(
    writer: TraceWriter, tp: TraceProcessor, index: int, engine: str, cores: int
) -> None:
    """Running cores and ready tasks; no rows for an engine that only stands by."""
    rank = layout.engine_rank(index)
    # The scale ends at the highest value: how many cores there are must stand beside it.
    unit = f"cores ({cores} in all)"
    running, ready = layout.running_track(index), layout.ready_track(index)
    writer.track(layout.counter(running, f"Running {engine}", rank, unit, f"running {engine}"))
    writer.track(layout.counter(ready, f"Ready {engine}", rank + 1, "tasks", f"ready {engine}"))
    profile = query_columns(
        tp,
        f"""
        INCLUDE PERFETTO MODULE pypto.engine;
        SELECT ts, running, ready FROM pypto_engine_profile WHERE engine = '{engine}' ORDER BY ts
        """,
    )
    ts = np.asarray(profile["ts"])
    for track, column in ((running, "running"), (ready, "ready")):
        values = np.asarray(profile[column])
        changes = np.flatnonzero(np.diff(values, prepend=-1))
        writer.counter(track, ts[changes], values[changes])


def _rows(columns: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    lists = [c.tolist() if hasattr(c, "tolist") else c for c in columns.values()]
    return list(zip(*lists, strict=True))
