"""The SQL behind a large run's metrics on two cores."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

from perfetto.trace_processor import TraceProcessor

from perfetto_pypto.alongside import MANY_TASKS, Forked, cores
from perfetto_pypto.engine import query_columns
from perfetto_pypto.engine.choice import choose
from perfetto_pypto.engine.columns import Column
from perfetto_pypto.engine.packages import read_modules
from perfetto_pypto.predict import Prediction
from perfetto_pypto.sql import PACKAGE, package_dir
from perfetto_pypto.swimlane.model import Swimlane

_Columns = dict[str, Column]
_Copy = Forked[tuple[int, dict[str, _Columns]]]


@dataclass(frozen=True, slots=True)
class _Apart:
    """A module that a copy runs.

    includes: the modules that it includes
    tables:   the small ones of its tables, which are all that other modules read
    """

    name: str
    includes: tuple[str, ...]
    tables: tuple[str, ...]


_STATIC_PATH = _Apart("static_path", ("graph",), ("_pypto_graph", "pypto_static_path"))
_PROFILE = _Apart("engine_profile", ("core_step",), ("_pypto_engine_slot",))


def pays(run: Swimlane, engine: str | None) -> bool:
    """Whether `include_modules` can be used for a run, and is faster than one core."""
    return len(run.tasks) >= MANY_TASKS and choose(engine).kind == "embedded" and cores() > 1


def include_modules(tp: TraceProcessor, predictions: Iterable[Prediction]) -> None:
    """Includes the modules of a run's metrics, the slowest in copies of the process.

    Their rows are then put into this engine, where these modules are registered as ones that make
    nothing: their other tables aren't there, so the run must be for the metrics alone, and no
    module may be included yet.

    Args:
        tp: with the run; its trace has no predictions.
        predictions: they may be in the making until they are asked for.
    """
    modules = read_modules(PACKAGE, package_dir())
    stand_ins = {_full(part.name): _included(*part.includes) for part in (_STATIC_PATH, _PROFILE)}
    stand_ins[_full("prediction")] = _included("run")
    tp.http.register_sql_package(PACKAGE, modules | stand_ins, override=True)
    static_path = _begin(tp, _STATIC_PATH, modules)
    profile = _begin(tp, _PROFILE, modules)
    query_columns(tp, _included("efficiency", "log", "stitch"))
    _end(tp, static_path)
    made = list(predictions)
    names = [field.name for field in fields(Prediction)]
    columns: _Columns = {name: [getattr(one, name) for one in made] for name in names}
    query_columns(tp, _literally("_pypto_prediction", columns))
    query_columns(tp, _included("summary", "subgraph", "what_if"))
    _end(tp, profile)


def _begin(tp: TraceProcessor, part: _Apart, modules: Mapping[str, str]) -> _Copy:
    """Runs a module in a copy; the result is the process that it was run by, and its tables."""

    def run() -> tuple[int, dict[str, _Columns]]:
        query_columns(tp, modules[_full(part.name)])
        tables = {name: query_columns(tp, f"SELECT * FROM {name}") for name in part.tables}
        return os.getpid(), tables

    query_columns(tp, _included(*part.includes))
    return Forked(run)


def _end(tp: TraceProcessor, copy: _Copy) -> None:
    process, tables = copy.result()
    if process != os.getpid():
        for name, columns in tables.items():
            query_columns(tp, _literally(name, columns))


def _full(module: str) -> str:
    return f"{PACKAGE}.{module}"


def _included(*modules: str) -> str:
    return "".join(f"INCLUDE PERFETTO MODULE {_full(name)};" for name in modules)


def _literally(name: str, columns: _Columns) -> str:
    """The statement that makes a table of texts and whole numbers."""
    names = ", ".join(columns)
    rows = zip(*(map(_literal, column) for column in columns.values()), strict=True)
    # VALUES without a row is no SQL: the first is one that isn't selected.
    values = [", ".join(["NULL"] * len(columns) + ["FALSE"])]
    values += [", ".join([*row, "TRUE"]) for row in rows]
    return (
        f"CREATE PERFETTO TABLE {name} AS WITH given({names}, is_row) AS "
        f"(VALUES ({'), ('.join(values)})) SELECT {names} FROM given WHERE is_row"
    )


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    return "'{}'".format(value.replace("'", "''")) if isinstance(value, str) else str(value)
