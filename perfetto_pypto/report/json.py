"""Metrics as JSON: one object, described by `metrics.schema.json` beside this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from perfetto_pypto.metrics import Metrics

if TYPE_CHECKING:
    from perfetto_pypto.ui.links import Link

SCHEMA_VERSION = 1


def to_json(metrics: Metrics, links: Sequence[Link] = ()) -> dict[str, Any]:
    """Returns the object that `metrics --format json` prints; times are in ns."""
    source = metrics.input
    return {
        "schema_version": SCHEMA_VERSION,
        "input": {
            "name": source.name,
            "path": source.path,
            "format": source.format,
            "layout": source.layout,
            "cores": source.core_counts,
            "cores_from": source.core_counts_from,
            "clock_hz": source.clock_hz or None,
            "clock_from": source.clock_from,
            "origin_us": source.origin_us,
            "small_task_ns": source.small_task_ns,
        },
        "metrics": msgspec.to_builtins(metrics.metrics),
        "findings": msgspec.to_builtins(metrics.findings),
        "advice": msgspec.to_builtins(metrics.advice),
        **({"log": msgspec.to_builtins(metrics.log)} if metrics.log else {}),
        **({"links": msgspec.to_builtins(links)} if links else {}),
    }


def dumps(value: object) -> str:
    """Returns indented JSON text."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
