"""Every number of the product against the same number worked out in plain Python."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import graham, graph
from paths import run_name, sample_runs
from strategies import runs, scheduled_runs, to_swimlane

import perfetto_pypto
from perfetto_pypto.engine import query_columns
from perfetto_pypto.metrics import compute

#: The dimensions of a bundle, in the order in which the oracle writes their values.
DIMENSIONS = {
    "pypto_run": (),
    "pypto_engine": ("engine",),
    "pypto_core": ("core", "engine"),
    "pypto_subgraph": ("leaf_hash", "engine", "label"),
    "pypto_stitch": ("seq_no",),
    "pypto_observed_path": ("kind",),
    "pypto_what_if": ("scenario",),
    "pypto_aicpu": ("thread", "phase", "round", "dev_task"),
    "pypto_aicpu_overhead": (),
}
RELATIVE = Fraction(1, 10**12)
#: For ratios that cancel to nearly nothing, like 1 - utilization of a full machine.
ABSOLUTE = Fraction(1, 10**15)


def differences(metrics: Any, expected: oracle.Values) -> list[str]:
    """What the product says otherwise than the oracle: unknown, missing and different values."""
    given_values = {}
    for metric in metrics.metrics:
        if metric.bundle not in DIMENSIONS:
            return [f"the oracle knows no bundle {metric.bundle}"]
        order = DIMENSIONS[metric.bundle]
        assert set(metric.dimensions) == set(order), metric
        key = (metric.id, tuple(metric.dimensions[name] for name in order))
        assert key not in given_values, f"{key} comes twice"
        given_values[key] = metric.value

    ids = {metric.id for metric in metrics.metrics}
    known = {metric for metric, _ in expected}
    found = [f"the oracle doesn't know {metric}" for metric in sorted(ids - known)]
    for key in sorted(set(given_values) | set(expected)):
        value, want = given_values.get(key), expected.get(key)
        if key[0] in known and not same(value, want):
            found.append(f"{key}: {value!r}, but the oracle says {readable(want)}")
    return found


def same(value: float | None, want: oracle.Value) -> bool:
    """Whole numbers are equal, ratios nearly so, and absent is absent."""
    if value is None or want is None:
        return value is want
    if isinstance(want, int):
        return value == want
    return abs(Fraction(value) - want) <= max(RELATIVE * abs(want), ABSOLUTE)


def readable(value: oracle.Value) -> str:
    return f"{value} = {float(value)}" if isinstance(value, Fraction) else repr(value)


def table_differences(tp: Any, job: oracle.Job) -> list[str]:
    """The same for the tables that metrics don't show: slack and drag, Graham's bound."""
    slack, want_slack = set(slack_rows(tp)), set(slacks(job.run))
    found = [f"slack: {row}, unlike the oracle" for row in sorted(slack - want_slack)]
    found += [f"slack: no {row} as the oracle says" for row in sorted(want_slack - slack)]
    ((makespan, bound, is_exceeded),) = rows(tp, "graham", "makespan, bound, is_exceeded")
    want = graham.graham_bound(job)
    if makespan != job.makespan or not same(bound, want):
        found.append(f"graham: {makespan} and {bound}, but the oracle says {readable(want)}")
    if bound is not None and is_exceeded != (makespan > bound):
        found.append(f"graham: {makespan} > {bound} is not {is_exceeded}")
    return found


def rows(tp: Any, table: str, columns: str) -> list[tuple[Any, ...]]:
    sql = f"INCLUDE PERFETTO MODULE pypto.{table}; SELECT {columns} FROM pypto_{table}"
    return list(zip(*query_columns(tp, sql).values(), strict=True))


def slack_rows(tp: Any) -> list[tuple[int, ...]]:
    found = rows(tp, "slack", "id, earliest_finish, latest_finish, slack, drag")
    assert len(set(found)) == len(found)
    return found


def slacks(run: oracle.Run) -> list[tuple[int, ...]]:
    """A row for each task on a core; none where the graph has a cycle."""
    slack, drag = graph.slacks(run), graph.drags(run)
    finish = graph.earliest_finishes(graph.weights(run), run.edges)
    if slack is None or drag is None or finish is None:
        return []
    return [
        (v, finish[v], finish[v] + slack[v], slack[v], drag[v])
        for v in (task.id for task in graph.core_tasks(run))
    ]


def all_differences(run: oracle.Run, cores: Mapping[str, int] | None = None) -> list[str]:
    with perfetto_pypto.open_trace(to_swimlane(run, cores)) as tp:
        found = differences(compute(tp), oracle.compute(run, cores))
        return found + table_differences(tp, oracle.job_of(run, cores))


@pytest.mark.parametrize("path", sample_runs(), ids=run_name)
def test_sample_run(path: Path) -> None:
    run = oracle.read_run(path)
    expected = oracle.compute(run)
    if expected["pypto_run_makespan", ()] is None:  # an empty profile: hubs, but no task
        with pytest.raises(perfetto_pypto.InputError, match="holds no executed task"):
            perfetto_pypto.compute_metrics(path)
        return
    with perfetto_pypto.open_trace(path) as tp:
        assert differences(compute(tp), expected) == []
        assert table_differences(tp, oracle.job_of(run)) == []


#: Two runs at a time, for the engine works outside Python.
PAIR = ThreadPoolExecutor(2)


@given(st.tuples(runs(), runs()))
@settings(max_examples=150)
def test_any_run(pair: tuple[oracle.Run, oracle.Run]) -> None:
    assert list(PAIR.map(all_differences, pair)) == [[], []]


@given(st.tuples(scheduled_runs(), scheduled_runs()))
@settings(max_examples=75)
def test_run_that_could_have_happened(pair: tuple[oracle.Run, oracle.Run]) -> None:
    assert list(PAIR.map(all_differences, pair)) == [[], []]


@given(st.tuples(runs(cycles=True), runs(cycles=True)), st.integers(4, 9))
@settings(max_examples=25)
def test_cycles_and_given_core_counts(pair: tuple[oracle.Run, oracle.Run], aic: int) -> None:
    assert list(PAIR.map(all_differences, pair, [{"AIC": aic}] * 2)) == [[], []]
