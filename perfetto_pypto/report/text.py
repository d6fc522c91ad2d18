"""How numbers read: times in µs, shares in per cent."""

from __future__ import annotations

from collections.abc import Mapping

ABSENT = "–"


def us(nanoseconds: float | None) -> str:
    """``212392`` -> ``212.39 µs``."""
    return ABSENT if nanoseconds is None else f"{nanoseconds / 1000:,.2f} µs"


def bare_us(nanoseconds: float | None) -> str:
    """``212392`` -> ``212.39``, for a column with its unit in the head."""
    return ABSENT if nanoseconds is None else f"{nanoseconds / 1000:,.2f}"


def cores(counts: Mapping[str, int]) -> str:
    """``24 AIC + 48 AIV``; "" where there is no core."""
    return " + ".join(f"{count} {engine}" for engine, count in counts.items())


def percent(ratio: float | None) -> str:
    """``0.2141`` -> ``21.4%``."""
    return ABSENT if ratio is None else f"{100 * ratio:.1f}%"


def count(number: float | None) -> str:
    """``1152`` -> ``1,152``."""
    return ABSENT if number is None else f"{number:,.0f}"


def times(ratio: float | None) -> str:
    """``4.065`` -> ``4.07x``."""
    return ABSENT if ratio is None else f"{ratio:.2f}x"


def plural(number: int, noun: str) -> str:
    """``(1, "task")`` -> ``1 task``."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def number(value: str | float | None) -> float | None:
    """A cell of a row as a number."""
    return None if value is None else float(value)


def value_of(value: str | float | None, unit: str) -> str:
    """``(212392, "TIME_NANOS")`` -> ``212.39``: for a column with its unit in the head."""
    if unit == "TIME_NANOS":
        return bare_us(number(value))
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() else f"{value:,.4g}"
    return count(number(value))


def shortened(text: str, width: int) -> str:
    """``(TENSOR_MlaProlog_T_leaf3_7, 16)`` -> ``TENSO…_T_leaf3_7``: such names end differently."""
    head = width // 3
    return text if len(text) <= width else f"{text[:head]}…{text[head + 1 - width :]}"
