"""Limits as users write them: ``pypto_engine_bubble_ratio{engine=AIV}=0.3``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.metrics import Metric, stock
from perfetto_pypto.metrics.catalog import MetricInfo

Kind = Literal["max", "min"]

_LIMIT = re.compile(r"\s*(?P<id>[\w*?]+)\s*(?:\{(?P<dimensions>.*)\})?\s*=\s*(?P<value>\S+)\s*")
_VALUE = re.compile(r"(?P<number>\d+(?:\.\d*)?|\.\d+)(?P<unit>ns|us|µs|ms|s|%)?")
_TIMES = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


@dataclass(frozen=True, slots=True)
class Limit:
    """A metric and its limit.

    dimensions: the rows it holds for; {} for all rows of the metric
    bound:      in the metric's unit (ns, fraction, count); None for the baseline's value
    """

    kind: Kind
    info: MetricInfo
    dimensions: dict[str, str]
    bound: float | None

    @property
    def name(self) -> str:
        """``pypto_engine_bubble_ratio{engine=AIV}``."""
        return metric_name(self.info.id, self.dimensions)

    def holds_for(self, metric: Metric) -> bool:
        """Whether it limits this value."""
        return metric.id == self.info.id and self.dimensions.items() <= metric.dimensions.items()


def metric_name(identifier: str, dimensions: dict[str, str]) -> str:
    """``("pypto_x", {"engine": "AIV"})`` -> ``pypto_x{engine=AIV}``."""
    inner = ",".join(f"{key}={value}" for key, value in dimensions.items())
    return f"{identifier}{{{inner}}}" if inner else identifier


def parse_limit(text: str, kind: Kind) -> Limit:
    """Parses ``ID{dim=value,…}=LIMIT``.

    LIMIT is a number, a time with its unit, a percentage, or ``baseline``.

    Raises:
        PyptoPerfettoError: it can't be understood, or there is no such metric or dimension.
    """
    match = _LIMIT.fullmatch(text)
    if not match:
        raise PyptoPerfettoError(
            f"--{kind} {text}: is not like pypto_engine_bubble_ratio{{engine=AIV}}=0.3"
        )
    info = _info(match["id"])
    dimensions = _dimensions(text, kind, info, match["dimensions"] or "")
    if match["value"] == "baseline":
        return Limit(kind, info, dimensions, None)
    return Limit(kind, info, dimensions, _bound(text, kind, info, match["value"]))


def _info(identifier: str) -> MetricInfo:
    catalog = stock()
    if identifier not in catalog.metrics:
        found = catalog.select([identifier])
        raise PyptoPerfettoError(f"{identifier!r} is more than one metric; name one: {found[0]}")
    return catalog.metrics[identifier]


def _dimensions(text: str, kind: Kind, info: MetricInfo, inner: str) -> dict[str, str]:
    dimensions: dict[str, str] = {}
    for part in filter(None, inner.split(",")):
        key, _, value = (word.strip().strip("\"'") for word in part.partition("="))
        if key not in info.dimensions or not value:
            known = ", ".join(f"{name}=…" for name in info.dimensions) or "none"
            raise PyptoPerfettoError(
                f"--{kind} {text}: {part.strip()!r} is no dimension of {info.id}; it has {known}"
            )
        dimensions[key] = value
    return dimensions


def _bound(text: str, kind: Kind, info: MetricInfo, value: str) -> float:
    match = _VALUE.fullmatch(value)
    unit = match["unit"] if match else None
    is_time = info.unit == "TIME_NANOS"
    fits = unit is None or (unit in _TIMES and is_time) or (unit == "%" and info.unit == "ratio")
    if not match or not fits:
        wanted = {"TIME_NANOS": "a time like 120us (or ns without unit)", "COUNT": "a number"}
        raise PyptoPerfettoError(
            f"--{kind} {text}: the limit of {info.id} is "
            f"{wanted.get(info.unit, 'a fraction like 0.3, or 30%')}, or baseline"
        )
    return float(match["number"]) * (0.01 if unit == "%" else _TIMES.get(unit or "", 1))
