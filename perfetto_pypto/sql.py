"""The PerfettoSQL package `pypto`: where it lies, its modules and metric specs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

#: Name under which the package is registered: module `pypto.x` is the file `x.sql`.
PACKAGE = "pypto"

_CREATE = re.compile(r"^CREATE PERFETTO (?:TABLE|VIEW|FUNCTION|MACRO) (\w+)", re.MULTILINE)
_WORD = re.compile(r"\w+")


@cache
def package_dir() -> Path:
    """Returns the folder of the SQL modules and specs: in the wheel, or in the source tree."""
    inside = Path(__file__).with_name("sql_metrics")
    return inside if inside.is_dir() else Path(__file__).parent.parent / "sql_metrics"


@cache
def metric_specs() -> dict[str, str]:
    """Returns the metric specs as textproto, by bundle id, in the order of the reports."""
    order = (
        "run",
        "engine",
        "core",
        "subgraph",
        "stitch",
        "observed_path",
        "what_if",
        "aicpu",
        "aicpu_overhead",
    )
    return {
        f"pypto_{name}": (package_dir() / f"{name}.textproto").read_text(encoding="utf-8")
        for name in order
    }


def modules_of(sql: str) -> list[str]:
    """Returns the modules that define the package's objects which ``sql`` names."""
    words = set(_WORD.findall(sql))
    return sorted({module for name, module in _objects().items() if name in words})


@cache
def _objects() -> dict[str, str]:
    return {
        name: f"{PACKAGE}.{file.stem}"
        for file in sorted(package_dir().glob("*.sql"))
        for name in _public(file.read_text(encoding="utf-8"))
    }


def _public(sql: str) -> Iterable[str]:
    return (name for name in _CREATE.findall(sql) if not name.startswith("_"))
