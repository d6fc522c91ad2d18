"""Arrows: for eyes, at most 500 a slice and direction."""

from __future__ import annotations

import numpy as np

from perfetto_pypto.trace import flows
from tests.drawing import swimlane


def drawn(run, *edges):
    src, dst = np.array(edges).T
    chosen = flows.draw(run, src, dst)
    return list(zip(chosen.ids.tolist(), chosen.src.tolist(), chosen.dst.tolist(), strict=True))


def test_one_id_an_edge():
    run = swimlane("AIC_1: a 0-10, b 10-20, c 20-30")
    assert drawn(run, (0, 1), (0, 2), (1, 2)) == [(1, 0, 1), (2, 0, 2), (3, 1, 2)]


def test_a_consumer_that_starts_first_has_no_arrow():
    run = swimlane("AIC_1: a 5-10\nAIV_1: b 0-20")
    assert drawn(run, (0, 1)) == []


def test_a_fan_out_of_thousands_is_cut():
    tasks = ", ".join(f"b{i} {i + 10}-{i + 11}" for i in range(600))
    run = swimlane(f"AIC_1: a 0-10\nAIV_1: {tasks}")
    assert len(drawn(run, *[(0, i + 1) for i in range(600)])) == flows.MAX_A_SLICE == 500
