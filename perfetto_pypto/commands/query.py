"""`pypto-perfetto query`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.options import cores_option, engine_option, small_task_option


@click.command()
@click.argument("source", metavar="INPUT")
@click.argument("sql", required=False)
@click.option("-f", "--file", "sql_file", type=click.Path(path_type=Path), help="Read SQL here.")
@click.option("--format", "form", type=click.Choice(["table", "csv", "json"]), default="table")
@cores_option
@small_task_option
@engine_option
def query(
    source: str,
    sql: str | None,
    sql_file: Path | None,
    form: str,
    cores: dict[str, int] | None,
    small_task_ns: int | None,
    engine: str | None,
) -> None:
    """Run PerfettoSQL on a run.

    The package's modules are included by themselves: SELECT * FROM pypto_core_stats just works.
    """
    import perfetto_pypto as pp
    from perfetto_pypto.report.query import run_query, write_result

    if (sql is None) == (sql_file is None):
        raise click.UsageError("give the SQL as an argument or with -f FILE, not both")
    text = sql if sql is not None else _read_sql(sql_file)
    with pp.open_trace(source, cores=cores, small_task_ns=small_task_ns, engine=engine) as tp:
        write_result(run_query(tp, text or ""), form, sys.stdout)


def _read_sql(path: Path | None) -> str:
    assert path is not None
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PyptoPerfettoError(f"{path}: can't be read ({error}); pass a file of SQL") from error
