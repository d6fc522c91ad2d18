"""`pypto-perfetto batch`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perfetto_pypto.options import (
    clock_option,
    engine_option,
    no_dash,
    parse_cores,
    small_task_option,
)

if TYPE_CHECKING:
    from perfetto_pypto.dataset.build import Batch, Step


@click.command()
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=click.Path(path_type=Path),
    required=True,
    callback=no_dash,
    help="The data set: new, or to go on with.",
)
@click.option(
    "--executor",
    metavar="local|dask://HOST:PORT",
    default="local",
    show_default=True,
    help="Processes on this machine, or the scheduler of a Dask cluster.",
)
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(min=1),
    help="Local processes. Default: one a core.",
)
@click.option(
    "--cores",
    metavar="AIC=N,AIV=N",
    callback=parse_cores,
    help="Cores per engine in each run, e.g. AIC=24,AIV=48. Default: what the files show.",
)
@clock_option
@small_task_option
@engine_option
def batch(
    inputs: tuple[str, ...],
    output: Path,
    executor: str,
    jobs: int | None,
    cores: dict[str, int] | None,
    clock_mhz: int | None,
    small_task_ns: int | None,
    engine: str | None,
) -> None:
    """Measure many runs into one Parquet data set.

    \b
    INPUT  a file; a folder, for every run below it; a glob, quoted, with ** for
           any depth; or a URL of these (s3://...) where fsspec has a driver
    DIR    metrics/RUN.parquet, a row per metric, and index.jsonl, a line per run

    Called again it goes on: runs that are there already with the same path, content, version of
    this tool and options are skipped, failed ones are tried again.

    \b
    exit 0  every run is in the data set
         1  some are not: each has its reason on stderr and in the index
         2  wrong usage, or DIR can't be written
    """  # noqa: D301 - click wants the character itself
    import perfetto_pypto as pp

    if jobs and executor != "local":
        raise click.UsageError("--jobs is for --executor local: a cluster has its own workers")
    with _progress() as on_step:
        result = pp.batch(
            inputs,
            output,
            executor=executor,
            jobs=jobs,
            cores=cores,
            clock_mhz=clock_mhz,
            small_task_ns=small_task_ns,
            engine=engine,
            on_step=on_step,
        )
    click.echo(_summary(result), err=True)
    sys.exit(1 if result.failed else 0)


def _summary(result: Batch) -> str:
    parts = [f"{len(result.computed):,} measured"]
    if result.skipped:
        parts.append(f"{len(result.skipped):,} there already")
    if result.failed:
        parts.append(f"{len(result.failed):,} failed")
    return f"{', '.join(parts)}: {result.folder}"


@contextmanager
def _progress() -> Iterator[Callable[[Step], None]]:
    """Reports failures as they come; on a terminal also how many runs are done, and how fast."""
    if not sys.stderr.isatty():

        def report(step: Step) -> None:
            if step.entry.error:
                click.echo(f"error: {step.entry.error}", err=True)

        yield report
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"), Remaining())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=None, rate="")

        def advance(step: Step) -> None:
            speed = bar.tasks[0].speed
            rate = f"{speed:.1f} runs/s" if speed else ""
            bar.update(task, total=step.total, completed=step.finished, rate=rate)
            if step.entry.error:
                bar.console.print(
                    f"error: {step.entry.error}", markup=False, highlight=False, soft_wrap=True
                )

        yield advance
