"""`pypto-perfetto metrics`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from perfetto_pypto.options import (
    DASH,
    binary_output_file,
    cores_option,
    engine_option,
    lang_option,
    output_file,
    parse_names,
    parse_packages,
    small_task_option,
)

if TYPE_CHECKING:
    from perfetto.trace_processor import TraceProcessor

    from perfetto_pypto.api import Lang
    from perfetto_pypto.metrics import Metrics

_FORMATS = ("table", "json", "csv", "markdown", "html", "textproto", "pb")
_LIST_FORMATS = ("table", "json", "markdown")
_LINKED = ("json", "markdown", "html")
_SINGLE = {"pb": "message", "html": "page"}


@click.command()
@click.argument("inputs", metavar="INPUT...", nargs=-1)
@click.option("--format", "form", type=click.Choice(_FORMATS), default="table")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Write to this file; csv: into this folder.",
)
@click.option(
    "--metrics",
    "only",
    metavar="ID,...",
    callback=parse_names,
    help="Compute only these: ids, bundles, or globs such as 'pypto_engine_*'.",
)
@click.option(
    "--spec",
    "specs",
    metavar="FILE",
    multiple=True,
    help="Metrics of your own: a TraceSummarySpec as textproto. Repeatable.",
)
@click.option(
    "--sql-package",
    "sql_packages",
    metavar="DIR[@NAME]",
    multiple=True,
    callback=parse_packages,
    help="SQL modules of your own: DIR/x.sql is NAME.x. Repeatable.",
)
@click.option(
    "--rules",
    metavar="FILE",
    help="Tuning rules of your own (YAML), judged beside the package's.",
)
@click.option(
    "--summary-json",
    type=click.Path(path_type=Path),
    help="Also write a short summary for scripts: utilization, bottlenecks, knobs, rating.",
)
@click.option(
    "--trace-url",
    metavar="URL",
    help="Where the converted trace is hosted: html, json and markdown get links into the UI.",
)
@lang_option
@click.option("--list", "listing", is_flag=True, help="Print what each metric is; no INPUT.")
@cores_option
@small_task_option
@engine_option
def metrics(
    inputs: tuple[str, ...],
    form: str,
    output: Path | None,
    only: list[str] | None,
    specs: tuple[str, ...],
    sql_packages: dict[str, str],
    rules: str | None,
    summary_json: Path | None,
    trace_url: str | None,
    lang: Lang,
    listing: bool,
    cores: dict[str, int] | None,
    small_task_ns: int | None,
    engine: str | None,
) -> None:
    """Print where the time went: cores, waits, subgraphs, critical path.

    Several INPUTs: json is an array, csv has a folder per run, the others follow one another.
    """
    import perfetto_pypto as pp
    from perfetto_pypto.api import given_as
    from perfetto_pypto.opening import held

    _check(inputs, form, output, listing)
    if summary_json and (listing or only is not None):
        raise click.UsageError("--summary-json needs all metrics: leave out --metrics and --list")
    if form == "html" and only is not None:
        raise click.UsageError("--format html shows all metrics: leave out --metrics")
    if trace_url:
        _check_links(inputs, form, trace_url)
    if listing:
        _list(form, output, only, specs, sql_packages)
        return

    def measured(source: str | TraceProcessor) -> Metrics:
        return pp.compute_metrics(
            source,
            metrics=only,
            specs=specs,
            sql_packages=sql_packages,
            rules=rules,
            lang=lang,
            cores=cores,
            small_task_ns=small_task_ns,
            engine=engine,
        )

    if form == "html" or trace_url:
        with held(
            inputs[0],
            enriched=trace_url is not None,
            bare=not (specs or sql_packages or rules),
            cores=cores,
            small_task_ns=small_task_ns,
            engine=engine,
            sql_packages=sql_packages,
        ) as tp:
            results = [given_as(inputs[0], measured(tp))]
            text = _drawn(tp, results[0], form, trace_url, whole=only is None)
        with output_file(output) as file:
            file.write(text)
    else:
        results = [measured(source) for source in inputs]
        _write(results, form, output, whole=only is None)
    if summary_json:
        _write_summary(results, summary_json)


def _check(inputs: tuple[str, ...], form: str, output: Path | None, listing: bool) -> None:
    if listing:
        if inputs:
            raise click.UsageError("--list describes the metrics and takes no INPUT")
        if form not in _LIST_FORMATS:
            raise click.UsageError(f"--list has no format {form}; use {', '.join(_LIST_FORMATS)}")
        return
    if not inputs:
        raise click.UsageError("Missing argument 'INPUT...'.")
    if form == "csv" and output in (None, DASH):
        raise click.UsageError("--format csv writes a file per bundle; name their folder with -o")
    if form in _SINGLE and len(inputs) > 1:
        raise click.UsageError(
            f"--format {form} is one {_SINGLE[form]} and takes one INPUT; run it for each"
        )
    if form == "html":
        from perfetto_pypto.report.html import check_installed

        check_installed()


def _check_links(inputs: tuple[str, ...], form: str, trace_url: str) -> None:
    from perfetto_pypto.ui.links import check_url

    if form not in _LINKED or len(inputs) != 1:
        raise click.UsageError(
            "--trace-url goes with one INPUT and --format html, json or markdown"
        )
    check_url(trace_url)


def _list(
    form: str,
    output: Path | None,
    only: list[str] | None,
    specs: tuple[str, ...],
    sql_packages: dict[str, str],
) -> None:
    from perfetto_pypto.metrics import load
    from perfetto_pypto.report import listing

    catalog = load(specs, sql_packages)
    ids = list(catalog.metrics) if only is None else catalog.select(only)
    infos = [catalog.metrics[identifier] for identifier in ids]
    with output_file(output) as file:
        if form == "json":
            file.write(listing.list_json(infos))
        elif form == "markdown":
            file.write(listing.list_markdown(catalog, infos))
        else:
            listing.write_list(infos, file)


def _write_summary(results: list[Metrics], path: Path) -> None:
    from perfetto_pypto.report.json import dumps
    from perfetto_pypto.report.summary import to_summary

    values = [to_summary(result) for result in results]
    with output_file(path) as file:
        file.write(dumps(values if len(values) > 1 else values[0]) + "\n")


def _write(results: list[Metrics], form: str, output: Path | None, *, whole: bool) -> None:
    if form == "csv":
        from perfetto_pypto.report.csv import write_csv

        assert output is not None
        write_csv(results, output)
    elif form == "pb":
        with binary_output_file(output) as stream:
            stream.write(results[0].summary)
    elif form == "json":
        from perfetto_pypto.report.json import dumps, to_json

        values = [to_json(result) for result in results]
        with output_file(output) as file:
            file.write(dumps(values if len(values) > 1 else values[0]) + "\n")
    else:
        with output_file(output) as file:
            for place, result in enumerate(results):
                if place:
                    file.write("\n")
                _write_text(result, form, file, whole=whole)


def _drawn(
    tp: TraceProcessor, result: Metrics, form: str, trace_url: str | None, *, whole: bool
) -> str:
    """What needs the run itself beside its metrics: charts, and links."""
    import perfetto_pypto as pp
    from perfetto_pypto.report.json import dumps, to_json
    from perfetto_pypto.report.markdown import to_markdown
    from perfetto_pypto.ui import links as ui_links

    if form == "html" or trace_url is None:
        return pp.html_report(tp, result, trace_url=trace_url)
    links = pp.links(tp, trace_url, result if whole else None)
    if form == "json":
        return dumps(to_json(result, links)) + "\n"
    return f"{to_markdown(result, whole=whole)}\n{ui_links.to_markdown(links)}"


def _write_text(result: Metrics, form: str, file: TextIO, *, whole: bool) -> None:
    if form == "markdown":
        from perfetto_pypto.report.markdown import to_markdown

        file.write(to_markdown(result, whole=whole))
    elif form == "textproto":
        from perfetto_pypto.report.proto import to_textproto

        file.write(to_textproto(result))
    else:
        from perfetto_pypto.report.table import write_table

        write_table(result, file, whole=whole)
