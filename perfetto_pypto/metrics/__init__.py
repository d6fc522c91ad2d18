"""Runs the metric specs in the trace processor: a loaded trace to values."""

from __future__ import annotations

from perfetto_pypto.metrics.compute import compute
from perfetto_pypto.metrics.model import Finding, Input, Metric, Metrics

__all__ = ["Finding", "Input", "Metric", "Metrics", "compute"]
