"""Overlay of the engines: what their cores did, stretch by stretch, and their counters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from perfetto.trace_processor import TraceProcessor

from perfetto_pypto.engine import query_columns
from perfetto_pypto.engine.columns import rows
from perfetto_pypto.swimlane.model import Swimlane
from perfetto_pypto.trace import layout
from perfetto_pypto.trace.arguments import Args
from perfetto_pypto.trace.colours import BUSY, DEPENDENCY_WAIT, NO_MORE_WORK, SCHEDULING_WAIT
from perfetto_pypto.trace.writer import Packets, Part, TraceWriter

#: A query's result.
_Columns = Mapping[str, Any]

#: State of an engine -> (words, colour).
STATES = {
    "busy": ("busy", BUSY),
    "starved": ("scheduling wait", SCHEDULING_WAIT),
    "blocked": ("dependency wait", DEPENDENCY_WAIT),
    "drained": ("no more work", NO_MORE_WORK),
}


def write_engines(swimlane: Swimlane, tp: TraceProcessor) -> tuple[Packets, float | None]:
    """Draws states and counters of the engines of a run whose facts ``tp`` holds.

    Returns:
        Packets, and the utilization of all cores (0..1; None for a run without cores or length).
    """
    writer = TraceWriter(Part.ENGINES)
    # Rows are declared again where this sequence draws on the facts' tracks: names for the record.
    for index, engine in enumerate(layout.engines(swimlane)):
        cores = swimlane.source.core_counts[engine]
        profile = _profile(tp, engine)
        _write_states(writer, index, engine, cores, _states(tp, engine), ran=profile is not None)
        if profile is not None:
            _write_profile(writer, index, engine, cores, profile)
    all_cores = query_columns(
        tp,
        """
        INCLUDE PERFETTO MODULE pypto.engine_state;
        SELECT utilization FROM _pypto_engine_total WHERE grp = 'all'
        """,
    )
    return writer.finish(), next(iter(all_cores["utilization"]), None)


def _states(tp: TraceProcessor, engine: str) -> _Columns:
    return query_columns(
        tp,
        f"""
        INCLUDE PERFETTO MODULE pypto.engine_state;
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
    for _, dur, state, *parts in rows(states):
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
    tasks = query_columns(
        tp, f"SELECT 1 AS n FROM _pypto_core_step WHERE engine = '{engine}' LIMIT 1"
    )
    if not len(tasks["n"]):
        return None
    return query_columns(
        tp,
        f"""
        INCLUDE PERFETTO MODULE pypto.engine_profile;
        SELECT ts, running, ready FROM _pypto_engine_level WHERE engine = '{engine}' ORDER BY ts
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
