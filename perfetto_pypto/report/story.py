"""What the reports for people have in common: headline, engines, subgraphs, path, as text."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from perfetto_pypto.lang import words
from perfetto_pypto.metrics import Advice, Metrics
from perfetto_pypto.report.text import bare_us, cores, count, number, percent, shortened, times, us

Row = dict[str, "str | int | float | None"]

ENGINE_HEADS = (
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
SUBGRAPH_HEADS = (
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

_PATH_WORDS = {
    "compute": "tasks on the path",
    "data_wait": "gaps after the last predecessor had ended",
    "core_wait": "gaps after the core had become free",
    "front": "before the first task",
}


def run_row(metrics: Metrics) -> Row | None:
    """The run as one row; None where there is no task."""
    rows = metrics.rows("pypto_run")
    return rows[0] if rows else None


def cores_and_clock(metrics: Metrics) -> tuple[str, ...]:
    """What the ratios and times are based on, and from where it is known."""
    t, source = words(metrics.lang), metrics.input
    counts = cores(source.core_counts)
    based_on = t("{counts} cores", counts=counts) if counts else t("no cores")
    clock = t("clock unknown")
    if source.clock_hz:
        clock = t("clock {mhz} MHz", mhz=f"{source.clock_hz / 1e6:g}")
    return tuple(
        t("{what}: {source}", what=what, source=t(known_from))
        for what, known_from in ((based_on, source.core_counts_from), (clock, source.clock_from))
    )


def layout(metrics: Metrics) -> str:
    """What is known of the file's layout."""
    t = words(metrics.lang)
    return "; ".join(t.example(t(part)) for part in metrics.input.layout.split("; "))


def headline(metrics: Metrics, run: Row) -> Iterator[tuple[str, str, str]]:
    """Yields (name, value, note) of the first figures to read."""
    t = words(metrics.lang)
    everything = metrics.rows("pypto_engine")[0]
    yield (
        t("makespan"),
        us(number(run["makespan"])),
        t(
            "{tasks}, {hubs}, {edges} dependencies",
            tasks=t.plural(int(run["task_count"] or 0), "task"),
            hubs=t.plural(int(run["hub_count"] or 0), "hub"),
            edges=count(number(run["dependency_count"])),
        ),
    )
    yield (
        t("utilization"),
        percent(number(everything["utilization"])),
        t(
            "bubbles {bubbles}; 气泡率 of the tuning guide {rate}",
            bubbles=percent(number(everything["bubble_ratio"])),
            rate=percent(number(everything["skill_bubble_rate"])),
        ),
    )
    if run["lower_bound"] is not None:
        headroom = times(number(run["headroom"]))
        yield (
            t("lower bound"),
            us(number(run["lower_bound"])),
            t("no schedule on these cores is faster: {headroom}", headroom=headroom),
        )


def engine_rows(metrics: Metrics, run: Row) -> Iterator[list[str]]:
    """Yields the cells of each engine, by `ENGINE_HEADS`."""
    for row in metrics.rows("pypto_engine"):
        whole = float(row["core_count"] or 0) * float(run["makespan"] or 0)
        parts = [number(row[key]) for key in ("busy", "starved", "blocked", "drained")]
        yield [
            str(row["engine"]),
            f"{row['used_core_count']}/{row['core_count']}",
            count(number(row["task_count"])),
            *(percent(part / whole if part is not None and whole else None) for part in parts),
            percent(number(row["aicore_time_spread"])),
            percent(number(row["small_task_share"])),
        ]


def subgraph_rows(metrics: Metrics, limit: int, width: int = 16) -> tuple[list[list[str]], int]:
    """Returns the cells of the longest subgraphs, by `SUBGRAPH_HEADS`, and how many are left."""
    t = words(metrics.lang)
    rows = metrics.rows("pypto_subgraph")
    cells = [
        [
            shortened(str(row["label"]) or t("(no label)"), width),
            _cut(str(row["leaf_hash"]), 9),
            str(row["engine"]),
            count(number(row["task_count"])),
            bare_us(number(row["total"])),
            percent(number(row["time_share"])),
            bare_us(number(row["median"])),
            bare_us(number(row["max"])),
            bare_us(number(row["critical_path_time"])),
        ]
        for row in rows[:limit]
    ]
    return cells, max(len(rows) - limit, 0)


def path_rows(metrics: Metrics, run: Row) -> Iterator[tuple[str, str, str]]:
    """Yields (time in µs, share of the makespan, what it was) of the observed path's parts."""
    t = words(metrics.lang)
    rows = {str(row["kind"]): row for row in metrics.rows("pypto_observed_path")}
    makespan = float(run["makespan"] or 0)
    for kind, text in _PATH_WORDS.items():
        if kind in rows:
            time = float(rows[kind]["time"] or 0)
            share = percent(time / makespan if makespan else None)
            yield bare_us(time), share, f"{t(text)} ({rows[kind]['step_count'] or 0})"


def static_path(metrics: Metrics, run: Row) -> str:
    """Says what the dependencies alone take; empty where they form a cycle."""
    if run["critical_path"] is None:
        return ""
    return words(metrics.lang)(
        "Dependencies alone take {time}: enough work for {cores} cores at a time",
        time=us(number(run["critical_path"])),
        cores=f"{number(run['average_parallelism']) or 0:.1f}",
    )


def top_advice(metrics: Metrics, limit: int) -> tuple[list[Advice], int]:
    """Returns the best advice, each about another knob, and how many are left.

    One parameter is changed at a time: a second reason for the same knob is no next step.
    """
    by_knob: dict[str, Advice] = {}
    for advice in metrics.advice:
        by_knob.setdefault(advice.knob, advice)
    best = list(by_knob.values())[:limit]
    return best, len(metrics.advice) - len(best)


def gain(metrics: Metrics, advice: Advice, run: Row) -> str:
    """Says what the advice is predicted to win; empty where nothing predicts it."""
    saved, makespan = advice.predicted_saved_ns, number(run["makespan"])
    if saved is None or not makespan:
        return ""
    t = words(metrics.lang)
    text = t(
        "Predicted gain at best {saved} ({share})",
        saved=us(saved),
        share=percent(saved / makespan),
    )
    return t(", ").join(filter(None, (text, advice.gain)))


def look(metrics: Metrics, advice: Advice) -> str:
    """The command that shows where advice is to be seen."""
    path = metrics.input.path
    given = "-" if path == "<stdin>" else path
    return shlex.join(["pypto-perfetto", "open", given, "--at", advice.at])


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
