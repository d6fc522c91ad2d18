"""Two sides of runs, before and after: what changed, by how much, and what explains it."""

from __future__ import annotations

from perfetto_pypto.compare.assemble import compare
from perfetto_pypto.compare.explanation import middle
from perfetto_pypto.compare.measure import Run, measure
from perfetto_pypto.compare.model import (
    Change,
    Comparison,
    Explanation,
    Note,
    Part,
    Sample,
    Side,
    SubgraphChange,
)

__all__ = [
    "Change",
    "Comparison",
    "Explanation",
    "Note",
    "Part",
    "Run",
    "Sample",
    "Side",
    "SubgraphChange",
    "compare",
    "measure",
    "middle",
]
