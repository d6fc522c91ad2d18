"""pypto.efficiency: the same schedule without gaps, and the three factors of utilization."""

from __future__ import annotations

FACTORS = """
    SELECT load_balance, serialization, dispatch FROM pypto_engine_stats WHERE engine = 'all'
"""


def test_replay_without_gaps(ask):
    drawing = """
        AIC_1: a 0-10, b 15-25
        AIV_1: c 30-40
        a -> c
    """
    # a 0-10, b 10-20, c 10-20.
    assert ask(drawing, "SELECT dur FROM pypto_zero_gap") == [(20,)]
    assert ask(drawing, FACTORS) == [(15 / 20, 20 / 20, 20 / 40)]
    # 15/20 * 20/20 * 20/40 = 30 busy / (2 cores * 40).


def test_no_replay_where_the_cores_contradict_the_dependencies(ask):
    drawing = """
        AIC_1: b 0-10, a 10-20
        a -> b
    """
    assert ask(drawing, "SELECT dur FROM pypto_zero_gap") == [(None,)]
    assert ask(drawing, "SELECT dur FROM pypto_static_path") == [(20,)]
