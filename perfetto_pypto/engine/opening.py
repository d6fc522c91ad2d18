"""Choose the engine, load the trace, register the SQL, and believe none of it unchecked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from perfetto.common.exceptions import PerfettoException
from perfetto.trace_processor import TraceProcessor

from perfetto_pypto.engine import server
from perfetto_pypto.engine.backend import EmbeddedTraceProcessor
from perfetto_pypto.engine.choice import Choice, choose, for_size
from perfetto_pypto.engine.columns import query_columns
from perfetto_pypto.engine.packages import read_modules
from perfetto_pypto.engine.source import name_of, pieces_of, size_of
from perfetto_pypto.errors import EngineError, InputError

Trace = str | os.PathLike[str] | bytes | Iterable[bytes]


def open_engine(
    trace: Trace | None,
    engine: str | None,
    packages: Mapping[str, Path],
    timeout: float | None,
) -> TraceProcessor:
    """See `perfetto_pypto.engine.open_trace`."""
    modules = {name: read_modules(name, folder) for name, folder in packages.items()}
    choice = for_size(choose(engine), size_of(trace))
    tp = start(choice, packages, timeout)
    try:
        if trace is not None:
            _load(tp, trace)
        elif choice.kind != "server":
            _load(tp, ())  # without an end, even of nothing, there are no tables
        # After the load: it may reset a server, and the server then forgets its packages.
        for name, sql in modules.items():
            _register(tp, choice, name, sql)
    except BaseException:
        tp.close()
        raise
    return tp


def start(choice: Choice, packages: Mapping[str, Path], timeout: float | None) -> TraceProcessor:
    """Starts or reaches the engine, without a trace.

    Raises:
        EngineError: that isn't possible.
    """
    if choice.kind == "embedded":
        return EmbeddedTraceProcessor(choice.where, timeout)
    if choice.kind == "native":
        return server.start(choice.where, packages, timeout)
    return server.connect(choice.where, timeout)


def _load(tp: TraceProcessor, trace: Trace) -> None:
    name = name_of(trace)
    backend = tp.http
    try:
        for piece in pieces_of(trace):
            error = backend.parse(piece).error
            if error:
                raise _unreadable(name, error)
        backend.notify_eof()
    except PerfettoException as error:
        raise _unreadable(name, str(error)) from error
    except server.UNREACHABLE as error:
        raise EngineError(f"the trace processor was lost while loading {name} ({error})") from error
    lost = query_columns(
        tp,
        """
        SELECT name, sum(value) AS n FROM stats
        WHERE value > 0 AND severity IN ('error', 'data_loss') GROUP BY name ORDER BY name
        """,
    )
    if lost["name"]:
        what = ", ".join(f"{key} {n}" for key, n in zip(lost["name"], lost["n"], strict=True))
        raise EngineError(
            f"{name}: the trace processor lost a part of the trace: {what}; "
            "write the trace again, or see these names in Perfetto's stats table"
        )


def _register(tp: TraceProcessor, choice: Choice, name: str, modules: Mapping[str, str]) -> None:
    if choice.kind == "server":
        server.register(tp, choice.where, name, modules)
    elif choice.kind == "embedded":
        try:
            tp.http.register_sql_package(name, modules)
        except PerfettoException as error:
            raise EngineError(
                f"the SQL package {name} is refused: {' '.join(str(error).split())}"
            ) from error


def _unreadable(name: str, error: str) -> InputError:
    return InputError(
        name,
        f"the trace processor can't read it ({' '.join(error.split())})",
        "is it a complete trace: .pftrace, .pftrace.gz or JSON?",
    )
