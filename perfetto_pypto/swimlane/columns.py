"""Small operations on columns that the readers share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perfetto_pypto.swimlane.model import Int64s, Strings


def remap(column: Strings, convert: Callable[[str], str | None]) -> Strings:
    """Converts each distinct text once; texts that become equal share a code; "" is absent."""
    index: dict[str, int] = {}
    codes = [
        index.setdefault(text, len(index)) if text else -1 for text in map(convert, column.values)
    ]
    table = np.array([*codes, -1], dtype=np.int32)  # code -1, absent, picks the last
    return Strings(table[column.codes], list(index))


def replaced(column: Strings, rows: Mapping[int, str | None]) -> Strings:
    """The column with other texts in some rows."""
    index = {text: code for code, text in enumerate(column.values)}
    codes = column.codes.copy()
    for row, text in rows.items():
        codes[row] = index.setdefault(text, len(index)) if text else -1
    return Strings(codes, list(index))


def take(column: Strings, rows: Int64s) -> Strings:
    """Some rows of the column."""
    return Strings(column.codes[rows], column.values)


def repeats(keys: list[NDArray[Any]], identity: Callable[[int], object]) -> Int64s:
    """Rows equal to an earlier row in all ``keys``, and by ``identity``, which is asked last."""
    order = np.lexsort(keys)
    same = np.ones(max(len(order) - 1, 0), dtype=bool)
    for key in keys:
        same &= key[order][1:] == key[order][:-1]
    candidates = np.zeros(len(order), dtype=bool)
    candidates[order[1:][same]] = True
    candidates[order[:-1][same]] = True
    met: set[tuple[object, ...]] = set()
    found = []
    for row in np.flatnonzero(candidates):
        key_of_row = (*(key[row] for key in keys), identity(int(row)))
        if key_of_row in met:
            found.append(row)
        met.add(key_of_row)
    return np.array(found, dtype=np.int64)
