"""The charts of the HTML report as Vega-Lite specs, fed by the SQL pack's own tables.

Text and lines are ``currentColor`` and areas are of middle brightness, so that one drawing suits
light and dark pages. Legends are left to the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from perfetto.trace_processor import TraceProcessor

from perfetto_pypto.engine import query_columns
from perfetto_pypto.lang import words
from perfetto_pypto.metrics import Metrics
from perfetto_pypto.report.chart_parts import (
    BUSY,
    COUNTS,
    GAPS,
    LABELS,
    NO_WORK,
    OTHER,
    PREDECESSOR,
    PROFILE,
    READY,
    SCHEDULE,
    SLOTS,
    STARTUP,
    WIDTH,
    Array,
    Chart,
    Spec,
    colours,
    core_number,
    joined,
    number,
    run_makespan,
    short,
    steps,
    time_axis,
)

#: Pieces of the path closer than this many px are drawn as one.
_PIECE = 2
#: Pieces that fill less of their time are visibly paler.
_PALE = 0.9
#: So many bars of an engine can be told apart: those of its busiest cores.
CORES = 200
_BINS_PER_DECADE = 20


def cores(metrics: Metrics) -> Chart | None:
    """Draws the time of each core as a stacked bar, engines side by side."""
    t = words(metrics.lang)
    makespan = run_makespan(metrics)
    rows = metrics.rows("pypto_core")
    if not rows or not makespan:
        return None
    parts = {
        BUSY: ("busy",),
        SCHEDULE: ("wait_schedule",),
        PREDECESSOR: ("wait_predecessor",),
        STARTUP: ("startup",),
        NO_WORK: ("tail", "idle"),
    }
    shown = {
        engine: sorted(
            (row for row in rows if row["engine"] == engine), key=lambda row: -number(row, "busy")
        )[:CORES]
        for engine in metrics.input.core_counts
    }
    step = float(np.clip(780 / max(sum(map(len, shown.values())), 1), 2, 22))
    panels: list[Spec] = []
    for engine, some in shown.items():
        if not some:
            continue
        data = []
        for row in sorted(some, key=lambda row: core_number(str(row["core"]))):
            low = 0.0
            for (word, _), keys in parts.items():
                share = sum(number(row, key) for key in keys) / makespan
                if share:
                    core = str(row["core"]).rpartition("_")[2]
                    data.append(
                        {
                            "core": core,
                            "part": word,
                            "low": short(low),
                            "high": short(low + share),
                        }
                    )
                low += share
        axis = {"labelAngle": 0, "labelOverlap": "greedy", "labelSeparation": 4, "ticks": False}
        y_axis = {"format": "%", "tickCount": 4}
        panels.append(
            {
                "width": {"step": step},
                "height": 170,
                "data": {"values": data},
                "mark": {"type": "bar", "aria": False},
                "encoding": {
                    "x": {
                        "field": "core",
                        "type": "ordinal",
                        "sort": None,
                        "title": t("{engine} cores", engine=engine),
                        "axis": axis,
                        "scale": {"paddingInner": 0.12 if step > 6 else 0, "paddingOuter": 0},
                    },
                    "y": {
                        "field": "low",
                        "type": "quantitative",
                        "title": None if panels else t("share of the makespan"),
                        "axis": y_axis | ({"labels": False, "minExtent": 0} if panels else {}),
                        "scale": {"domain": [0, 1]},
                    },
                    "y2": {"field": "high"},
                    "color": colours(parts),
                },
            }
        )
    legend = [(colour, t(word)) for word, colour in parts]
    return Chart(t("Time split of each core"), {"hconcat": panels, "spacing": 14}, legend)


def profiles(metrics: Metrics, tp: TraceProcessor) -> Iterator[Chart]:
    """Draws for each engine what its cores did over time, and below it how many tasks waited."""
    t = words(metrics.lang)
    makespan = run_makespan(metrics)
    if not makespan:
        return
    columns = query_columns(
        tp,
        """
        INCLUDE PERFETTO MODULE pypto.engine;
        SELECT engine, ts - (SELECT min(ts) FROM pypto_engine_profile) AS ts, busy, starved,
          blocked, drained, ready * dur AS ready
        FROM pypto_engine_profile
        ORDER BY engine, pypto_engine_profile.ts
        """,
    )
    engines = np.asarray(columns["engine"], object)
    edges = np.linspace(0, makespan, SLOTS + 1)
    for engine, core_count in metrics.input.core_counts.items():
        here = engines == engine
        used = [row for row in metrics.rows("pypto_engine") if row["engine"] == engine]
        if not here.any() or not used or not used[0]["task_count"]:
            continue
        at = np.asarray(columns["ts"], float)[here]

        def mean(key: str, here: Any = here, at: Array = at) -> Array:
            """The column's mean in each slot: what a row holds is spread evenly over its time."""
            values = np.asarray(columns[key], float)[here]
            total = np.concatenate([[0.0], np.cumsum(values)[:-1]])
            means: Array = np.diff(np.interp(edges, at, total)) / np.diff(edges)
            return means

        data: list[Spec] = []
        low = np.zeros(SLOTS)
        for key, (word, _) in PROFILE.items():
            values = mean(key)
            if values.max() > 0:
                data += steps(edges, low, low + values, word)
            low = low + values
        ready = mean("ready")
        x = time_axis(t("µs"), makespan)
        cores_axis = {"title": t("cores"), "type": "quantitative", "axis": {"tickCount": 4}}
        area = {"type": "area", "interpolate": "step-after", "aria": False}
        spec = {
            "vconcat": [
                {
                    "width": WIDTH,
                    "height": 110,
                    "data": {"values": data},
                    "mark": area,
                    "encoding": {
                        "x": x | {"axis": x["axis"] | {"labels": False, "title": None}},
                        "y": {
                            "field": "low",
                            "scale": {"domain": [0, core_count], "nice": False},
                            **cores_axis,
                        },
                        "y2": {"field": "high"},
                        "color": colours(PROFILE.values()),
                    },
                },
                {
                    "width": WIDTH,
                    "height": 54,
                    "data": {"values": steps(edges, np.zeros(SLOTS), ready, READY[0])},
                    "mark": area | {"color": READY[1]},
                    "encoding": {
                        "x": x,
                        "y": {
                            "field": "low",
                            "type": "quantitative",
                            "title": t("ready"),
                            "axis": {"tickCount": 3, "labelExpr": COUNTS},
                            "scale": {"domain": [0, max(float(ready.max()), 1.0)]},
                        },
                        "y2": {"field": "high"},
                    },
                },
            ],
            "spacing": 8,
        }
        legend = [(colour, t(word)) for word, colour in (*PROFILE.values(), READY)]
        yield Chart(
            t("{engine}: {count} cores over time", engine=engine, count=core_count), spec, legend
        )


