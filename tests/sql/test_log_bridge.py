"""pypto.log_bridge: from the log's figures to ours, reason by reason.

The logs print what pypto.log gives, so all reasons lie between its rules and ours.
"""

from __future__ import annotations

BRIDGE = """
    INCLUDE PERFETTO MODULE pypto.log_bridge;
    SELECT figure, reason, dur FROM pypto_log_bridge WHERE core = '{core}'
"""
FIGURES = """
    INCLUDE PERFETTO MODULE pypto.log_bridge;
    SELECT core, figure, printed, reproduced, ours, reasons FROM pypto_log_figure
"""


def reasons(rows: list[tuple[str, str, int]]) -> dict[str, dict[str, int]]:
    """Figure -> reason -> amount, the printed value left out."""
    found: dict[str, dict[str, int]] = {}
    for figure, reason, amount in rows:
        if reason != "log":
            found.setdefault(figure, {})[reason] = amount
    return found


def test_every_figure_with_what_leads_to_ours(ask):
    drawing = """
        AIC_1: a 10-20, b 25-30
        AIV_1: c 12-40
        AIV_2:
    """
    log = """
        AIC_1 2: 20 5 5 0
        AIV_1 1: 30 2 2 0
        AIV_2 0: 0 0 0 0
    """
    assert ask(drawing, FIGURES, log=log) == [
        ("AIC_1", "core_total_work", 20, 20, 30, "tail +10"),
        ("AIC_1", "total_wait", 5, 5, 15, "tail +10"),
        ("AIC_1", "wait_schedule", 5, 5, 5, None),
        ("AIC_1", "wait_predecessor", 0, 0, 0, None),
        ("AIV_1", "core_total_work", 30, 30, 30, None),
        ("AIV_1", "total_wait", 2, 2, 2, None),
        ("AIV_1", "wait_schedule", 2, 2, 0, "startup -2"),
        ("AIV_1", "wait_predecessor", 0, 0, 0, None),
        ("AIV_2", "core_total_work", 0, 0, 30, "idle +30"),
        ("AIV_2", "total_wait", 0, 0, 30, "idle +30"),
        ("AIV_2", "wait_schedule", 0, 0, 0, None),
        ("AIV_2", "wait_predecessor", 0, 0, 0, None),
    ]


def test_a_hub_hides_who_was_waited_for(ask):
    """The log waits for the hub's invented end at 19; its real predecessor ended at 10."""
    drawing = """
        AIC_1: a 0-10
        HUB_1: h 18-19
        AIV_1: b 0-5, c 20-30
        a -> h -> c
    """
    log = "AIC_1 1: 10 0 0 0\nAIV_1 2: 30 15 1 14"
    assert reasons(ask(drawing, BRIDGE.format(core="AIV_1"), log=log)) == {
        "wait_schedule": {"hub": 9},
        "wait_predecessor": {"hub": -9},
    }


def test_overlapping_tasks_make_its_waits_negative(ask):
    """b runs inside a: the log counts -16 before b and 16 before c, which waits for 6."""
    assert ask("AIC_1: a 0-20, b 4-10, c 26-40", FIGURES, log="AIC_1 3: 40 0 0 0") == [
        ("AIC_1", "core_total_work", 40, 40, 40, None),
        ("AIC_1", "total_wait", 0, 0, 6, "overlap +6"),
        ("AIC_1", "wait_schedule", 0, 0, 6, "overlap +6"),
        ("AIC_1", "wait_predecessor", 0, 0, 0, None),
    ]
    # Where such a task is the last of all, the log's span ends with it.
    log = "AIC_1 2: 10 -36 -36 0"
    assert reasons(ask("AIC_1: a 0-40, b 4-10", BRIDGE.format(core="AIC_1"), log=log)) == {
        "core_total_work": {"overlap": 30},
        "total_wait": {"overlap": 36},
        "wait_schedule": {"overlap": 36},
    }


def test_a_backward_dependency_makes_its_wait_negative(ask):
    """b starts 8 before its producer ends: 10 of waiting for it, and -8 for the scheduler."""
    drawing = """
        AIV_1: a 0-20
        AIC_1: x 0-10, b 12-30
        a -> b
    """
    log = "AIV_1 1: 20 0 0 0\nAIC_1 2: 30 2 -8 10"
    assert reasons(ask(drawing, BRIDGE.format(core="AIC_1"), log=log)) == {
        "wait_schedule": {"backward": 8},
        "wait_predecessor": {"backward": -8},
    }


def test_tasks_in_the_order_of_the_file(ask):
    log = "AIC_1 2: 10 -10 -10 0"
    assert reasons(ask("AIC_1: b 20-30, a 0-10", BRIDGE.format(core="AIC_1"), log=log)) == {
        "core_total_work": {"file_order": 20},
        "total_wait": {"file_order": 20},
        "wait_schedule": {"file_order": 20},
    }


def test_its_clock_starts_with_what_is_no_core(ask):
    """4 before the first task. The start-up of a core is apart in our figures."""
    drawing = """
        AI-CPU_1: p 4-6
        AIV_1: a 8-15
        AIC_1: b 20-30
        a -> b
    """
    log = "AIV_1 1: 11 4 4 0\nAIC_1 1: 26 16 5 11"
    assert reasons(ask(drawing, BRIDGE.format(core="AIC_1"), log=log)) == {
        "core_total_work": {"early_start": -4},
        "total_wait": {"early_start": -4},
        "wait_schedule": {"startup": -5},
        "wait_predecessor": {"early_start": -4, "startup": -7},
    }


def test_sums_over_the_cores(ask):
    drawing = "AIC_1: a 0-10, b 20-30\nAIC_2: c 5-20"
    log = "AIC_1 2: 30 10 10 0\nAIC_2 1: 20 5 5 0"
    sql = """
        INCLUDE PERFETTO MODULE pypto.log_bridge;
        SELECT figure, reason, time, core_count FROM pypto_log_bridge_stats
    """
    assert ask(drawing, sql, log=log) == [
        ("core_total_work", "log", 50, 2),
        ("core_total_work", "tail", 10, 1),
        ("total_wait", "log", 15, 2),
        ("total_wait", "tail", 10, 1),
        ("wait_schedule", "log", 15, 2),
        ("wait_schedule", "startup", -5, 1),
        ("wait_predecessor", "log", 0, 2),
    ]
