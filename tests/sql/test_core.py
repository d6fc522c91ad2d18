"""pypto.core: the time split of a core, drawn and counted."""

from __future__ import annotations

SPLIT = """
    SELECT core, busy, startup, wait_predecessor, wait_schedule, tail, idle, overlap
    FROM pypto_core_stats
"""


def test_every_part_of_a_core(ask):
    rows = ask(
        """
        AIC_1: a 0-10, b 12-20
        AIV_1: c 15-25, d 30-32
        AIV_2:
        a -> c
        b -> d
        """,
        SPLIT,
    )
    # AIC_1 waits 2 for the scheduler and has nothing more to do from 20 to 32. AIV_1 starts at 15,
    # c having been ready since 10; d was ready at 20, before the gap: scheduling. AIV_2 idles.
    assert rows == [
        ("AIC_1", 18, 0, 0, 2, 12, 0, 0),
        ("AIV_1", 12, 15, 0, 5, 0, 0, 0),
        ("AIV_2", 0, 0, 0, 0, 0, 32, 0),
    ]


def test_a_gap_is_cut_where_the_task_became_ready(ask):
    drawing = """
        AIC_1: a 0-30
        AIV_1: b 0-10, c 34-40
        a -> c
    """
    rows = ask(drawing, "SELECT core, ts, dur, cause, next_id, blocked_by FROM pypto_bubble")
    assert rows == [
        ("AIC_1", 30, 10, "tail", None, None),
        ("AIV_1", 10, 20, "wait_predecessor", 2, 0),
        ("AIV_1", 30, 4, "wait_schedule", 2, 0),
    ]


def test_startup_is_cut_too_and_counted_whole(ask):
    drawing = """
        AIC_1: a 0-10
        AIV_1: b 13-20
        a -> b
    """
    rows = ask(drawing, "SELECT core, ts, dur, cause FROM pypto_bubble WHERE core = 'AIV_1'")
    assert rows == [
        ("AIV_1", 0, 10, "startup_predecessor"),
        ("AIV_1", 10, 3, "startup_schedule"),
    ]
    assert ask(drawing, SPLIT)[1] == ("AIV_1", 7, 13, 0, 0, 0, 0, 0)


def test_a_hub_takes_no_time(ask):
    rows = ask(
        """
        AIC_1: a 0-10
        AIV_1: b 0-5, c 20-30
        HUB_1: h 18-19
        a -> h -> c
        """,
        SPLIT,
    )
    # The hub's own end (19) is invented: c was ready when a ended, at 10.
    assert rows[1] == ("AIV_1", 15, 0, 5, 10, 0, 0, 0)


def test_overlapping_tasks_count_once(ask):
    rows = ask("AIC_1: a 0-10, b 4-6, c 8-15, d 20-25", SPLIT)
    assert rows == [("AIC_1", 20, 0, 0, 5, 0, 0, 4)]


def test_a_consumer_that_starts_before_its_producer_ends_waits_for_nothing(ask):
    rows = ask(
        """
        AIC_1: a 0-20
        AIV_1: b 0-5, c 15-20
        a -> c
        """,
        SPLIT,
    )
    assert rows[1] == ("AIV_1", 10, 0, 10, 0, 0, 0, 0)
