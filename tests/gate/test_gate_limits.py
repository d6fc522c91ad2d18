"""Limits as users write them."""

from __future__ import annotations

import pytest

from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.gate import parse_limit


@pytest.mark.parametrize(
    ("text", "dimensions", "bound"),
    [
        ("pypto_run_makespan=120us", {}, 120_000),
        ("pypto_run_makespan=1.5ms", {}, 1_500_000),
        ("pypto_run_makespan=120000", {}, 120_000),
        ("pypto_run_makespan=baseline", {}, None),
        ("pypto_engine_bubble_ratio{engine=AIV}=0.3", {"engine": "AIV"}, 0.3),
        ("pypto_engine_bubble_ratio{engine=AIV}=30%", {"engine": "AIV"}, 0.3),
        ('pypto_engine_bubble_ratio{engine="AIV"} = .3', {"engine": "AIV"}, 0.3),
        ("pypto_run_task_count=1280", {}, 1280),
        ("pypto_run_headroom=2", {}, 2),
        (
            "pypto_core_busy{engine=AIC,core=AIC_1}=5us",
            {"engine": "AIC", "core": "AIC_1"},
            5000,
        ),
    ],
)
def test_a_limit(text, dimensions, bound):
    limit = parse_limit(text, "max")
    assert (limit.dimensions, limit.bound) == (dimensions, bound)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("pypto_run_makespan", "is not like pypto_engine_bubble_ratio{engine=AIV}=0.3"),
        ("pypto_run_makespan=", "is not like pypto_engine_bubble_ratio{engine=AIV}=0.3"),
        ("pypto_run_makespam=5us", "'pypto_run_makespam' is no metric and no bundle; the closest"),
        ("pypto_run=5us", "'pypto_run' is more than one metric; name one: pypto_run_makespan"),
        ("pypto_run_makespan=30%", "is a time like 120us (or ns without unit), or baseline"),
        ("pypto_run_makespan=fast", "is a time like 120us (or ns without unit), or baseline"),
        ("pypto_run_task_count=5us", "the limit of pypto_run_task_count is a number, or baseline"),
        ("pypto_engine_utilization=5us", "is a fraction like 0.3, or 30%, or baseline"),
        ("pypto_engine_utilization{core=1}=1", "'core=1' is no dimension of pypto_engine_util"),
        ("pypto_engine_utilization{AIV}=1", "'AIV' is no dimension of pypto_engine_utilization"),
        ("pypto_run_makespan{a=b}=1us", "it has none"),
    ],
)
def test_a_limit_that_makes_no_sense(text, problem):
    with pytest.raises(PyptoPerfettoError) as error:
        parse_limit(text, "min")
    assert problem in str(error.value)
    assert "\n" not in str(error.value)
