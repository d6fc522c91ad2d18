"""Metric values and what a reader must know about the input they come from."""

from __future__ import annotations

from dataclasses import dataclass

#: A metric's value: whole numbers are ints; None where the input has no such data.
Value = int | float | None


@dataclass(frozen=True, slots=True)
class Metric:
    """One value.

    id:         ``<bundle>_<column>``
    dimensions: e.g. ``{"core": "AIC_1", "engine": "AIC"}``
    unit:       ``TIME_NANOS``, ``COUNT`` or ``ratio`` (0..1)
    polarity:   ``HIGHER_IS_BETTER``, ``LOWER_IS_BETTER`` or ``NOT_APPLICABLE``
    """

    id: str
    bundle: str
    dimensions: dict[str, str]
    value: Value
    unit: str
    polarity: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something dropped, moved, repaired or suspicious, with a count and up to three places."""

    code: str
    severity: str
    message: str
    count: int
    examples: list[str]


@dataclass(frozen=True, slots=True)
class Input:
    """Where the numbers come from: file, layout, clock, origin, and the core counts used."""

    name: str
    path: str
    format: str
    layout: str
    core_counts: dict[str, int]
    core_counts_from: str
    clock_hz: int
    clock_from: str
    origin_us: str
    small_task_ns: int


@dataclass(frozen=True, slots=True)
class Metrics:
    """All values of a run."""

    input: Input
    metrics: list[Metric]
    findings: list[Finding]

    def rows(self, bundle: str) -> list[dict[str, str | Value]]:
        """Returns a bundle as rows, a dict each: dimensions and columns by name."""
        rows: dict[tuple[str, ...], dict[str, str | Value]] = {}
        for metric in self.metrics:
            if metric.bundle == bundle:
                key = tuple(metric.dimensions.values())
                row = rows.setdefault(key, dict(metric.dimensions))
                row[metric.id.removeprefix(f"{bundle}_")] = metric.value
        return list(rows.values())
