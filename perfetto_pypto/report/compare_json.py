"""A comparison as JSON: one object, described by `compare.schema.json` beside this file."""

from __future__ import annotations

from typing import Any

import msgspec

from perfetto_pypto.compare import Change, Comparison, Explanation, Sample, Side

SCHEMA_VERSION = 1


def compare_json(comparison: Comparison) -> dict[str, Any]:
    """Returns the object that `compare --format json` prints; times are in ns."""
    return {
        "schema_version": SCHEMA_VERSION,
        "base": _side(comparison.base),
        "new": _side(comparison.new),
        "is_comparable": comparison.is_comparable,
        "notes": msgspec.to_builtins(comparison.notes),
        "advice": msgspec.to_builtins(comparison.advice),
        "makespan": _change(comparison.makespan),
        "explanations": [_explanation(one) for one in comparison.explanations],
        "changes": [
            {"bundle": bundle, **_change(change)}
            for bundle, changes in comparison.sections.items()
            for change in changes
        ],
        "subgraphs": [
            {
                "label": one.label,
                "engine": one.engine,
                "matched_by": one.matched_by,
                "base_hashes": one.base_hashes,
                "new_hashes": one.new_hashes,
                "changes": {name: _change(change) for name, change in one.changes.items()},
            }
            for one in comparison.subgraphs
        ],
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "runs": [{"name": run.name, "path": run.path} for run in side.runs],
        "cores": side.core_counts,
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "id": change.id,
        "dimensions": change.dimensions,
        "unit": change.unit,
        "polarity": change.polarity,
        "base": _sample(change.base),
        "new": _sample(change.new),
        "difference": change.difference,
        "ratio": change.ratio,
        "p": change.p,
        "verdict": change.verdict,
    }


def _sample(sample: Sample) -> dict[str, Any]:
    return {
        "median": sample.median,
        "min": min(sample.present, default=None),
        "max": max(sample.present, default=None),
        "values": sample.values,
    }


def _explanation(one: Explanation) -> dict[str, Any]:
    return {
        "scope": one.scope,
        "base_run": one.base_run,
        "new_run": one.new_run,
        "base_cores": one.base_cores,
        "new_cores": one.new_cores,
        "base_tasks": one.base_tasks,
        "new_tasks": one.new_tasks,
        "parts": [
            {
                "name": part.name,
                "base_core_time": part.base,
                "new_core_time": part.new,
                "base": part.base / one.base_cores,
                "new": part.new / one.new_cores,
                "difference": part.new / one.new_cores - part.base / one.base_cores,
            }
            for part in one.parts
        ],
    }
