"""Two sides of runs, before and after: what changed, by how much, and what explains it."""

from __future__ import annotations

from perfetto_pypto.compare.assemble import compare
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
    "Sample",
    "Side",
    "SubgraphChange",
    "compare",
]
