"""Texts with the values of a row in them: ``{wait:us}`` is the column ``wait``, in µs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from perfetto_pypto.report.text import ABSENT, count, percent, us

Cell = str | int | float | None

#: No str.format: a rule is data, and may neither reach into objects nor escape its dicts' braces.
_FIELD = re.compile(r"\{([a-z]\w*)(?::([a-z]+))?\}")

_FORMATS: dict[str, Callable[[float], str]] = {
    "us": us,
    "percent": percent,
    "count": count,
    "number": "{:.1f}".format,
}


def fill(text: str, row: Mapping[str, Cell]) -> str:
    """Fills a text.

    Raises:
        ValueError: there is no such column or format, or the value is no number; says which.
    """
    return _FIELD.sub(lambda match: _value(match, row), text)


def _value(match: re.Match[str], row: Mapping[str, Cell]) -> str:
    name, form = match.groups()
    if name not in row:
        raise ValueError(f"{match[0]}: the query has no column {name}")
    value = row[name]
    if value is None:
        return ABSENT
    if form is None:
        return str(value)
    if form not in _FORMATS:
        raise ValueError(f"{match[0]}: the formats are {', '.join(_FORMATS)}")
    return _FORMATS[form](as_number(value, match[0]))


def as_number(value: Cell, what: str) -> float:
    """Returns a value as a number.

    Raises:
        ValueError: it is none; names ``what`` it is.
    """
    try:
        return float(value or 0)
    except ValueError as error:
        raise ValueError(f"{what}: {value!r} is no number") from error
