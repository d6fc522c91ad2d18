"""pypto.stitch: device tasks and the gaps between them."""

from __future__ import annotations

STITCH = "SELECT seq_no, task_count, span, gap_to_next, utilization FROM pypto_stitch_stats"


def test_gaps_lie_between_device_tasks(ask):
    drawing = """
        AIV_1: a 0-10, b 15-25@1
        AIV_2: c 4-8, d 25-35@1
    """
    assert ask(drawing, STITCH) == [(0, 2, 10, 5, 14 / 20), (1, 2, 20, None, 20 / 40)]


def test_overlapping_device_tasks_have_a_negative_gap(ask):
    drawing = """
        AIV_1: a 0-10
        AIV_2: b 6-12@7
    """
    assert ask(drawing, STITCH) == [(0, 1, 10, -4, 0.5), (7, 1, 6, None, 0.5)]
