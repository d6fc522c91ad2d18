"""pypto.log: the rules of PyPTO's bubble_analysis.log."""

from __future__ import annotations

LOG = (
    "SELECT core, core_total_work, total_wait, wait_schedule, wait_predecessor FROM pypto_log_core"
)


def test_lead_in_counts_and_the_tail_does_not(ask):
    drawing = """
        AIC_1: a 5-10, b 14-20
        AIV_1: c 0-30
    """
    assert ask(drawing, LOG) == [("AIC_1", 20, 9, 9, 0), ("AIV_1", 30, 0, 0, 0)]


def test_the_invented_end_of_a_hub_hides_a_wait(ask):
    drawing = """
        AIC_1: a 0-10
        HUB_1: h 18-19
        AIV_1: b 0-5, c 20-30
        a -> h -> c
    """
    assert ask(drawing, LOG)[1] == ("AIV_1", 30, 15, 1, 14)


def test_tasks_go_in_file_order_and_waits_may_be_negative(ask):
    assert ask("AIC_1: b 20-30, a 0-10", LOG) == [("AIC_1", 10, -10, -10, 0)]


def test_the_clock_starts_on_any_lane_but_fake_core(ask):
    drawing = """
        Fake Core_0: f 0-1
        AI-CPU_1: p 4-6
        AIC_1: a 10-20
    """
    assert ask(drawing, LOG) == [("AIC_1", 16, 6, 6, 0)]
