"""Any bundle as a table of text: the user's own, and those of a part of the metrics."""

from __future__ import annotations

from dataclasses import dataclass

from perfetto_pypto.metrics import Metrics
from perfetto_pypto.report.text import value_of

#: What stands behind a column's name.
_UNITS = {"TIME_NANOS": "µs", "COUNT": "", "METRIC_UNIT_UNSPECIFIED": "", "ratio": ""}


@dataclass(frozen=True, slots=True)
class BundleTable:
    """A bundle as text: dimensions first, then values."""

    name: str
    heads: list[str]
    rows: list[list[str]]
    dimension_count: int


def bundle_table(metrics: Metrics, bundle: str) -> BundleTable:
    """Returns the table of a bundle that has rows; times are in µs.

    A bundle without dimensions has a line per metric.
    """
    units = {
        metric.id.removeprefix(f"{bundle}_"): metric.unit
        for metric in metrics.metrics
        if metric.bundle == bundle
    }
    dimensions = next(list(m.dimensions) for m in metrics.metrics if m.bundle == bundle)
    heads = [f"{name} {_UNITS.get(unit, unit)}".strip() for name, unit in units.items()]
    rows = metrics.rows(bundle)
    values = [[value_of(row[name], unit) for name, unit in units.items()] for row in rows]
    if not dimensions and len(rows) == 1:
        pairs = [[head, value] for head, value in zip(heads, values[0], strict=True)]
        return BundleTable(bundle, ["metric", "value"], pairs, 1)
    names = [[str(row[name]) for name in dimensions] for row in rows]
    cells = [left + right for left, right in zip(names, values, strict=True)]
    return BundleTable(bundle, dimensions + heads, cells, len(dimensions))
