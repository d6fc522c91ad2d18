"""`pypto-perfetto check`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from perfetto_pypto.options import (
    cores_option,
    engine_option,
    lang_option,
    output_file,
    small_task_option,
)

if TYPE_CHECKING:
    from perfetto_pypto.api import Lang
    from perfetto_pypto.gate import Verdict

_FORMATS = ("text", "json", "junit", "github")


def _parse_tolerance(_ctx: click.Context, _param: click.Parameter, text: str) -> float:
    """``3%`` or ``0.03`` -> 0.03; an option's callback."""
    match = re.fullmatch(r"\s*(\d{1,6}(?:\.\d{1,6})?)\s*(%?)\s*", text)
    if not match:
        raise click.BadParameter(f"{text!r} is not like 3% or 0.03")
    return float(match[1]) * (0.01 if match[2] else 1)


@click.command()
@click.argument("source", metavar="INPUT")
@click.option(
    "--max",
    "maxima",
    metavar="ID=LIMIT",
    multiple=True,
    help="The metric must not be larger. Repeatable.",
)
@click.option(
    "--min",
    "minima",
    metavar="ID=LIMIT",
    multiple=True,
    help="The metric must not be smaller. Repeatable.",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="What `metrics --format json -o FILE` wrote of a good run.",
)
@click.option(
    "--tolerance",
    metavar="PERCENT",
    default="3%",
    show_default=True,
    callback=_parse_tolerance,
    help="How much worse than the baseline is good enough.",
)
@click.option("--format", "form", type=click.Choice(_FORMATS), default="text")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file.")
@lang_option
@cores_option
@small_task_option
@engine_option
def check(
    source: str,
    maxima: tuple[str, ...],
    minima: tuple[str, ...],
    baseline: Path | None,
    tolerance: float,
    form: str,
    output: Path | None,
    lang: Lang,
    cores: dict[str, int] | None,
    small_task_ns: int | None,
    engine: str | None,
) -> None:
    """Hold a run to limits and a baseline; the exit code is the verdict.

    \b
    INPUT  a run, or DATASET/NAME: the medians of runs that batch measured
    ID     a metric of `metrics --list`; {dim=value,...} behind it chooses rows,
           without it the limit holds for every row
    LIMIT  120us (a time without unit is in ns), 0.3 or 30%, a number,
           or baseline: the baseline's value, with the tolerance
    e.g.   --max 'pypto_engine_bubble_ratio{engine=AIV}=0.3'

    With --baseline: the makespan must not be longer than the baseline's plus the tolerance, the
    run must have at least half of its tasks, and every value of pypto_run and pypto_engine that
    the baseline has must be there.

    \b
    exit 0  every check passes
         1  a regression: a limit is broken, a metric that the gate names is
            absent, or the task count collapsed
         2  wrong usage, or an input that can't be read
         3  not comparable with the baseline: other core counts, another
            operator, or a value that the baseline lacks
    """  # noqa: D301 - click wants the character itself
    import perfetto_pypto as pp

    if not (maxima or minima or baseline):
        raise click.UsageError("nothing to check; give --max, --min or --baseline")
    verdict = pp.check_run(
        source,
        maxima=maxima,
        minima=minima,
        baseline=baseline,
        tolerance=tolerance,
        lang=lang,
        cores=cores,
        small_task_ns=small_task_ns,
        engine=engine,
    )
    with output_file(output) as file:
        _write(verdict, form, file)
    sys.exit(verdict.exit_code)


def _write(verdict: Verdict, form: str, file: TextIO) -> None:
    if form == "json":
        from perfetto_pypto.report.check_json import check_json
        from perfetto_pypto.report.json import dumps

        file.write(dumps(check_json(verdict)) + "\n")
    elif form == "junit":
        from perfetto_pypto.report.check_junit import check_junit

        file.write(check_junit(verdict))
    elif form == "github":
        from perfetto_pypto.report.check_github import check_github

        file.write(check_github(verdict))
    else:
        from perfetto_pypto.report.check_text import write_check_text

        write_check_text(verdict, file)
