"""What the reports for people have in common: headline, engines, subgraphs, path, as text."""

from __future__ import annotations

from collections.abc import Iterator

from perfetto_pypto.metrics import Metrics
from perfetto_pypto.report.text import bare_us, count, number, percent, plural, times, us

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


def cores_and_clock(metrics: Metrics) -> tuple[str, str]:
    """What the ratios and times are based on, and from where it is known."""
    source = metrics.input
    cores = " + ".join(f"{n} {engine}" for engine, n in source.core_counts.items()) or "no"
    clock = f"clock {source.clock_hz / 1e6:g} MHz" if source.clock_hz else "clock unknown"
    return f"{cores} cores: {source.core_counts_from}", f"{clock}: {source.clock_from}"


def headline(metrics: Metrics, run: Row) -> Iterator[tuple[str, str, str]]:
    """Yields (name, value, note) of the first figures to read."""
    everything = metrics.rows("pypto_engine")[0]
    tasks = plural(int(run["task_count"] or 0), "task")
    hubs = plural(int(run["hub_count"] or 0), "hub")
    edges = count(number(run["dependency_count"]))
    yield "makespan", us(number(run["makespan"])), f"{tasks}, {hubs}, {edges} dependencies"
    bubbles = percent(number(everything["bubble_ratio"]))
    skill = percent(number(everything["skill_bubble_rate"]))
    yield (
        "utilization",
        percent(number(everything["utilization"])),
        f"bubbles {bubbles}; 气泡率 of the tuning guide {skill}",
    )
    if run["lower_bound"] is not None:
        yield (
            "lower bound",
            us(number(run["lower_bound"])),
            f"no schedule on these cores is faster: {times(number(run['headroom']))}",
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


def subgraph_rows(metrics: Metrics, limit: int) -> tuple[list[list[str]], int]:
    """Returns the cells of the longest subgraphs, by `SUBGRAPH_HEADS`, and how many are left."""
    rows = metrics.rows("pypto_subgraph")
    cells = [
        [
            _cut(str(row["label"]) or "(no label)", 16),
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
    rows = {str(row["kind"]): row for row in metrics.rows("pypto_observed_path")}
    makespan = float(run["makespan"] or 0)
    for kind, words in _PATH_WORDS.items():
        if kind in rows:
            time = float(rows[kind]["time"] or 0)
            share = percent(time / makespan if makespan else None)
            yield bare_us(time), share, f"{words} ({rows[kind]['step_count'] or 0})"


def static_path(run: Row) -> str:
    """Says what the dependencies alone take; empty where they form a cycle."""
    if run["critical_path"] is None:
        return ""
    parallelism = number(run["average_parallelism"]) or 0
    return (
        f"Dependencies alone take {us(number(run['critical_path']))}: enough work for "
        f"{parallelism:.1f} cores at a time"
    )


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