def durations(metrics: Metrics, tp: TraceProcessor) -> Chart | None:
    """Draws how many tasks took how long, and the threshold of a small task.

    A colour per label; tasks without one go by their leaf hash.
    """
    t = words(metrics.lang)
    columns = query_columns(
        tp,
        """
        INCLUDE PERFETTO MODULE pypto.task;
        SELECT label, dur, sum(dur) OVER (PARTITION BY label) AS total
        FROM (
          SELECT coalesce(nullif(label, ''), substr(subgraph, 1, 8)) AS label, dur FROM pypto_task
        )
        ORDER BY total DESC, label
        """,
    )
    if not len(columns["label"]):
        return None
    labels = np.asarray(columns["label"], object)
    small = metrics.input.small_task_ns
    # A bin ends at the threshold; what takes no time counts as 10 ns.
    place = np.floor(
        np.log10(np.maximum(np.asarray(columns["dur"], float), 10) / small) * _BINS_PER_DECADE
        + 1e-9
    ).astype(int)
    low, high = int(min(place.min(), -3)), int(max(place.max(), 2)) + 1
    top = list(dict.fromkeys(labels.tolist()))
    named = top if len(top) <= len(LABELS) + 1 else top[: len(LABELS)]
    groups = [(label, labels == label) for label in named]
    if len(named) < len(top):
        groups.append((t("others"), ~np.isin(labels, named)))
    palette = [*LABELS, OTHER]

    def edge(number: int) -> float:
        return short(small / 1000 * 10 ** (number / _BINS_PER_DECADE))

    data: list[Spec] = []
    base = np.zeros(high - low)
    for index, (_, mask) in enumerate(groups):
        counts = np.bincount(place[mask] - low, minlength=high - low)
        data += [
            {
                "from": edge(low + i),
                "to": edge(low + i + 1),
                "low": float(base[i]),
                "high": float(base[i] + counts[i]),
                "part": str(index),
            }
            for i in np.flatnonzero(counts).tolist()
        ]
        base = base + counts
    domain = [edge(low), edge(high)]
    digits = (1, 2, 5) if high - low > 1.5 * _BINS_PER_DECADE else (1, 1.5, 2, 3, 4, 5, 7)
    ticks = [n * 10.0**p for p in range(-2, 8) for n in digits]
    line = {"threshold": small / 1000}
    spec = {
        "width": WIDTH,
        "height": 170,
        "layer": [
            {
                "data": {"values": data},
                "mark": {"type": "rect", "aria": False},
                "encoding": {
                    "x": {
                        "field": "from",
                        "type": "quantitative",
                        "title": t("duration of a task, µs"),
                        "scale": {"type": "log", "domain": domain, "nice": False},
                        "axis": {
                            "values": [v for v in ticks if domain[0] <= v <= domain[1]],
                            "format": "~g",
                        },
                    },
                    "x2": {"field": "to"},
                    "y": {
                        "field": "low",
                        "type": "quantitative",
                        "title": t("tasks"),
                        "axis": {"tickCount": 5, "labelExpr": COUNTS},
                    },
                    "y2": {"field": "high"},
                    "color": colours((str(i), palette[i]) for i in range(len(groups))),
                },
            },
            {
                "data": {"values": [line]},
                "mark": {
                    "type": "rule",
                    "color": "currentColor",
                    "strokeDash": [4, 3],
                    "strokeWidth": 1.5,
                    "aria": False,
                },
                "encoding": {"x": {"field": "threshold", "type": "quantitative"}},
            },
        ],
    }
    legend = [(palette[i], label) for i, (label, _) in enumerate(groups)]
    return Chart(t("How long the tasks are"), spec, legend)


