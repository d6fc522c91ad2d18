"""`pypto-perfetto compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

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

#: Stands for `--` among the arguments: no file has such a name.
_BORDER = "\0--"


class _TwoSides(click.Command):
    """Keeps the place of `--`, which click drops, and lets options follow it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [_BORDER if arg == "--" else arg for arg in args])


@click.command(
    cls=_TwoSides,
    options_metavar="[OPTIONS]",
)
@click.argument("inputs", metavar="BASE... [--] NEW...", nargs=-1)
@click.option("--format", "form", type=click.Choice(["table", "json", "markdown"]), default="table")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file.")
@lang_option
@cores_option
@small_task_option
@engine_option
def compare(
    inputs: tuple[str, ...],
    form: str,
    output: Path | None,
    lang: Lang,
    cores: dict[str, int] | None,
    small_task_ns: int | None,
    engine: str | None,
) -> None:
    """Say what changed between two runs, by how much, and what explains it.

    \b
    compare BASE NEW                   one run a side
    compare BASE BASE -- NEW NEW       several a side: medians, spread, significance
    compare DATASET/NAME DATASET/NAME  runs that batch measured, by name, folder or glob

    With several runs a difference is significant when the exact Mann-Whitney test gives p <= 5%;
    with fewer than 4 + 4 runs, when every run of one side is beyond every run of the other. Times
    and ratios that differ by less than 0.1% are the same.

    Subgraphs are matched by leaf hash, the rest by label and shapes, the rest by label.
    """  # noqa: D301 - click wants the character itself
    import perfetto_pypto as pp

    base, new = _sides(inputs)
    comparison = pp.compare_runs(
        base, new, lang=lang, cores=cores, small_task_ns=small_task_ns, engine=engine
    )
    with output_file(output) as file:
        if form == "json":
            from perfetto_pypto.report.compare_json import compare_json
            from perfetto_pypto.report.json import dumps

            file.write(dumps(compare_json(comparison)) + "\n")
        elif form == "markdown":
            from perfetto_pypto.report.compare_markdown import compare_markdown

            file.write(compare_markdown(comparison))
        else:
            from perfetto_pypto.report.compare_table import write_compare_table

            write_compare_table(comparison, file)


def _sides(inputs: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if inputs.count(_BORDER) == 1:
        border = inputs.index(_BORDER)
        base, new = inputs[:border], inputs[border + 1 :]
        if base and new:
            return base, new
    elif len(inputs) == 2:
        return inputs[:1], inputs[1:]
    raise click.UsageError(
        "give BASE and NEW, or several runs a side with -- between: compare BASE BASE -- NEW NEW"
    )
