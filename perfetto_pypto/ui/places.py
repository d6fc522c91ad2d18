"""Places in a run as views: the whole, a core, a subgraph, a task, the critical path, an interval.

The trace processor must hold the enriched trace itself: the ids of its slices go into links.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from perfetto.trace_processor import TraceProcessor

from perfetto_pypto.engine import query_columns
from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.sql import modules_of
from perfetto_pypto.ui import commands, tables
from perfetto_pypto.ui.tables import text
from perfetto_pypto.ui.view import Selection, View

_UNITS = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_TIME = r"(\d{1,15}(?:\.\d{1,9})?)\s*(ns|us|µs|ms|s)"
_INTERVAL = re.compile(rf"{_TIME}\s*\.\.\s*{_TIME}")

_IN_FILE = "(category IS NOT 'run' OR name != 'options')"

#: Rows that every view keeps in sight.
PINNED = commands.pin("Critical path")
_GAPS = commands.slice_track("Its longest gaps", tables.LONGEST_GAPS)


def rows(tp: TraceProcessor, sql: str) -> list[tuple[Any, ...]]:
    """Runs SQL and returns plain rows; the package's modules are included by themselves."""
    included = "".join(f"INCLUDE PERFETTO MODULE {module};\n" for module in modules_of(sql))
    columns = query_columns(tp, included + sql).values()
    lists = [c.tolist() if hasattr(c, "tolist") else c for c in columns]
    return list(zip(*lists, strict=True))


def find(tp: TraceProcessor, place: str) -> View:
    """Returns the view of a place.

    Args:
        tp: holds an enriched trace, with the package `pypto` registered.
        place: ``core=AIV_12``, ``subgraph=HASH`` (or the beginning of one), ``task=0-3-17``,
            ``critical-path`` or ``120us..180us``.

    Raises:
        PyptoPerfettoError: the run has no such place; says which it has.
    """
    if place == "critical-path":
        return critical_path(tp)
    if match := _INTERVAL.fullmatch(place.strip()):
        start, end = (
            round(float(number) * _UNITS[unit])
            for number, unit in (match.groups()[:2], match.groups()[2:])
        )
        return interval(tp, start, end)
    kind, _, name = place.partition("=")
    finders: dict[str, Callable[[TraceProcessor, str], View]] = {
        "core": core,
        "subgraph": subgraph,
        "task": task,
    }
    if kind not in finders or not name:
        raise PyptoPerfettoError(
            f"{place}: is no place; use core=AIV_12, subgraph=HASH, task=0-3-17, "
            "critical-path or 120us..180us"
        )
    return finders[kind](tp, name)


def whole(tp: TraceProcessor) -> View:
    """The run from its first start to its last end: the worst gaps, the busiest cores, the engines.

    The UI shows a selection rather than a span: so the slice that lasts the whole run is selected.
    """
    busiest = _busiest_cores(tp)
    return View(
        span=_span(tp),
        selection=_makespan(tp),
        commands=(
            PINNED,
            _GAPS,
            commands.pin(*busiest.values()),
            commands.expand_cores(*busiest),
            commands.show_table(tables.ENGINES),
        ),
    )


def critical_path(tp: TraceProcessor) -> View:
    """The observed path over the whole run, its steps in a tab."""
    return View(_span(tp), _makespan(tp), tables.PATH, (PINNED, _GAPS))


def worst_gap(tp: TraceProcessor) -> View | None:
    """The longest gap of the observed path; None when it has none."""
    selection = _worst_gap(tp)
    if selection is None:
        return None
    view = _around(tp, selection.ts, selection.dur)
    return View(
        view, selection, tables.arguments_of(selection.id), (PINNED, commands.expand_cores())
    )


def core(tp: TraceProcessor, name: str) -> View:
    """A core over the whole run, pinned, and what it did in a tab."""
    if not rows(tp, f"SELECT 1 AS is_there FROM pypto_core WHERE core = {text(name)}"):
        known = [
            core for (core,) in rows(tp, "SELECT core FROM pypto_core ORDER BY engine, number")
        ]
        raise PyptoPerfettoError(f"core={name}: no such core; the run has {_some(known)}")
    return View(
        _span(tp),
        None,
        tables.core_slices(name),
        (commands.pin("Critical path", name), commands.expand_cores(name.partition("_")[0])),
    )