def path(metrics: Metrics, tp: TraceProcessor) -> Chart | None:
    """Draws the observed critical path: a lane per engine for its tasks, and one for the gaps.

    Pieces too short to be seen one by one become one, as pale as they fill its time little.
    """
    t = words(metrics.lang)
    makespan = run_makespan(metrics)
    if not makespan:
        return None
    columns = query_columns(
        tp,
        """
        INCLUDE PERFETTO MODULE pypto.critical_path;
        SELECT t.engine, p.gap_kind, p.ts - (SELECT min(ts) FROM pypto_task) AS ts, p.dur,
          p.gap_ts - (SELECT min(ts) FROM pypto_task) AS gap_ts, p.gap_dur
        FROM pypto_critical_path AS p JOIN pypto_task AS t USING (id)
        ORDER BY p.step
        """,
    )
    gap = t("gap")
    pieces: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for engine, kind, ts, dur, gap_ts, gap_dur in zip(*columns.values(), strict=True):
        pieces.setdefault((engine, BUSY[0]), []).append((float(ts), float(ts + dur)))
        if gap_dur:
            where = (gap, GAPS[kind][0])
            pieces.setdefault(where, []).append((float(gap_ts), float(gap_ts + gap_dur)))
    pixel = makespan / WIDTH
    data: list[Spec] = [
        {
            "lane": lane,
            "part": word,
            "from": short(start / 1000),
            "to": short(max(end, start + pixel) / 1000),
            "filled": short(filled),
        }
        for (lane, word), some in pieces.items()
        for start, end, filled in joined(some, pixel * _PIECE)
    ]
    lanes = [engine for engine in metrics.input.core_counts if (engine, BUSY[0]) in pieces]
    parts = [("tasks on the path", BUSY[1]), *GAPS.values()]
    spec = {
        "width": WIDTH,
        "height": {"step": 30},
        "data": {"values": data},
        "mark": {
            "type": "bar",
            "aria": False,
            "stroke": "currentColor",
            "strokeWidth": 0.4,
            "strokeOpacity": 0.5,
        },
        "encoding": {
            "x": time_axis(t("µs"), makespan) | {"field": "from"},
            "x2": {"field": "to"},
            "y": {
                "field": "lane",
                "type": "ordinal",
                "title": None,
                "sort": [*lanes, gap],
                "scale": {"domain": [*lanes, gap]},
            },
            "color": colours([BUSY, *GAPS.values()]),
            "fillOpacity": {
                "field": "filled",
                "type": "quantitative",
                "legend": None,
                "scale": {"domain": [0, 1], "range": [0.1, 1]},
            },
        },
    }
    drawn = {word for _, word in pieces} | {parts[0][0]}
    legend = [(colour, t(word)) for word, colour in parts if word in drawn]
    if any(piece["filled"] < _PALE for piece in data):
        legend.append((f"{BUSY[1]}55", t("paler: many short pieces")))
    return Chart(t("Critical path as observed"), spec, legend)
