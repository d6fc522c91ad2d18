"""A bubble_analysis.log beside the input, as text: its figures, ours, and why they differ."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from perfetto_pypto.lang import words
from perfetto_pypto.metrics import Metrics
from perfetto_pypto.metrics.bubble_log import PRINTED
from perfetto_pypto.report.text import bare_us

#: The log's words for a figure, and what it is here. Its span of work is in JSON alone.
FIGURES = {
    "total_wait": ("Total Wait Time", "all idle time"),
    "wait_schedule": ("Wait Schedule Time", "scheduling wait"),
    "wait_predecessor": ("Wait Predecessor Time", "dependency wait"),
}
REASONS = {
    "lost_start": "its clock starts with what the merged file has lost",
    "task_count": "cores on which it counts other tasks",
    "clock": "its times are a multiple of those here",
    "negative_duration": "a negative duration counts as 0 here",
    "unknown": "not explained, as if it were the log of another run",
    "early_start": "its clock starts with a hub or AI-CPU task, before any core",
    "file_order": "it takes tasks in the file's order, not by start",
    "hub": "behind hubs: here only the real tasks behind them count",
    "overlap": "tasks overlap on a core: its wait is negative there",
    "backward": "tasks start before a producer ends: its wait is negative there",
    "startup": "before a core's first task: start-up, apart here",
    "tail": "after a core's last task: not in the log",
    "idle": "cores without a task: 0 in the log",
}


@dataclass(frozen=True, slots=True)
class LogLine:
    """A figure, summed over the cores.

    name:          the log's
    printed, ours: in µs
    meaning:       what it is here
    reasons:       (amount in µs, with its sign; why), the largest first
    """

    name: str
    printed: str
    ours: str
    meaning: str
    reasons: list[tuple[str, str]]


def log_title(metrics: Metrics) -> str:
    """Says on how many cores the log's own rules give its figures; empty without a log."""
    if not metrics.log:
        return ""
    t = words(metrics.lang)
    return t(
        "bubble_analysis.log: {good} of {count} cores reproduced by its own rules",
        good=sum(core.status == "reproduced" for core in metrics.log),
        count=len(metrics.log),
    )


def widest(metrics: Metrics) -> str:
    """Names the core whose scheduling wait differs most; empty where none differs."""
    figures = [
        (core.core, figure)
        for core in metrics.log
        if (figure := core.figures.get("wait_schedule")) and figure.ours != figure.printed
    ]
    if not figures:
        return ""
    core, most = max(figures, key=lambda item: abs(item[1].ours - item[1].printed))
    t = words(metrics.lang)
    return t(
        "Most on {core}: {name} {printed} → {ours}",
        core=core,
        name=FIGURES["wait_schedule"][0],
        printed=bare_us(most.printed),
        ours=bare_us(most.ours),
    )


def core_by_core(metrics: Metrics) -> str:
    """The command that lists each core's figures."""
    sql = "SELECT * FROM pypto_log_figure"
    return shlex.join(["pypto-perfetto", "query", metrics.input.path, sql])


def log_lines(metrics: Metrics) -> Iterator[LogLine]:
    """Yields the log's figures, without what rounds to nothing."""
    t = words(metrics.lang)
    rows = metrics.rows("pypto_log_bridge")
    for figure, (name, meaning) in FIGURES.items():
        amounts = {
            str(row["reason"]): int(row["time"] or 0) for row in rows if row["figure"] == figure
        }
        if not amounts:
            continue
        yield LogLine(
            name=name,
            printed=bare_us(amounts[PRINTED]),
            ours=bare_us(sum(amounts.values())),
            meaning=t(meaning),
            reasons=[
                (f"{'+' if amount > 0 else ''}{bare_us(amount)}", t(REASONS[reason]))
                for reason, amount in amounts.items()
                if reason in REASONS and bare_us(abs(amount)) != bare_us(0)
            ],
        )
