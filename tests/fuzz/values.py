"""The oracle's identities, checked on the values that the SQL pack gives."""

from __future__ import annotations

from perfetto_pypto.metrics import Metrics
from tests import oracle
from tests.oracle.identities import FACTORS

#: The order in which the oracle writes a bundle's dimensions, where it isn't the only one.
_ORDER = {"pypto_core": ("core", "engine")}


def broken_values(metrics: Metrics) -> list[str]:
    """The identities that these values break, in words.

    The product of the efficiency factors is left out: theirs are rounded to doubles here.
    """
    values: oracle.Values = {}
    for metric in metrics.metrics:
        where = metric.dimensions
        key = tuple(where[name] for name in _ORDER.get(metric.bundle, tuple(where)))
        value = None if metric.id.removeprefix("pypto_engine_") in FACTORS else metric.value
        values[metric.id, key] = value
    negative = [
        f"{key} is {value}"
        for key, value in values.items()
        if isinstance(value, int) and value < 0 and not _may_be_negative(key[0])
    ]
    if ("pypto_run_makespan", ()) not in values:  # nothing ran on a core
        return negative
    return [*oracle.identities(values), *negative]


def _may_be_negative(metric: str) -> bool:
    """Signed are the old log's numbers, gaps between batches, and what a replay would save."""
    return "_log_" in metric or metric.endswith(("gap_to_next", "_saved")) or "aicpu" in metric
