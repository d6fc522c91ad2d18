"""The table: what a person sees first. How long, how busy, why not, where, and what to distrust."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from perfetto_pypto.lang import words
from perfetto_pypto.metrics import Metrics, stock
from perfetto_pypto.report import story
from perfetto_pypto.report.bundles import bundle_table
from perfetto_pypto.report.console import console_on
from perfetto_pypto.report.log_story import core_by_core, log_lines, log_title, widest
from perfetto_pypto.report.story import Row
from perfetto_pypto.report.text import bare_us, count, number, percent, us
from perfetto_pypto.report.wrap import wrap

#: Width of output that isn't a terminal.
_WIDTH = 80
_SUBGRAPHS = 6
_STITCHES = 4
_ADVICE = 3
_BAR = 36

#: Parts of a bar: (sign, style, words).
_BUSY = ("█", "green", "busy")
_SCHEDULE = ("▓", "red", "scheduling wait")
_PREDECESSOR = ("▒", "yellow", "dependency wait")
_STARTUP = ("░", "magenta", "start-up")
_NO_WORK = ("·", "blue", "no more work")
_PARTS = (_BUSY, _SCHEDULE, _PREDECESSOR, _STARTUP, _NO_WORK)


def write_table(metrics: Metrics, file: TextIO, *, whole: bool = True) -> None:
    """Prints the report; a table per bundle where the metrics are not the ``whole``."""
    with console_on(file, width=_WIDTH) as console:
        _header(console, metrics)
        run = story.run_row(metrics)
        if whole and run:
            makespan = float(run["makespan"] or 0)
            console.print()
            for line in story.headline(metrics, run):
                _line(console, *line)
            _engines(console, metrics, run)
            _cores(console, metrics, makespan)
            _subgraphs(console, metrics)
            _stitches(console, metrics)
            _path(console, metrics, run)
            _advice(console, metrics, run)
        for bundle in metrics.bundles:
            if not whole or bundle not in stock().bundles:
                _bundle(console, metrics, bundle)
        _log(console, metrics)
        _findings(console, metrics)


def _header(console: Console, metrics: Metrics) -> None:
    source = metrics.input
    name = Text.assemble((source.name, "bold"), f"  {source.format} ({story.layout(metrics)})")
    console.print(name)
    for line in story.cores_and_clock(metrics):
        console.print(line)


def _line(console: Console, name: str, value: str, note: str) -> None:
    console.print(f"  {_pad(name, 12)}", end="")
    console.print(Text(f"{value:>12}", style="bold"), end="")
    console.print(f"   {note}")


def _title(console: Console, text: str) -> None:
    console.print(Text(f"\n{text}", style="bold"))


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="dim")
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place else "left", no_wrap=True)
    return table


def _engines(console: Console, metrics: Metrics, run: Row) -> None:
    t = words(metrics.lang)
    _title(console, t("Where core time went: busy + the three waits = cores × makespan"))
    table = _table(*map(t, story.ENGINE_HEADS))
    for cells in story.engine_rows(metrics, run):
        table.add_row(*cells)
    console.print(table)


def _bundle(console: Console, metrics: Metrics, bundle: str) -> None:
    shown = bundle_table(metrics, bundle)
    _title(console, bundle)
    table = _table()
    for place, head in enumerate(shown.heads):
        table.add_column(
            head, justify="left" if place < shown.dimension_count else "right", overflow="fold"
        )
    for cells in shown.rows:
        table.add_row(*(Text(cell) for cell in cells))
    # Off a terminal a row stays a line, however wide.
    usual = console.width
    if not console.is_terminal:
        console.width = max(usual, Console(width=1_000_000).measure(table).maximum)
    console.print(table)
    console.width = usual


def _cores(console: Console, metrics: Metrics, makespan: float) -> None:
    rows = metrics.rows("pypto_core")
    if not rows or not makespan:
        return
    t = words(metrics.lang)
    _title(console, t("Core by core over the makespan"))
    legend = Text(" ")
    for sign, style, meaning in _PARTS:
        legend.append(f" {sign}", style=style).append(f" {t(meaning)} ")
    console.print(legend)
    for engine in metrics.input.core_counts:
        used = sorted(
            (row for row in rows if row["engine"] == engine and row["task_count"]),
            key=lambda row: -float(row["busy"] or 0),
        )
        places = {len(used) - 1: "least", (len(used) - 1) // 2: "median", 0: "busiest"}
        for place, word in sorted(places.items()) if used else ():
            row = used[place]
            line = Text(f"  {row['core']:<7} {_pad(t(word), 8)} ")
            _append_bar(line, row, makespan)
            share = float(row["busy"] or 0) / makespan
            tasks = t.plural(int(row["task_count"] or 0), "task")
            line.append(f" {t('{share} busy, {tasks}', share=f'{percent(share):>6}', tasks=tasks)}")
            console.print(line)
        idle = metrics.input.core_counts[engine] - len(used)
        if idle:
            count = metrics.input.core_counts[engine]
            text = t(
                "{idle} of {count} {engine} cores ran no task",
                idle=idle,
                count=count,
                engine=engine,
            )
            console.print(f"  {text}")


def _append_bar(line: Text, row: Row, makespan: float) -> None:
    values = [
        _sum(row, "busy"),
        _sum(row, "wait_schedule"),
        _sum(row, "wait_predecessor"),
        _sum(row, "startup"),
        _sum(row, "tail", "idle"),
    ]
    for (sign, style, _), width in zip(_PARTS, bar_widths(values, makespan), strict=True):
        line.append(sign * width, style=style)


def bar_widths(values: Sequence[float], whole: float, width: int = _BAR) -> list[int]:
    """Cuts a bar into parts: rounded at their borders, so that they always fill it."""
    borders, total = [0], 0.0
    for value in values:
        total += value
        borders.append(round(width * total / whole))
    return [end - start for start, end in pairwise(borders)]


def _subgraphs(console: Console, metrics: Metrics) -> None:
    rows, hidden = story.subgraph_rows(metrics, _SUBGRAPHS)
    t = words(metrics.lang)
    title = t("Subgraphs with the most time (µs)")
    if hidden:
        title += t("; {count} more", count=hidden)
    _title(console, title)
    table = _table(*map(t, story.SUBGRAPH_HEADS))
    for cells in rows:
        table.add_row(*(Text(cell) for cell in cells))
    console.print(table)


def _stitches(console: Console, metrics: Metrics) -> None:
    rows = metrics.rows("pypto_stitch")
    if len(rows) < 2:
        return
    gaps = sum(max(number(row["gap_to_next"]) or 0, 0) for row in rows)
    t = words(metrics.lang)
    title = t("Device tasks (seqNo): {count}, {gaps} between them", count=len(rows), gaps=us(gaps))
    if len(rows) > _STITCHES:
        title += t("; longest {count}", count=_STITCHES)
    heads = ("seq", "tasks", "span µs", "gap to next µs", "utilization")
    _title(console, title)
    table = _table(*map(t, heads))
    longest = sorted(rows, key=lambda row: -float(row["span"] or 0))[:_STITCHES]
    for row in longest:
        table.add_row(
            str(row["seq_no"]),
            count(number(row["task_count"])),
            bare_us(number(row["span"])),
            bare_us(number(row["gap_to_next"])),
            percent(number(row["utilization"])),
        )
    console.print(table)


def _path(console: Console, metrics: Metrics, run: Row) -> None:
    t = words(metrics.lang)
    _title(console, t("Critical path as observed: its parts are the makespan"))
    for time, share, text in story.path_rows(metrics, run):
        console.print(f"  {time:>10} µs {share:>6}  {text}")
    if static := story.static_path(metrics, run):
        console.print(f"  {static}")


def _advice(console: Console, metrics: Metrics, run: Row) -> None:
    best, hidden = story.top_advice(metrics, _ADVICE)
    if not best:
        return
    t = words(metrics.lang)
    title = t("What to try next, one knob at a time")
    if hidden:
        title += t("; {count} more in --format json", count=hidden)
    _title(console, title)
    for place, advice in enumerate(best, start=1):
        style = {"high": "bold red", "medium": "yellow"}.get(advice.severity, "dim")
        head = Text(f"{place}. {advice.title}", style=style)
        console.print(head.append(f" ({advice.rule}, {t(advice.severity)})", style="dim"))
        evidence = t("; ").join(found.text for found in advice.evidence)
        for text in (advice.text, evidence, story.gain(metrics, advice, run)):
            for line in wrap(text, console.width - 3):
                console.print(Text(f"   {line}"))
        console.print(Padding(Text(advice.snippet, style="bold", overflow="fold"), (0, 0, 0, 3)))
        # A command to copy: never broken into lines.
        console.print(f"   {story.look(metrics, advice)}", markup=False, soft_wrap=True)


def _log(console: Console, metrics: Metrics) -> None:
    title = log_title(metrics)
    if not title:
        return
    t = words(metrics.lang)
    _title(console, title)
    console.print("  " + t("All cores together, µs: the log's figure → ours, and why"))
    for line in log_lines(metrics):
        figures = Text(f"  {line.name:<21} {line.printed:>12} → {line.ours:>12}")
        console.print(figures.append(f"  {line.meaning}", style="dim"))
        for amount, reason in line.reasons:
            console.print(Text(f"    {amount:>12}  {reason}"))
    if most := widest(metrics):
        console.print(f"  {most}")
    # A command to copy: never broken into lines.
    console.print(f"   {core_by_core(metrics)}", markup=False, soft_wrap=True)


def _findings(console: Console, metrics: Metrics) -> None:
    if not metrics.findings:
        return
    t = words(metrics.lang)
    _title(console, t("Findings about the input"))
    table = Table(box=None, pad_edge=False, padding=(0, 1), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column()
    for finding in metrics.findings:
        style = {"error": "bold red", "warning": "yellow"}.get(finding.severity, "dim")
        text = Text(f"{finding.code}: {finding.message}")
        if finding.examples:
            text.append(f" ({finding.examples[0]})", style="dim")
        table.add_row(Text(f"  {t(finding.severity)}", style=style), f"{finding.count:,}", text)
    console.print(table)


def _pad(text: str, width: int) -> str:
    """Fills up to ``width`` cells: a Chinese character takes two."""
    return text + " " * (width - cell_len(text))


def _sum(row: Row, *keys: str) -> float:
    return sum(float(row[key] or 0) for key in keys)
