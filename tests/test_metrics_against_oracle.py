"""Every number of the product against the same number worked out in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from perfetto.trace_processor import TraceProcessor

import perfetto_pypto
from perfetto_pypto.engine import open_trace, query_columns
from perfetto_pypto.engine.packages import read_modules
from perfetto_pypto.metrics import compute
from perfetto_pypto.predict import predict
from perfetto_pypto.sql import PACKAGE, package_dir
from perfetto_pypto.swimlane import Swimlane
from perfetto_pypto.trace import flows
from perfetto_pypto.trace.check import check_load
from perfetto_pypto.trace.facts import write_facts
from perfetto_pypto.trace.writer import chunks_of
from tests import oracle
from tests.features import features
from tests.oracle import graham, graph, log_bridge
from tests.paths import run_name, sample_runs
from tests.strategies import log_of, runs, scheduled_runs, to_swimlane

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
    "pypto_log_bridge": ("figure", "reason"),
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


def slack_differences(answer: Answer, run: oracle.Run) -> list[str]:
    """The same for slack and drag, which no metric shows: task by task."""
    given_rows, want = set(answer.slack), set(slacks(run))
    assert len(given_rows) == len(answer.slack), "a task comes twice"
    found = [f"slack: {row}, unlike the oracle" for row in sorted(given_rows - want)]
    return found + [f"slack: no {row} as the oracle says" for row in sorted(want - given_rows)]


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


def graham_differences(answer: Answer, job: oracle.Job) -> list[str]:
    """The same for Graham's bound, and whether a run that exceeds it is told so."""
    ((makespan, bound, is_exceeded),) = answer.graham
    want = graham.graham_bound(job)
    if makespan != job.makespan or not same(bound, want):
        return [f"graham: {makespan} and {bound}, but the oracle says {readable(want)}"]
    expected = None if bound is None else makespan > bound
    is_told = any(finding.code == "idle-while-ready" for finding in answer.metrics.findings)
    if is_exceeded != expected or is_told != bool(expected):
        return [f"graham: {makespan} > {bound} is said to be {is_exceeded}, told: {is_told}"]
    return []


def bubble_differences(answer: Answer) -> list[str]:
    """Bubbles, cause by cause, add up to the metrics of each core."""
    sums: dict[tuple[Any, str], int] = defaultdict(int)
    for core, dur, cause in answer.bubbles:
        sums[core, "startup" if cause.startswith("startup") else cause] += dur
    causes = ("startup", "wait_predecessor", "wait_schedule", "tail", "idle")
    return [
        f"bubbles of {row['core']}: {cause} is {sums[row['core'], cause]}, not {row[cause]}"
        for row in answer.metrics.rows("pypto_core")
        for cause in causes
        if sums[row["core"], cause] != row[cause]
    ]


def log_differences(answer: Answer, run: oracle.Run) -> list[str]:
    """The same for the way from the log's figures to ours, core by core, which ends exactly there.

    The log of these runs prints what its rules give.
    """
    given_rows, want = set(answer.log_bridge), set(log_bridge.bridge(run))
    assert len(given_rows) == len(answer.log_bridge), "a reason comes twice"
    found = [f"log: {row}, unlike the oracle" for row in sorted(given_rows - want)]
    found += [f"log: no {row} as the oracle says" for row in sorted(want - given_rows)]
    for core, figure, printed, reproduced, ours in answer.log_figure:
        amounts = [row[3] for row in given_rows if row[:2] == (core, figure)]
        if printed != reproduced or sum(amounts) != ours:
            found.append(f"log: {core} {figure} is {printed}, {reproduced}, {amounts}, {ours}")
    return found


@dataclass(frozen=True)
class Answer:
    """What the product says of a run: its metrics, and rows of tables that metrics don't show."""

    metrics: Any
    slack: list[tuple[Any, ...]]
    graham: list[tuple[Any, ...]]
    bubbles: list[tuple[Any, ...]]
    log_bridge: list[tuple[Any, ...]]
    log_figure: list[tuple[Any, ...]]


def ask(tp: TraceProcessor) -> Answer:
    def rows(table: str, columns: str, module: str = "") -> list[tuple[Any, ...]]:
        include = f"INCLUDE PERFETTO MODULE pypto.{module or table}"
        sql = f"{include}; SELECT {columns} FROM pypto_{table}"
        return list(zip(*query_columns(tp, sql).values(), strict=True))

    return Answer(
        metrics=compute(tp),
        slack=rows("slack", "id, earliest_finish, latest_finish, slack, drag"),
        graham=rows("graham", "makespan, bound, is_exceeded"),
        bubbles=rows("bubble", "core, dur, cause", module="core"),
        log_bridge=rows("log_bridge", "core, figure, reason, dur"),
        log_figure=rows(
            "log_figure", "core, figure, printed, reproduced, ours", module="log_bridge"
        ),
    )


