"""Results of a query: table, csv or json."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from typing import Any, TextIO

from perfetto.trace_processor import TraceProcessor
from rich.console import Console
from rich.table import Table

from perfetto_pypto.engine import query_columns
from perfetto_pypto.report.console import console_on
from perfetto_pypto.report.json import dumps
from perfetto_pypto.sql import modules_of

Columns = Mapping[str, Any]


def run_query(tp: TraceProcessor, sql: str) -> Columns:
    """Runs SQL, the package's modules that it names included.

    Raises:
        QueryError: the engine's message, with its line and caret.
    """
    for module in modules_of(sql):
        query_columns(tp, f"INCLUDE PERFETTO MODULE {module}")
    return query_columns(tp, sql)


def write_result(columns: Columns, form: str, file: TextIO) -> None:
    """Writes the rows; integers stay whole, absent values are empty (csv, table) or null."""
    rows = list(zip(*(_values(column) for column in columns.values()), strict=True))
    if form == "json":
        file.write(dumps([dict(zip(columns, row, strict=True)) for row in rows]) + "\n")
    elif form == "csv":
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    else:
        _write_table(columns, rows, file)


def _write_table(columns: Columns, rows: list[tuple[Any, ...]], file: TextIO) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="dim")
    for place, name in enumerate(columns):
        numeric = all(isinstance(row[place], int | float | None) for row in rows)
        table.add_column(name, justify="right" if numeric else "left", no_wrap=True)
    for row in rows:
        table.add_row(*("" if value is None else str(value) for value in row))
    # Rows are for tools when they aren't on a terminal: never cut to a width.
    width = Console(file=file, width=1_000_000).measure(table).maximum
    with console_on(file, width=max(width, 1)) as console:
        console.print(table)


def _values(column: Any) -> list[Any]:
    return list(column.tolist()) if hasattr(column, "tolist") else list(column)
