"""Runs the metric specs in the trace processor: a loaded trace to values."""

from __future__ import annotations

from perfetto_pypto.metrics.catalog import Catalog, MetricInfo, load, stock
from perfetto_pypto.metrics.compute import compute
from perfetto_pypto.metrics.model import (
    Advice,
    Choice,
    Evidence,
    Finding,
    Input,
    LogCore,
    LogFigure,
    Metric,
    Metrics,
)

__all__ = [
    "Advice",
    "Catalog",
    "Choice",
    "Evidence",
    "Finding",
    "Input",
    "LogCore",
    "LogFigure",
    "Metric",
    "MetricInfo",
    "Metrics",
    "compute",
    "load",
    "stock",
]