def broken_identities(answer: Answer, expected: oracle.Values) -> list[str]:
    """The identities that the product's whole numbers break; its ratios are rounded."""
    values = dict(expected)
    for metric in answer.metrics.metrics:
        if isinstance(metric.value, int):
            key = metric.id, tuple(metric.dimensions[name] for name in DIMENSIONS[metric.bundle])
            values[key] = metric.value
    return oracle.identities(values)


def all_differences(
    answer: Answer, run: oracle.Run, cores: Mapping[str, int] | None = None
) -> list[str]:
    expected = oracle.compute(run, cores)
    return [
        *differences(answer.metrics, expected),
        *broken_identities(answer, expected),
        *slack_differences(answer, run),
        *graham_differences(answer, oracle.job_of(run, cores)),
        *bubble_differences(answer),
        *log_differences(answer, run),
    ]


class Engines:
    """Two engines, for they work outside Python; each takes one run after the other.

    A trace that comes after the end of another replaces it, and the SQL packages are forgotten:
    that takes less than a new engine.
    """

    def __init__(self) -> None:
        self.idle: SimpleQueue[TraceProcessor] = SimpleQueue()
        self.pool = ThreadPoolExecutor(2)
        self.package = read_modules(PACKAGE, package_dir())
        for _ in range(2):
            self.idle.put(open_trace(None))

    def check(
        self, pair: tuple[oracle.Run, oracle.Run], cores: Mapping[str, int] | None = None
    ) -> None:
        def found(run: oracle.Run, bare: bool) -> list[str]:
            tp = self.idle.get()
            try:
                self.load(tp, to_swimlane(run, cores), bare)
                return all_differences(ask(tp), run, cores)
            finally:
                self.idle.put(tp)

        # One as `convert` writes it, one as `metrics` loads it.
        assert list(self.pool.map(found, pair, (False, True))) == [[], []]

    def load(self, tp: TraceProcessor, run: Swimlane, bare: bool) -> None:
        predictions = predict(run, 10_000)
        packets = list(
            write_facts(
                run, flows=flows.NONE, small_task_ns=10_000, predictions=predictions, bare=bare
            )
        )
        assert not tp.http.parse(b"".join(chunks_of(packets))).error
        tp.http.notify_eof()
        tp.http.register_sql_package(PACKAGE, self.package)
        check_load(tp, *packets)

    def close(self) -> None:
        self.pool.shutdown()
        for _ in range(2):
            self.idle.get().close()


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    engines = Engines()
    yield engines
    engines.close()


@pytest.mark.parametrize("path", sample_runs(), ids=run_name)
def test_sample_run(path: Path) -> None:
    run = oracle.read_run(path)
    if not graph.core_tasks(run):  # an empty profile: hubs, but no task
        with pytest.raises(perfetto_pypto.InputError, match="holds no executed task"):
            perfetto_pypto.read(path)
        return
    swimlane = replace(perfetto_pypto.read(path), log=log_of(run))
    with perfetto_pypto.open_trace(swimlane) as tp:
        assert all_differences(ask(tp), run) == []


def check_all(
    engines: Engines, strategy: st.SearchStrategy[oracle.Run], count: int
) -> Counter[str]:
    """Checks random runs, two at a time; returns how many of them have which feature."""
    seen: Counter[str] = Counter()

    @given(st.tuples(strategy, strategy))
    @settings(max_examples=count // 2)
    def every(pair: tuple[oracle.Run, oracle.Run]) -> None:
        engines.check(pair)
        seen.update(features(pair[0]) + features(pair[1]))

    every()
    return seen


def test_any_run(engines: Engines) -> None:
    seen = check_all(engines, runs(), 1100)
    at_least = {
        "dag": 1100,
        "several batches": 500,
        "overlap": 450,
        "backward edge": 350,
        "task without length": 300,
        "idle core": 150,
        "hub between tasks": 90,
    }
    assert not Counter(at_least) - seen, seen


def test_run_that_could_have_happened(engines: Engines) -> None:
    seen = check_all(engines, scheduled_runs(), 900)
    at_least = {
        "dag": 900,
        "several batches": 400,
        "task without length": 200,
        "idle core": 150,
        "hub between tasks": 100,
    }
    assert not Counter(at_least) - seen, seen


def each_cycle_has_a_task(run: oracle.Run) -> bool:
    """Where hubs wait for each other in a circle, the pack doesn't see what lies behind them."""
    off_core = {task.id for task in run.tasks if task.kind != "task"}
    edges = {(u, v) for u, v in run.edges if {u, v} <= off_core}
    return graph.topological_order(len(run.tasks), edges) is not None


CYCLIC = runs(cycles=True).filter(each_cycle_has_a_task)


@given(st.tuples(CYCLIC, CYCLIC), st.integers(4, 9))
@settings(max_examples=25)
def test_cycles_and_given_core_counts(
    engines: Engines, pair: tuple[oracle.Run, oracle.Run], aic: int
) -> None:
    engines.check(pair, {"AIC": aic})
