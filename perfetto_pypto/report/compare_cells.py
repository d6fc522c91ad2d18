"""Cells of a comparison: values, differences and ranges as text."""

from __future__ import annotations

from perfetto_pypto.compare import Change
from perfetto_pypto.report.text import ABSENT, bare_us, count, percent, times

#: Ratios that count in times, not in per cent.
_FACTORS = {"pypto_run_headroom", "pypto_run_average_parallelism"}


def in_points(change: Change) -> bool:
    """Whether a difference is one of percentage points."""
    return change.unit == "ratio" and change.id not in _FACTORS


def value_cell(change: Change, value: float | None) -> str:
    """A value in its unit: µs, a count, per cent or times."""
    if change.unit == "TIME_NANOS":
        return bare_us(value)
    if change.unit == "COUNT":
        return count(value)
    return times(value) if change.id in _FACTORS else percent(value)


def difference_cell(change: Change) -> str:
    """``+12.34`` (µs), ``+3``, ``+1.5 pp`` or ``+0.35x``."""
    if change.difference is None:
        return ABSENT
    if change.unit == "TIME_NANOS":
        return signed_us(change.difference)
    if change.unit == "COUNT":
        return f"{change.difference:+,.0f}" if change.difference else "0"
    if change.id in _FACTORS:
        return f"{change.difference:+.2f}x"
    return f"{100 * change.difference:+.1f} pp"


def signed_us(nanoseconds: float) -> str:
    """``-12340`` -> ``-12.34``."""
    text = f"{nanoseconds / 1000:+,.2f}"
    return "0.00" if text in ("+0.00", "-0.00") else text


def share_cell(ratio: float | None) -> str:
    """``-0.365`` -> ``-36.5%``."""
    if ratio is None:
        return ABSENT
    text = f"{100 * ratio:+,.1f}%"
    return "0.0%" if text in ("+0.0%", "-0.0%") else text


def range_cell(spread: float) -> str:
    """``0.125`` -> ``12%``, ``0.0125`` -> ``1.2%``."""
    return f"{100 * spread:.0f}%" if spread >= 0.1 else f"{100 * spread:.1f}%"


def has_several(change: Change) -> bool:
    """Whether a side has more than one run."""
    return len(change.base.values) + len(change.new.values) > 2
