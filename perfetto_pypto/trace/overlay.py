"""Overlay: what the SQL pack found, drawn beside the facts.

Bubbles, engine states, the observed critical path and the counters come from the pack's own
tables, so what the eye sees and what the metrics say can't differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from perfetto.trace_processor import TraceProcessor

from perfetto_pypto.alongside import on_thread
from perfetto_pypto.engine import query_columns
from perfetto_pypto.swimlane.model import Int64s, Swimlane
from perfetto_pypto.trace import layout
from perfetto_pypto.trace.arguments import Args, text_values
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


#: A query's result.
_Columns = Mapping[str, Any]


def write_overlay(swimlane: Swimlane, tp: TraceProcessor) -> Packets:
    """Draws the pack's tables for a run whose facts ``tp`` holds.

    Returns:
        Packets to be appended to the facts.
    """
    writer = TraceWriter(sequence=2)
    ids = task_ids(swimlane)
    # Most of what is drawn is bubbles: they are written while the engine finds the rest.
    bubbles = _bubbles(tp)
    drawn = on_thread(lambda: _write_bubbles(writer, swimlane, ids, bubbles))
    summary, path = _summary(tp), _critical_path(tp)
    found = {
        engine: (_states(tp, engine), _profile(tp, engine)) for engine in layout.engines(swimlane)
    }
    drawn.result()
    # Rows are declared again where this sequence draws on the facts' tracks: names for the record.
    _write_summary(writer, swimlane, summary)
    _write_critical_path(writer, ids, path)
    for index, (engine, (states, profile)) in enumerate(found.items()):
        cores = swimlane.source.core_counts[engine]
        _write_states(writer, index, engine, cores, states, ran=profile is not None)
        if profile is not None:
            _write_profile(writer, index, engine, cores, profile)
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


def _summary(tp: TraceProcessor) -> _Columns:
    return query_columns(
        tp,
        """
        INCLUDE PERFETTO MODULE pypto.critical_path;
        INCLUDE PERFETTO MODULE pypto.engine_profile;
        SELECT s.ts, s.dur, e.utilization, coalesce(b.lower_bound, 0) AS lower_bound,
          coalesce(b.headroom, 0) AS headroom
        FROM pypto_span AS s JOIN _pypto_bound AS b JOIN _pypto_engine_total AS e
        WHERE e.grp = 'all' AND s.dur > 0
        """,
    )


def _write_summary(writer: TraceWriter, swimlane: Swimlane, summary: _Columns) -> None:
    """The run in one line, below its name: how long, how busy, how far from the best."""
    writer.track(layout.root_descriptor(swimlane.name))
    for ts, dur, utilization, lower_bound, headroom in _rows(summary):
        name = f"{dur / 1e3:,.2f} µs · cores {utilization:.1%} busy"
        if lower_bound > 0:
            name += f" · no schedule is faster than {lower_bound / 1e3:,.2f} µs ({headroom:.2f}x)"
        # Inside the run's own slice, which begins no later and ends no earlier.
        start, end = np.array([ts]), np.array([ts + dur])
        event = writer.event(name, "summary", colour_id=RUN)
        writer.slices(layout.ROOT, "summary", start, end, [event])


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
        writer.track(layout.row(track, name, core.number, parents[core.engine], name))
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
    for step, task, name, core, ts, dur, kind, gap_ts, gap_dur, subgraph in _rows(path):
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


def _states(tp: TraceProcessor, engine: str) -> _Columns:
    return query_columns(
        tp,
        f"""
        INCLUDE PERFETTO MODULE pypto.engine_profile;
        SELECT ts, dur, state, busy, starved, blocked, drained
        FROM pypto_engine_state WHERE engine = '{engine}' ORDER BY ts
        """,
    )


def _write_states(
    writer: TraceWriter, index: int, engine: str, cores: int, states: _Columns, *, ran: bool
) -> None:
    group = layout.engine_track(index)
    rank = layout.engine_rank(index) + 2
    writer.track(layout.group(group, f"{engine} cores ({cores})", rank))
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


def _profile(tp: TraceProcessor, engine: str) -> _Columns | None:
    """Running cores and ready tasks; none for an engine that only stands by."""
    tasks = query_columns(tp, f"SELECT count() AS n FROM pypto_task WHERE engine = '{engine}'")
    if not int(tasks["n"][0]):
        return None
    return query_columns(
        tp,
        f"""
        INCLUDE PERFETTO MODULE pypto.engine_profile;
        SELECT ts, running, ready FROM pypto_engine_profile WHERE engine = '{engine}' ORDER BY ts
        """,
    )


def _write_profile(
    writer: TraceWriter, index: int, engine: str, cores: int, profile: _Columns
) -> None:
    rank = layout.engine_rank(index)
    # The scale ends at the highest value: how many cores there are must stand beside it.
    unit = f"cores ({cores} in all)"
    running, ready = layout.running_track(index), layout.ready_track(index)
    writer.track(layout.counter(running, f"Running {engine}", rank, unit, f"running {engine}"))
    writer.track(layout.counter(ready, f"Ready {engine}", rank + 1, "tasks", f"ready {engine}"))
    ts = np.asarray(profile["ts"])
    for track, column in ((running, "running"), (ready, "ready")):
        values = np.asarray(profile[column])
        changes = np.flatnonzero(np.diff(values, prepend=-1))
        writer.counter(track, ts[changes], values[changes])


def _rows(columns: _Columns) -> list[tuple[Any, ...]]:
    lists = [c.tolist() if hasattr(c, "tolist") else c for c in columns.values()]
    return list(zip(*lists, strict=True))
