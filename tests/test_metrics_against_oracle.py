"""Every number of the product against the same number worked out in plain Python."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import run_name, sample_runs
from strategies import runs, scheduled_runs, to_swimlane

import perfetto_pypto

#: The dimensions of a bundle, in the order in which the oracle writes their values.
DIMENSIONS = {
    "pypto_run": (),
    "pypto_engine": ("engine",),
    "pypto_core": ("core", "engine"),
    "pypto_subgraph": ("leaf_hash", "engine", "label"),
    "pypto_stitch": ("seq_no",),
    "pypto_observed_path": ("kind",),
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


def check(run: oracle.Run, cores: Mapping[str, int] | None = None) -> None:
    metrics = perfetto_pypto.compute_metrics(to_swimlane(run, cores))
    assert differences(metrics, oracle.compute(run, cores)) == []


@pytest.mark.parametrize("path", sample_runs(), ids=run_name)
def test_sample_run(path: Path) -> None:
    expected = oracle.compute(oracle.read_run(path))
    if expected["pypto_run_makespan", ()] is None:  # an empty profile: hubs, but no task
        with pytest.raises(perfetto_pypto.InputError, match="holds no executed task"):
            perfetto_pypto.compute_metrics(path)
        return
    assert differences(perfetto_pypto.compute_metrics(path), expected) == []


@given(runs())
@settings(max_examples=300)
def test_any_run(run: oracle.Run) -> None:
    check(run)


@given(scheduled_runs())
@settings(max_examples=150)
def test_run_that_could_have_happened(run: oracle.Run) -> None:
    check(run)


@given(runs(cycles=True), st.integers(4, 9))
@settings(max_examples=50)
def test_cycles_and_given_core_counts(run: oracle.Run, aic: int) -> None:
    check(run, {"AIC": aic})
