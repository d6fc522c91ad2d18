"""The table: what a person sees first. How long, how busy, why not, where, and what to distrust."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from perfetto_pypto.metrics import Finding, Metrics
from perfetto_pypto.report.console import console_on
from perfetto_pypto.report.text import bare_us, count, percent, plural, times, us

#: Width of output that isn't a terminal.
_WIDTH = 80
_SUBGRAPHS = 6
_STITCHES = 4
_BAR = 36

#: Parts of a bar: (sign, style, words).
_BUSY = ("█", "green", "busy")
_SCHEDULE = ("▓", "red", "scheduling wait")
_PREDECESSOR = ("▒", "yellow", "dependency wait")
_STARTUP = ("░", "magenta", "start-up")
_NO_WORK = ("·", "blue", "no more work")
_PARTS = (_BUSY, _SCHEDULE, _PREDECESSOR, _STARTUP, _NO_WORK)

Row = dict[str, "str | int | float | None"]


def write_table(metrics: Metrics, file: TextIO) -> None:
    """Prints the report."""
    with console_on(file, width=_WIDTH) as console:
        _header(console, metrics)
        runs = metrics.rows("pypto_run")
        if runs:
            run, makespan = runs[0], float(runs[0]["makespan"] or 0)
            _headline(console, metrics, run)
            _engines(console, metrics, makespan)
            _cores(console, metrics, makespan)
            _subgraphs(console, metrics)
            _stitches(console, metrics)
            _path(console, metrics, run)
        _findings(console, metrics.findings)


def _header(console: Console, metrics: Metrics) -> None:
    source = metrics.input
    cores = " + ".join(f"{n} {engine}" for engine, n in source.core_counts.items()) or "no"
    clock = f"clock {source.clock_hz / 1e6:g} MHz" if source.clock_hz else "clock unknown"
    console.print(Text(source.name, style="bold"), end="")
    console.print(f"  {source.format} ({source.layout})")
    console.print(f"{cores} cores: {source.core_counts_from}")
    console.print(f"{clock}: {source.clock_from}")


def _headline(console: Console, metrics: Metrics, run: Row) -> None:
    everything = metrics.rows("pypto_engine")[0]
    facts = ", ".join(
        [
            plural(int(run["task_count"] or 0), "task"),
            plural(int(run["hub_count"] or 0), "hub"),
            f"{count(_number(run['dependency_count']))} dependencies",
        ]
    )
    console.print()
    _line(console, "makespan", us(_number(run["makespan"])), facts)
    _line(
        console,
        "utilization",
        percent(_number(everything["utilization"])),
        f"bubbles {percent(_number(everything['bubble_ratio']))}; 气泡率 of the tuning guide "
        f"{percent(_number(everything['skill_bubble_rate']))}",
    )
    if run["lower_bound"] is not None:
        _line(
            console,
            "lower bound",
            us(_number(run["lower_bound"])),
            f"no schedule on these cores is faster: {times(_number(run['headroom']))}",
        )


def _line(console: Console, name: str, value: str, note: str) -> None:
    console.print(f"  {name:<12}", end="")
    console.print(Text(f"{value:>12}", style="bold"), end="")
    console.print(f"   {note}")


def _table(title: str, *columns: str) -> Table:
    table = Table(
        title=Text(title, style="bold"),
        title_justify="left",
        box=None,
        pad_edge=False,
        padding=(0, 1),
        header_style="dim",
    )
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place else "left", no_wrap=True)
    return table


def _engines(console: Console, metrics: Metrics, makespan: float) -> None:
    table = _table(
        "\nWhere core time went: busy + the three waits = cores × makespan",
        "engine",
        "cores",
        "tasks",
        "busy",
        "scheduling",
        "dependency",
        "no work",
        "spread",
        "small",
    )
    for row in metrics.rows("pypto_engine"):
        whole = float(row["core_count"] or 0) * makespan
        parts = [_number(row[key]) for key in ("busy", "starved", "blocked", "drained")]
        table.add_row(
            str(row["engine"]),
            f"{row['used_core_count']}/{row['core_count']}",
            count(_number(row["task_count"])),
            *(percent(part / whole if part is not None and whole else None) for part in parts),
            percent(_number(row["aicore_time_spread"])),
            percent(_number(row["small_task_share"])),
        )
    console.print(table)


def _cores(console: Console, metrics: Metrics, makespan: float) -> None:
    rows = metrics.rows("pypto_core")
    if not rows or not makespan:
        return
    console.print(Text("\nCore by core over the makespan", style="bold"))
    legend = Text(" ")
    for sign, style, words in _PARTS:
        legend.append(f" {sign}", style=style).append(f" {words} ")
    console.print(legend)
    for engine in metrics.input.core_counts:
        used = sorted(
            (row for row in rows if row["engine"] == engine and row["task_count"]),
            key=lambda row: -float(row["busy"] or 0),
        )
        places = {len(used) - 1: "least", (len(used) - 1) // 2: "median", 0: "busiest"}
        for place, word in sorted(places.items()) if used else ():
            row = used[place]
            line = Text(f"  {row['core']:<7} {word:<8} ")
            _append_bar(line, row, makespan)
            share = float(row["busy"] or 0) / makespan
            line.append(f" {percent(share):>6} busy, {plural(int(row['task_count'] or 0), 'task')}")
            console.print(line)
        idle = metrics.input.core_counts[engine] - len(used)
        if idle:
            console.print(
                f"  {idle} of {metrics.input.core_counts[engine]} {engine} cores ran no task"
            )


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
    rows = metrics.rows("pypto_subgraph")
    hidden = len(rows) - _SUBGRAPHS
    table = _table(
        f"\nSubgraphs with the most time (µs){f'; {hidden} more' if hidden > 0 else ''}",
        "label",
        "leaf hash",
        "engine",
        "tasks",
        "total",
        "share",
        "median",
        "max",
        "on path",
    )
    for row in rows[:_SUBGRAPHS]:
        table.add_row(
            _cut(str(row["label"]) or "(no label)", 16),
            _cut(str(row["leaf_hash"]), 9),
            str(row["engine"]),
            count(_number(row["task_count"])),
            bare_us(_number(row["total"])),
            percent(_number(row["time_share"])),
            bare_us(_number(row["median"])),
            bare_us(_number(row["max"])),
            bare_us(_number(row["critical_path_time"])),
        )
    console.print(table)


def _stitches(console: Console, metrics: Metrics) -> None:
    rows = metrics.rows("pypto_stitch")
    if len(rows) < 2:
        return
    gaps = sum(max(_number(row["gap_to_next"]) or 0, 0) for row in rows)
    table = _table(
        f"\nDevice tasks (seqNo): {len(rows)}, {us(gaps)} between them"
        f"{f'; longest {_STITCHES}' if len(rows) > _STITCHES else ''}",
        "seq",
        "tasks",
        "span µs",
        "gap to next µs",
        "utilization",
    )
    longest = sorted(rows, key=lambda row: -float(row["span"] or 0))[:_STITCHES]
    for row in longest:
        table.add_row(
            str(row["seq_no"]),
            count(_number(row["task_count"])),
            bare_us(_number(row["span"])),
            bare_us(_number(row["gap_to_next"])),
            percent(_number(row["utilization"])),
        )
    console.print(table)


_PATH_WORDS = {
    "compute": "tasks on the path",
    "data_wait": "gaps after the last predecessor had ended",
    "core_wait": "gaps after the core had become free",
    "front": "before the first task",
}


def _path(console: Console, metrics: Metrics, run: Row) -> None:
    rows = {str(row["kind"]): row for row in metrics.rows("pypto_observed_path")}
    console.print(Text("\nCritical path as observed: its parts are the makespan", style="bold"))
    makespan = float(run["makespan"] or 0)
    for kind, words in _PATH_WORDS.items():
        if kind in rows:
            time = float(rows[kind]["time"] or 0)
            share = percent(time / makespan if makespan else None)
            steps = int(rows[kind]["step_count"] or 0)
            console.print(f"  {bare_us(time):>10} µs {share:>6}  {words} ({steps})")
    if run["critical_path"] is not None:
        console.print(
            f"  Dependencies alone take {us(_number(run['critical_path']))}: enough work for "
            f"{_number(run['average_parallelism']) or 0:.1f} cores at a time"
        )


def _findings(console: Console, findings: list[Finding]) -> None:
    if not findings:
        return
    console.print(Text("\nFindings about the input", style="bold"))
    table = Table(box=None, pad_edge=False, padding=(0, 1), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column()
    for finding in findings:
        style = {"error": "bold red", "warning": "yellow"}.get(finding.severity, "dim")
        words = Text(f"{finding.code}: {finding.message}")
        if finding.examples:
            words.append(f" ({finding.examples[0]})", style="dim")
        table.add_row(Text(f"  {finding.severity}", style=style), f"{finding.count:,}", words)
    console.print(table)


def _sum(row: Row, *keys: str) -> float:
    return sum(float(row[key] or 0) for key in keys)


def _number(value: str | float | None) -> float | None:
    return None if value is None else float(value)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
