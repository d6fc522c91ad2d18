"""Slices as columns: what was written and what was loaded, to be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from perfetto_pypto.swimlane.model import Int64s

#: A row of the UI: track name and category.
Row = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Slices:
    """Slices of rows.

    rows:   the rows; one may stand here twice
    values: slices x 3: number of the row, start and duration in ns
    """

    rows: list[Row]
    values: Int64s

    @classmethod
    def of(cls, times: Iterable[tuple[Row, Int64s]]) -> Slices:
        """Builds it from rows with the start and duration of each of their slices, in turn."""
        rows: list[Row] = []
        parts = [np.zeros((0, 3), dtype=np.int64)]
        for row, pairs in times:
            parts.append(np.insert(pairs.reshape(-1, 2), 0, len(rows), axis=1))
            rows.append(row)
        return cls(rows, np.concatenate(parts))


def joined(several: Sequence[Slices]) -> Slices:
    """All slices together."""
    rows: list[Row] = []
    parts = [np.zeros((0, 3), dtype=np.int64)]
    for slices in several:
        parts.append(slices.values + np.array([len(rows), 0, 0]))
        rows += slices.rows
    return Slices(rows, np.concatenate(parts))


def in_order(slices: Slices, rows: Sequence[Row]) -> Int64s:
    """The values in a fixed order, with the numbers of ``rows``, which has every row."""
    number = {row: place for place, row in enumerate(rows)}
    values = slices.values.copy()
    numbers = np.array([number[row] for row in slices.rows], dtype=np.int64)
    values[:, 0] = numbers[values[:, 0]]
    return values[np.lexsort(values.T[::-1])]
