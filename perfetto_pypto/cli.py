"""The command line: thin, over the public API. Heavy modules load in the commands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.options import output_file, parse_cores, parse_duration

_engine = click.option(
    "--trace-processor",
    "engine",
    metavar="ENGINE",
    envvar="PYPTO_PERFETTO_TRACE_PROCESSOR",
    help="embedded (default), the path of a trace_processor binary or .wasm, or HOST:PORT.",
)
_cores = click.option(
    "--cores",
    metavar="AIC=N,AIV=N",
    callback=parse_cores,
    help="Cores per engine, e.g. AIC=24,AIV=48. Default: what the file shows.",
)
_small_task = click.option(
    "--small-task",
    "small_task_ns",
    metavar="TIME",
    callback=parse_duration,
    help="Tasks shorter than this are small. Default: 10us.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="pypto-perfetto", message="%(prog)s %(version)s")
def cli() -> None:
    """Where did my PyPTO operator's time go, and which knob brings it back?

    INPUT is a merged_swimlane.json (or .json.gz), an output_* folder that holds one, or a
    .pftrace made by convert.
    """


@cli.command()
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file.")
@_cores
@_small_task
@_engine
def metrics(
    inputs: tuple[str, ...],
    form: str,
    output: Path | None,
    cores: dict[str, int] | None,
    small_task_ns: int | None,
    engine: str | None,
) -> None:
    """Print where the time went: cores, waits, subgraphs, critical path.

    With several INPUTs, json prints an array.
    """
    import perfetto_pypto as pp

    results = [
        pp.compute_metrics(source, cores=cores, small_task_ns=small_task_ns, engine=engine)
        for source in inputs
    ]
    with output_file(output) as file:
        if form == "json":
            from perfetto_pypto.report.json import dumps, to_json

            values = [to_json(result) for result in results]
            file.write(dumps(values if len(values) > 1 else values[0]) + "\n")
        else:
            from perfetto_pypto.report.table import write_table

            for place, result in enumerate(results):
                if place:
                    file.write("\n")
                write_table(result, file)


@cli.command()
@click.argument("source", metavar="INPUT")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="OUT.pftrace[.gz]"
)
@click.option(
    "--flows",
    type=click.Choice(["auto", "all", "critical", "none"]),
    default="auto",
    help="Arrows to draw. auto: at most 500 a slice and direction; all: every one.",
)
@click.option("--facts-only", is_flag=True, help="Leave out bubbles, states, path and counters.")
@_cores
@_small_task
@_engine
def convert(
    source: str,
    output: Path,
    flows: Any,
    facts_only: bool,
    cores: dict[str, int] | None,
    small_task_ns: int | None,
    engine: str | None,
) -> None:
    """Write the enriched Perfetto trace: open it in ui.perfetto.dev."""
    import perfetto_pypto as pp

    pp.convert(
        source,
        output,
        flows=flows,
        facts_only=facts_only,
        cores=cores,
        small_task_ns=small_task_ns,
        engine=engine,
    )
    click.echo(f"wrote {output} ({output.stat().st_size:,} bytes)", err=True)


@cli.command()
@click.argument("source", metavar="INPUT")
@click.argument("sql", required=False)
@click.option("-f", "--file", "sql_file", type=click.Path(path_type=Path), help="Read SQL here.")
@click.option("--format", "form", type=click.Choice(["table", "csv", "json"]), default="table")
@_cores
@_small_task
@_engine
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


@cli.command()
@_engine
def doctor(engine: str | None) -> None:
    """Say which engine runs, which versions are there, and what is missing."""
    from perfetto_pypto.doctor import examine

    report, healthy = examine(engine)
    click.echo(report)
    if not healthy:
        sys.exit(2)


def main() -> None:
    """Entry point: errors are one line on stderr and exit code 2, never a traceback."""
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except KeyboardInterrupt:
        sys.exit(130)
    except click.ClickException as error:
        _fail(error.format_message())
    except PyptoPerfettoError as error:
        _fail(str(error))
    except BrokenPipeError:
        # The reader (head, less) has gone: nothing more to say, also not at exit.
        sys.stderr.close()
        sys.exit(1)
    else:
        sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> None:
    click.echo(f"error: {message}", err=True)
    sys.exit(2)