def subgraph(tp: TraceProcessor, prefix: str) -> View:
    """A subgraph by its leaf hash: all of its tasks on a track, the longest selected."""
    found = rows(
        tp,
        f"""
        SELECT leaf_hash, engine, label FROM pypto_subgraph_stats
        WHERE substr(leaf_hash, 1, {len(prefix)}) = {text(prefix)}
        ORDER BY total DESC, leaf_hash, engine
        """,
    )
    exact = [row for row in found if row[0] == prefix] or found
    if len({leaf_hash for leaf_hash, *_ in exact}) != 1:
        known = [leaf_hash for leaf_hash, *_ in found] or [
            leaf_hash for (leaf_hash,) in rows(tp, "SELECT leaf_hash FROM pypto_subgraph_stats")
        ]
        problem = "is the beginning of several" if found else "no such leaf hash; the run has"
        raise PyptoPerfettoError(f"subgraph={prefix}: {problem}: {_some(known)}")
    leaf_hash, engine, label = exact[0]
    ((slice_id,),) = rows(
        tp,
        f"""
        SELECT slice_id FROM pypto_task
        WHERE subgraph = {text(leaf_hash)} AND engine = {text(engine)}
        ORDER BY dur DESC, ts LIMIT 1
        """,
    )
    title = f"{label or 'subgraph'} {leaf_hash[:8]}"
    return View(
        _span(tp),
        _selection(tp, slice_id),
        tables.SUBGRAPHS,
        (commands.slice_track(title, tables.subgraph_slices(leaf_hash, engine)), PINNED),
    )


def task(tp: TraceProcessor, name: str) -> View:
    """A task by its `seq-func-op`: selected, its facts in a tab."""
    found = rows(
        tp, f"SELECT slice_id, ts, dur, core FROM pypto_task WHERE task = {text(name)} ORDER BY ts"
    )
    if not found:
        known = [task for (task,) in rows(tp, "SELECT task FROM pypto_task ORDER BY ts LIMIT 5")]
        raise PyptoPerfettoError(f"task={name}: no such task; the first ones are {_some(known)}")
    slice_id, ts, dur, core_name = found[0]
    selection = _selection(tp, slice_id)
    return View(
        _around(tp, ts, dur),
        selection,
        tables.arguments_of(selection.id),
        (commands.pin("Critical path", core_name),),
    )


def interval(tp: TraceProcessor, start: int, end: int) -> View:
    """A time interval, ns."""
    low, high = _bounds(tp)
    if not (start <= end and low <= end and start <= high):
        raise PyptoPerfettoError(
            f"{start / 1e3:.12g}us..{end / 1e3:.12g}us: not inside the run; "
            f"it lasts from {low / 1e3:.12g}us to {high / 1e3:.12g}us"
        )
    start, end = max(start, low), min(end, high)
    span = (start, end) if start < end else _around(tp, start, 0)
    return View(span, None, None, (PINNED, commands.expand_cores()))


def bubble(tp: TraceProcessor, slice_id: int, core_name: str) -> View:
    """A gap of a core, and what the next task waited for in a tab."""
    selection = _selection(tp, slice_id)
    return View(
        _around(tp, selection.ts, selection.dur),
        selection,
        tables.arguments_of(selection.id),
        (
            commands.pin("Critical path", core_name),
            commands.expand_cores(core_name.partition("_")[0]),
        ),
    )


def _worst_gap(tp: TraceProcessor) -> Selection | None:
    found = rows(
        tp,
        """
        SELECT id FROM slice WHERE category = 'critical_path_gap' ORDER BY dur DESC, ts LIMIT 1
        """,
    )
    return _selection(tp, found[0][0]) if found else None


def _makespan(tp: TraceProcessor) -> Selection | None:
    found = rows(tp, "SELECT id FROM slice WHERE category = 'summary'")
    return _selection(tp, found[0][0]) if found else None


def _busiest_cores(tp: TraceProcessor) -> dict[str, str]:
    """The busiest core of each engine that ran a task."""
    return dict(
        rows(
            tp,
            """
            SELECT engine, core FROM (
              SELECT *, row_number() OVER (PARTITION BY engine ORDER BY busy DESC, core) AS place
              FROM pypto_core_stats WHERE task_count > 0
            ) WHERE place = 1 ORDER BY engine
            """,
        )
    )


def _selection(tp: TraceProcessor, slice_id: int) -> Selection:
    """A slice by its id here; options that this process added to the trace aren't in the file."""
    ((ts, dur, first, added),) = rows(
        tp,
        f"""
        SELECT s.ts, s.dur,
          (SELECT min(id) FROM slice WHERE ts = s.ts AND dur = s.dur AND {_IN_FILE}) AS first,
          (SELECT count() FROM slice WHERE id < s.id AND NOT {_IN_FILE}) AS added
        FROM slice AS s WHERE s.id = {slice_id}
        """,
    )
    return Selection(ts, dur, slice_id - added, first == slice_id)


def _span(tp: TraceProcessor) -> tuple[int, int] | None:
    found = rows(tp, "SELECT ts, end_ts FROM pypto_span WHERE dur > 0")
    return found[0] if found else None


def _around(tp: TraceProcessor, ts: int, dur: int) -> tuple[int, int] | None:
    """A slice with its own length to both sides, at least a hundredth of the run."""
    low, high = _bounds(tp)
    margin = max(dur, (high - low) // 100, 1)
    span = max(low, ts - margin), min(high, ts + dur + margin)
    return span if span[0] < span[1] else None


def _bounds(tp: TraceProcessor) -> tuple[int, int]:
    ((start, end),) = rows(tp, "SELECT start_ts, end_ts FROM trace_bounds")
    return start, end


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
