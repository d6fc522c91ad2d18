"""Replay and list schedule, alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from perfetto_pypto.predict import predict
from perfetto_pypto.predict.graph import longest
from perfetto_pypto.predict.replay import build_replay, on_core
from perfetto_pypto.predict.schedule import list_schedule
from tests.drawing import swimlane
from tests.strategies import runs, to_swimlane


def arrays(edges):
    return (np.array([e[i] for e in edges], dtype=np.int64) for i in (0, 1))


def test_longest_path():
    src, dst = arrays([(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)])
    finish = longest(src, dst, np.array([3, 5, 1, 2]))
    assert finish.tolist() == [3, 8, 4, 10]


def test_longest_path_of_variants_at_once():
    src, dst = arrays([(0, 1)])
    finish = longest(src, dst, np.array([[3, 1], [5, 5]]))
    assert finish.tolist() == [[3, 1], [8, 6]]


@pytest.mark.parametrize("edges", [[(0, 0)], [(0, 1), (1, 0)], [(0, 1), (1, 2), (2, 1)]])
def test_a_cycle_has_none(edges):
    src, dst = arrays(edges)
    assert longest(src, dst, np.array([1, 1, 1])) is None


def test_highest_level_first():
    # One core: the long chain 0 -> 1 goes before 2, though 2 has the lower start of its own.
    src, dst = arrays([(0, 1)])
    duration = np.array([2, 9, 3])
    engines = ["AIV", "AIC", "AIV"]
    assert list_schedule(src, dst, duration, engines, {"AIC": 1, "AIV": 1}) == 11
    assert list_schedule(src, dst, duration, ["AIV"] * 3, {"AIV": 1}) == 14
    assert list_schedule(src, dst, duration, ["AIV"] * 3, {"AIV": 2}) == 11


def test_hubs_take_no_core_and_no_time():
    src, dst = arrays([(0, 1), (1, 2)])
    assert list_schedule(src, dst, np.array([4, 0, 5]), ["AIC", None, "AIC"], {"AIC": 1}) == 9


def test_a_lag_is_the_wait_after_the_last_thing_waited_for():
    run = swimlane(
        """
        AIC_1: a 1-10, b 12-20
        HUB_1: h 30-31
        AIV_1: c 23-30
        a -> c
        b -> h -> c
        """
    )
    assert build_replay(run).lag.tolist() == [1 - 1, 2, 0, 3]


def test_fusion_is_predicted_for_the_subgraphs_with_the_most_tasks():
    run = swimlane(
        """
        AIV_1: a1 0-5, a2 6-9, b1 10-12, b2 14-19, b3 20-22, c1 23-25, c2 26-28, d1 30-31, d2 32-33
        AIC_1: z1 0-20000, z2 20005-40005, z3 40010-60010, z4 60015-80015
        """
    )
    found = predict(run, small_task_ns=10_000)
    assert [(p.scenario, p.subgraph) for p in found if p.scenario.startswith("fused")] == [
        (f"fused:{size}", subgraph) for subgraph in ("b", "a", "c") for size in (2, 4, 8)
    ]


@given(runs(cycles=True))
@settings(max_examples=300)
def test_an_unchanged_replay_is_the_run(run):
    lane = to_swimlane(run)
    if not on_core(lane).any():
        return
    replay = build_replay(lane)
    finish = longest(replay.src, replay.dst, replay.lag + replay.duration)
    if finish is None:  # hubs in a circle
        return
    first = lane.tasks.start[on_core(lane)].min()
    assert (finish[replay.chain] + first).tolist() == lane.tasks.end[replay.chain].tolist()
