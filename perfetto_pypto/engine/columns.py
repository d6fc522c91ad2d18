"""Whole columns out of a query's raw cells."""

from __future__ import annotations

import http.client
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from perfetto.common.exceptions import PerfettoException
from perfetto.trace_processor import TraceProcessor

from perfetto_pypto.errors import EngineError, QueryError

Cell: TypeAlias = str | int | float | bytes | None
Column: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.float64] | list[Any]

#: QueryResult.CellsBatch.CellType
_NULL, _INTEGER, _DOUBLE, _STRING, _BLOB = 1, 2, 3, 4, 5


def query_columns(tp: TraceProcessor, sql: str) -> dict[str, Column]:
    """See `perfetto_pypto.engine.query_columns`."""
    try:
        result = tp.http.execute_query(sql)
    except PerfettoException as error:
        raise EngineError(" ".join(str(error).split())) from error
    except (OSError, http.client.HTTPException) as error:
        raise EngineError(f"the trace processor can't be reached ({error})") from error
    if result.error:
        raise QueryError(_readable(result.error))
    names = list(result.column_names)
    if names == ["0"] and not any(batch.cells for batch in result.batch):
        return {}  # how the engine answers CREATE and INCLUDE: SELECT 0 WHERE 0
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise QueryError(f"two columns are named {twice}; name one of them with AS")
    return dict(zip(names, _decode(result.batch, len(names)), strict=True))


def rows(columns: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """The rows of a query's result, without numpy's types."""
    lists = [c.tolist() if isinstance(c, np.ndarray) else c for c in columns.values()]
    return list(zip(*lists, strict=True))


def _readable(error: str) -> str:
    """The engine's message first, then the place: line, text and caret, as the engine gives it."""
    lines = [line for line in error.rstrip().splitlines() if not line.startswith("Traceback")]
    message = [line for line in lines if not line.startswith(" ")]
    place = [line for line in lines if line.startswith(" ")]
    return "\n".join(message + place)


def _decode(batches: Sequence[Any], width: int) -> list[Column]:
    # Protobuf's number fields are buffers: one copy, nothing per cell.
    kinds = _concatenate([np.array(b.cells, np.uint8) for b in batches])
    if not kinds.size:
        return [[] for _ in range(width)]
    pools: dict[int, npt.NDArray[Any]] = {
        _INTEGER: _concatenate([np.array(b.varint_cells, np.int64) for b in batches]),
        _DOUBLE: _concatenate([np.array(b.float64_cells, np.float64) for b in batches]),
        _STRING: _objects([text for b in batches for text in _strings(b)]),
        _BLOB: _objects([blob for b in batches for blob in b.blob_cells]),
    }
    # A cell's value is the n-th of its kind, n being the cells of that kind before it.
    place = np.empty(kinds.size, np.int64)
    for kind, pool in pools.items():
        place[kinds == kind] = np.arange(len(pool))
    return [_column(kinds[i::width], place[i::width], pools) for i in range(width)]


def _column(
    kinds: npt.NDArray[np.uint8],
    place: npt.NDArray[np.int64],
    pools: dict[int, npt.NDArray[Any]],
) -> Column:
    first = int(kinds[0])
    if first != _NULL and (kinds == first).all():
        values = pools[first][place]
        return values if first in (_INTEGER, _DOUBLE) else values.tolist()
    cells = np.full(kinds.size, None, object)
    for kind, pool in pools.items():
        there = kinds == kind
        cells[there] = pool[place[there]]
    return cells.tolist()


def _strings(batch: Any) -> list[str]:
    """The cells of a batch lie in one text, each ended by NUL."""
    text = batch.string_cells
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    strings: list[str] = text.split("\0")
    strings.pop()
    return strings


def _objects(values: list[Any]) -> npt.NDArray[Any]:
    array = np.empty(len(values), object)
    array[:] = values
    return array


def _concatenate(arrays: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    return np.concatenate(arrays) if arrays else np.empty(0)
