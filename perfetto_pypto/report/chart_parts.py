"""What the charts of the HTML report have in common: colours, axes, and points for the eye."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from perfetto_pypto.metrics import Metrics

Array = npt.NDArray[np.float64]
Spec = dict[str, Any]

#: What core time is spent on, in the hues that the trace has in the Perfetto UI.
BUSY = ("busy", "#3f9a57")
SCHEDULE = ("scheduling wait", "#de5f6e")
PREDECESSOR = ("dependency wait", "#c3922e")
STARTUP = ("start-up", "#9a6fd0")
NO_WORK = ("no more work", "#7f9fd6")

PROFILE = {"busy": BUSY, "starved": SCHEDULE, "blocked": PREDECESSOR, "drained": NO_WORK}
READY = ("ready tasks", "#4b8fb8")
GAPS = {
    "data_wait": ("gap after the last predecessor", "#de5f6e"),
    "core_wait": ("gap after the core", "#e08a4f"),
    "front": STARTUP,
}
LABELS = ("#4f86c6", "#d98641", "#3c9d8d", "#c0608f", "#8f7bd0", "#9b8a35", "#58a05c")
OTHER = "#8c9299"

#: Labels of an axis that counts: 0.5, 20, 15k.
COUNTS = "datum.value < 1000 ? format(datum.value, '~g') : format(datum.value, '~s')"

#: Width of what shares the time axis, px; its slots are whole pixels.
WIDTH = 720
SLOTS = 240


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing. ``legend`` holds (colour, words) in the order of drawing."""

    title: str
    spec: Spec
    legend: list[tuple[str, str]]


def run_makespan(metrics: Metrics) -> float:
    """In ns; 0 without a task."""
    rows = metrics.rows("pypto_run")
    return number(rows[0], "makespan") if rows else 0.0


def number(row: Mapping[str, str | float | None], key: str) -> float:
    """A cell; 0 where it is absent."""
    return float(row[key] or 0)


def core_number(core: str) -> tuple[int, str]:
    """What sorts ``AIC_2`` before ``AIC_10``."""
    number = core.rpartition("_")[2]
    return (int(number) if number.isdecimal() else 0, core)


def short(value: float) -> float:
    """Six digits: more than a pixel shows."""
    return float(f"{value:.6g}")


def time_axis(title: str, makespan: float) -> Spec:
    """The run from its start to its end (``makespan`` in ns) as an x channel in µs."""
    return {
        "field": "at",
        "type": "quantitative",
        "title": title,
        "axis": {"tickCount": 10},
        "scale": {"domain": [0, makespan / 1000], "nice": False},
    }


def colours(parts: Any) -> Spec:
    """A colour per word, without a legend: the page has one."""
    pairs = list(parts)
    scale = {"domain": [word for word, _ in pairs], "range": [colour for _, colour in pairs]}
    return {"field": "part", "type": "nominal", "legend": None, "scale": scale}


def steps(edges: Array, low: Array, high: Array, part: str) -> list[Spec]:
    """The points of an area with steps: the last one ends the last slot."""
    lows, highs = np.append(low, low[-1]), np.append(high, high[-1])
    return [
        {"at": short(at / 1000), "low": short(a), "high": short(b), "part": part}
        for at, a, b in zip(edges.tolist(), lows.tolist(), highs.tolist(), strict=True)
    ]


def joined(pieces: list[tuple[float, float]], least: float) -> list[tuple[float, float, float]]:
    """Joins what the eye can't tell apart: short pieces that follow each other closely.

    Returns:
        (start, end, share of the time between that the pieces fill), of pieces that don't overlap.
    """
    joined: list[tuple[float, float, float]] = []
    for start, end in pieces:
        before, last, inside = joined[-1] if joined else (0.0, -np.inf, 0.0)
        if start - last < least and end - start < least:
            joined[-1] = (before, end, inside + end - start)
        else:
            joined.append((start, end, end - start))
    return [
        (start, end, inside / (end - start) if end > start else 1.0)
        for start, end, inside in joined
    ]
