"""`pypto-perfetto link`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from perfetto_pypto.options import cores_option, engine_option, lang_option, small_task_option

if TYPE_CHECKING:
    from perfetto_pypto.api import Lang


@click.command()
@click.argument("source", metavar="INPUT")
@click.option(
    "--trace-url",
    metavar="URL",
    required=True,
    help="Where ui.perfetto.dev can fetch the trace: https with CORS.",
)
@click.option("--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text")
@lang_option
@cores_option
@small_task_option
@engine_option
def link(
    source: str,
    trace_url: str,
    form: str,
    lang: Lang,
    cores: dict[str, int] | None,
    small_task_ns: int | None,
    engine: str | None,
) -> None:
    """Print links into the Perfetto UI for a trace that you host.

    INPUT is the trace that convert wrote, or the swimlane that it was made of.
    """
    import perfetto_pypto as pp

    links = pp.links(
        source, trace_url, lang=lang, cores=cores, small_task_ns=small_task_ns, engine=engine
    )
    if form == "json":
        import msgspec

        from perfetto_pypto.report.json import dumps

        sys.stdout.write(dumps(msgspec.to_builtins(links)) + "\n")
    elif form == "markdown":
        from perfetto_pypto.ui.links import to_markdown

        sys.stdout.write(to_markdown(links))
    else:
        sys.stdout.write("".join(f"{made.title}\n  {made.url}\n" for made in links))
