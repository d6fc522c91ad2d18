"""`analysis_summary.json`: the few figures that PyPTO's tuning scripts loop on.

Described by `summary.schema.json` beside this file.
"""

from __future__ import annotations

from typing import Any

from perfetto_pypto.metrics import Metrics
from perfetto_pypto.report import story
from perfetto_pypto.report.text import number

SCHEMA_VERSION = 1

#: The tuning skill's scale: better than these gets 5, 4, 3, 2 stars, else 1.
_UTILIZATION = (0.9, 0.8, 0.6, 0.5)
_BUBBLE = (0.02, 0.05, 0.1, 0.2)
_BALANCE = (0.9, 0.8, 0.6, 0.5)
_CONTROL = (0.3, 0.5, 0.7, 0.8)

#: Where the tuning skill's loop ends.
_DONE_UTILIZATION, _DONE_BUBBLE = 0.8, 0.1

#: The run is bound by computing when tasks are at least this share of the observed path.
_COMPUTE = 0.5


def to_summary(metrics: Metrics) -> dict[str, Any]:
    """Returns the summary; figures that the input has no data for are None."""
    run = story.run_row(metrics) or {}
    engines = {row["engine"]: row for row in metrics.rows("pypto_engine")}
    whole = engines.get("all", {})
    utilization = number(whole.get("skill_core_utilization"))
    bubble = number(whole.get("skill_bubble_rate"))
    return {
        "schema_version": SCHEMA_VERSION,
        "name": metrics.input.name,
        "path": metrics.input.path,
        "aic_util": engines.get("AIC", {}).get("utilization"),
        "aiv_util": engines.get("AIV", {}).get("utilization"),
        "timeline_length": run.get("makespan"),
        "bubble_ratio": whole.get("bubble_ratio"),
        "skill_core_utilization": utilization,
        "skill_bubble_rate": bubble,
        "bottleneck_labels": _labels(metrics, run),
        "suggested_knobs": [
            {
                "knob": advice.knob,
                "snippet": advice.snippet,
                "rule": advice.rule,
                "predicted_saved_ns": advice.predicted_saved_ns,
                "at": advice.at,
            }
            for advice in story.top_advice(metrics, len(metrics.advice))[0]
        ],
        "rating": _rating(
            {
                "utilization": _more(utilization, _UTILIZATION),
                "bubble": _less(bubble, _BUBBLE),
                "balance": _more(_balance(engines), _BALANCE),
                "control_overhead": _less(number(run.get("control_overhead")), _CONTROL),
            }
        ),
        "is_tuned": utilization is not None
        and bubble is not None
        and utilization > _DONE_UTILIZATION
        and bubble < _DONE_BUBBLE,
    }


def _labels(metrics: Metrics, run: story.Row) -> list[str]:
    """The bottlenecks of the advice, in its order, and `compute` where tasks fill the path."""
    labels = [advice.bottleneck for advice in metrics.advice if advice.bottleneck]
    paths = {row["kind"]: number(row["time"]) for row in metrics.rows("pypto_observed_path")}
    makespan = number(run.get("makespan"))
    if makespan and (paths.get("compute") or 0) >= _COMPUTE * makespan:
        labels.append("compute")
    return list(dict.fromkeys(labels))


def _balance(engines: dict[Any, story.Row]) -> float | None:
    """1 - AicoreTime spread of the less balanced engine: cube and vector cores differ by nature."""
    spreads = [
        spread
        for name, row in engines.items()
        if name != "all" and (spread := number(row["aicore_time_spread"])) is not None
    ]
    return 1 - max(spreads) if spreads else None


def _more(value: float | None, limits: tuple[float, ...]) -> int | None:
    return None if value is None else 1 + sum(value > limit for limit in limits)


def _less(value: float | None, limits: tuple[float, ...]) -> int | None:
    return None if value is None else 1 + sum(value < limit for limit in limits)


def _rating(stars: dict[str, int | None]) -> dict[str, int | None]:
    """The overall rating is the worst: a good figure doesn't make up for a bad one."""
    known = [value for value in stars.values() if value is not None]
    return {**stars, "overall": min(known, default=None)}
