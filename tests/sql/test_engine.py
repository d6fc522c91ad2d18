"""pypto.engine: what an engine's idle cores waited for."""

from __future__ import annotations

STATE = "SELECT engine, busy, starved, blocked, drained FROM pypto_engine_stats"


def test_idle_cores_are_starved_while_tasks_are_ready(ask):
    drawing = """
        AIV_1: a 0-10, b 20-30
        AIV_2: c 0-10
    """
    # b is ready from 0 on. No core is idle until 10; then one ready task, two idle cores.
    assert ask(drawing, STATE) == [("all", 30, 10, 10, 10), ("AIV", 30, 10, 10, 10)]


def test_the_parts_are_the_cores_times_the_makespan(ask):
    drawing = """
        AIC_1: a 0-10
        AIV_1: b 12-20, d 20-22
        AIV_2: c 30-40
        a -> b -> c
        a -> d
    """
    rows = ask(drawing, STATE)
    # AIV: until 10 nothing is ready; then b (until 12) and d (until 20), then c (until 30).
    assert rows == [
        ("all", 30, 22, 28, 40),
        ("AIC", 10, 0, 0, 30),
        ("AIV", 20, 22, 28, 10),
    ]
    assert [sum(row[1:]) for row in rows] == [3 * 40, 1 * 40, 2 * 40]


def test_profile_is_the_running_cores_and_the_ready_tasks(ask):
    drawing = """
        AIC_1: a 0-600, b 900-1200
        AIC_2: c 300-1200
    """
    rows = ask(
        drawing,
        """
        SELECT min(ts), running, ready FROM pypto_engine_profile
        GROUP BY running, ready ORDER BY min(ts)
        """,
    )
    assert rows == [(0, 1, 2), (300, 2, 1), (600, 1, 1), (900, 2, 0), (1200, 0, 0)]


def test_state_joins_the_slots_of_one_kind(ask):
    drawing = """
        AIC_1: a 0-600
        AIV_1: b 900-1200
        a -> b
    """
    rows = ask(drawing, "SELECT engine, ts, dur, state FROM pypto_engine_state")
    assert rows == [
        ("AIC", 0, 600, "busy"),
        ("AIC", 600, 600, "drained"),
        ("AIV", 0, 600, "blocked"),
        ("AIV", 600, 300, "starved"),
        ("AIV", 900, 300, "busy"),
    ]


def test_ratios_are_based_on_the_core_count(ask):
    drawing = "AIV_1: a 0-10, b 10-20"
    sql = "SELECT core_count, used_core_count, utilization, bubble_ratio FROM pypto_engine_stats"
    assert ask(drawing, sql, cores={"AIV": 4})[0] == (4, 1, 0.25, 0.75)


def test_spread_and_small_tasks(ask):
    drawing = """
        AIV_1: a 0-8000, b 8000-20000
        AIV_2: c 0-5000
        AIV_3:
    """
    rows = ask(
        drawing,
        """
        SELECT aicore_time_spread, aicore_time_imbalance, small_task_count, small_task_share,
          small_task_time_share
        FROM pypto_engine_stats WHERE engine = 'AIV'
        """,
    )
    assert rows == [(15000 / 20000, 15000 / 25000, 2, 2 / 3, 13000 / 25000)]
