"""What explains the change of the makespan: what the cores did more or less of."""

from __future__ import annotations

from collections.abc import Sequence

from perfetto_pypto.compare.measure import Run
from perfetto_pypto.compare.model import Explanation, Part
from perfetto_pypto.metrics import Metrics

#: The parts of a core's time: together the makespan, for every core.
PARTS = ("busy", "startup", "wait_predecessor", "wait_schedule", "tail", "idle")


def explain(base: Sequence[Run], new: Sequence[Run]) -> list[Explanation]:
    """Splits the makespans of the middle run of each side: all cores, then each engine's.

    Engines that ran no task on either side are left out: their cores idled, whatever happened.
    Empty if none ran any; without "all" if one did.
    """
    before, after = middle(base).metrics, middle(new).metrics
    engines = [
        one
        for one in before.input.core_counts
        if one in after.input.core_counts and (_ran(before, one) or _ran(after, one))
    ]
    scopes = {"all": engines} if len(engines) > 1 else {}
    scopes |= {one: [one] for one in engines}
    return [_explain(before, after, name, scope) for name, scope in scopes.items()]


def middle(runs: Sequence[Run]) -> Run:
    """The run with the median makespan; of an even number, the shorter of the two in the middle."""
    return sorted(runs, key=lambda run: makespan(run.metrics))[(len(runs) - 1) // 2]


def makespan(metrics: Metrics) -> int:
    """The makespan in ns; 0 for a run without a task."""
    rows = metrics.rows("pypto_run")
    return int(rows[0]["makespan"] or 0) if rows else 0


def _ran(metrics: Metrics, engine: str) -> bool:
    return any(row["engine"] == engine and row["task_count"] for row in metrics.rows("pypto_core"))


def _explain(base: Metrics, new: Metrics, name: str, engines: list[str]) -> Explanation:
    before, after = _core_time(base, engines), _core_time(new, engines)
    return Explanation(
        name,
        base.input.name,
        new.input.name,
        _cores(base, engines),
        _cores(new, engines),
        _tasks(base, engines),
        _tasks(new, engines),
        [Part(part, before[part], after[part]) for part in PARTS],
    )


def _cores(metrics: Metrics, engines: list[str]) -> int:
    return sum(metrics.input.core_counts[engine] for engine in engines)


def _tasks(metrics: Metrics, engines: list[str]) -> int:
    rows = metrics.rows("pypto_core")
    return sum(int(row["task_count"] or 0) for row in rows if row["engine"] in engines)


def _core_time(metrics: Metrics, engines: list[str]) -> dict[str, int]:
    rows = [row for row in metrics.rows("pypto_core") if row["engine"] in engines]
    time = {name: sum(int(row[name] or 0) for row in rows) for name in PARTS}
    # Cores that the file leaves out, and `--cores` counts, did nothing.
    time["idle"] += (_cores(metrics, engines) - len(rows)) * makespan(metrics)
    return time
