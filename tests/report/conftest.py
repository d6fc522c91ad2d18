from __future__ import annotations

import pytest

import perfetto_pypto as pp
from perfetto_pypto.metrics import Metrics
from tests.cli.conftest import run
from tests.drawing import swimlane

__all__ = ["run"]


@pytest.fixture(scope="session")
def metrics() -> Metrics:
    """All metrics of a small drawing."""
    return pp.compute_metrics(
        swimlane("""
        AIC_1: mul1 0-8000, mul2 9000-20000
        AIV_1: add 12000-15000
        AIV_2:
        mul1 -> add
    """)
    )


@pytest.fixture(scope="session")
def part() -> Metrics:
    """Two bundles of it."""
    return pp.compute_metrics(
        swimlane("AIC_1: mul 0-8000\nAIV_1: add 12000-15000\nmul -> add"),
        metrics=["pypto_run_task_count", "pypto_run_makespan", "pypto_observed_path"],
    )
