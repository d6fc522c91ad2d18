"""The trace processor: trace in, Perfetto's own SQL client out.

Importing this package costs nothing: the engines load when they are used.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfetto.trace_processor import TraceProcessor

    from perfetto_pypto.engine.columns import Column
    from perfetto_pypto.engine.info import EngineInfo

__all__ = ["engine_info", "is_in_process", "open_trace", "query_columns"]


def open_trace(
    trace: str | os.PathLike[str] | bytes | Iterable[bytes] | None,
    *,
    engine: str | None = None,
    sql_packages: Mapping[str, Path] | None = None,
    timeout: float | None = None,
) -> TraceProcessor:
    """Loads a trace into a trace processor.

    Args:
        trace: a file's path (protobuf, JSON, either gzipped), its bytes, or pieces of them in
            order. None loads nothing: an empty engine, or what a running server already holds.
        engine: ``embedded``; the path of a native trace_processor_shell; the path of another
            trace_processor ``.wasm``; or HOST:PORT of a running server, whose trace is replaced
            unless ``trace`` is None. Default: PYPTO_PERFETTO_TRACE_PROCESSOR, else embedded.
        sql_packages: package name to folder: ``a/b.sql`` in the folder of ``pypto`` is the
            module ``pypto.a.b``.
        timeout: seconds that one call (a piece of the trace, a query) may take; None: no limit.
            An embedded engine that ran out of time must be opened again.

    Returns:
        Perfetto's client. Close it, or use it in a ``with``; closing twice is fine.

    Raises:
        InputError: the file is missing, unreadable, no trace, or truncated.
        EngineError: the engine can't be started, crashed, or lost part of the trace.
    """
    from perfetto_pypto.engine.opening import open_engine

    return open_engine(trace, engine, sql_packages or {}, timeout)


def query_columns(tp: TraceProcessor, sql: str) -> dict[str, Column]:
    """Runs SQL and returns whole columns; fast for millions of cells.

    Args:
        tp: a trace processor on any engine.
        sql: one or more statements; the columns are those of the last.

    Returns:
        By name, in the query's order: an int64 array where all cells are integers, a float64
        array where all are doubles, else a list (str, int, float, bytes, None). A column without
        rows is an empty list; SQL without a SELECT gives no column.

    Raises:
        QueryError: SQL that the engine refuses, or two columns of one name.
        EngineError: the engine crashed, ran out of time, or can't be reached.
    """
    from perfetto_pypto.engine.columns import query_columns as run

    return run(tp, sql)


def is_in_process(tp: TraceProcessor) -> bool:
    """Whether the engine is part of this process: a forked copy then has one of its own."""
    from perfetto_pypto.engine.backend import EmbeddedTraceProcessor

    return isinstance(tp, EmbeddedTraceProcessor)


def engine_info(engine: str | None = None) -> EngineInfo:
    """Starts an engine, asks who it is, and closes it.

    Args:
        engine: as `open_trace`.

    Raises:
        EngineError: it can't be started.
    """
    from perfetto_pypto.engine.info import examine

    return examine(engine)
