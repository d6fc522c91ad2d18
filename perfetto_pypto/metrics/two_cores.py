"""The SQL behind a large run's metrics on two cores."""

from __future__ import annotations

import os
from collections.abc import Mapping

from perfetto.trace_processor import TraceProcessor

from perfetto_pypto.alongside import Forked, cores
from perfetto_pypto.engine import is_in_process, query_columns
from perfetto_pypto.engine.columns import Column
from perfetto_pypto.engine.packages import read_modules
from perfetto_pypto.sql import PACKAGE, package_dir

#: From here on the module takes longer than a process does to start.
_MANY_TASKS = 10_000

#: The slowest module, what it includes, and the little of it that others read.
_APART, _BEFORE, _TABLE = "engine_profile", "core", "_pypto_engine_slot"

#: Modules that don't need it.
_MEANWHILE = ("summary", "subgraph", "log", "stitch", "what_if")


def include_modules(tp: TraceProcessor) -> None:
    """Includes the modules of a large run's metrics, the slowest in a copy of the process.

    Its rows are then put into this engine, where the module is registered as one that makes
    nothing: `pypto_engine_profile` isn't there, so the run must be for the metrics alone, and no
    module may be included yet. Of a small run none is afterwards, nor where there is no second
    core.
    """
    if not is_in_process(tp) or cores() < 2:
        return
    if int(query_columns(tp, "SELECT count() AS n FROM slice")["n"][0]) < _MANY_TASKS:
        return
    modules = read_modules(PACKAGE, package_dir())
    name = f"{PACKAGE}.{_APART}"
    sql, modules[name] = modules[name], _included(_BEFORE)
    tp.http.register_sql_package(PACKAGE, modules, override=True)
    query_columns(tp, _included(_BEFORE))

    def run() -> tuple[int, dict[str, Column]]:
        query_columns(tp, sql)
        return os.getpid(), query_columns(tp, f"SELECT * FROM {_TABLE}")

    copy = Forked(run)
    query_columns(tp, _included(*_MEANWHILE))
    process, table = copy.result()
    if process != os.getpid():
        query_columns(tp, _literally(_TABLE, table))


def _included(*modules: str) -> str:
    return "".join(f"INCLUDE PERFETTO MODULE {PACKAGE}.{name};" for name in modules)


def _literally(name: str, columns: Mapping[str, Column]) -> str:
    """The statement that makes a table of texts and whole numbers."""
    names = list(columns)
    rows = zip(*(map(_literal, column) for column in columns.values()), strict=True)
    # VALUES without a row is no SQL: the first is one that isn't selected.
    values = [", ".join(["NULL"] * len(names)), *map(", ".join, rows)]
    return (
        f"CREATE PERFETTO TABLE {name} AS WITH given({', '.join(names)}) AS "
        f"(VALUES ({'), ('.join(values)})) SELECT * FROM given WHERE {names[0]} IS NOT NULL"
    )


def _literal(value: object) -> str:
    return "'{}'".format(value.replace("'", "''")) if isinstance(value, str) else str(value)
