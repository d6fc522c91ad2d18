"""pypto.slack: what the static critical path hangs on."""

from __future__ import annotations

SLACK = "SELECT id, earliest_finish, latest_finish, slack, drag FROM pypto_slack"


def test_slack_and_drag(ask):
    drawing = """
        AIC_1: a 0-10, b 10-16, d 30-35
        AIV_1: c 10-30
        a -> b -> d
        a -> c -> d
    """
    # The path is a, c, d: 35. Without c it is a, b, d: 21, so c's drag is 14, not 20.
    assert ask(drawing, SLACK) == [
        (0, 10, 10, 0, 10),
        (1, 16, 30, 14, 0),
        (2, 35, 35, 0, 5),
        (3, 30, 30, 0, 14),
    ]


def test_a_way_around_several_tasks_bounds_the_drag_of_each(ask):
    drawing = """
        AIC_1: a 0-10, b 10-20, c 20-30, d 30-40, e 40-50
        AIV_1: x 0-35
        a -> b -> c -> d -> e
        x -> e
    """
    # Without a, b, c or d, the way through x is the longest: 45.
    assert ask(drawing, "SELECT drag FROM pypto_slack") == [(5,), (5,), (5,), (5,), (10,), (0,)]


def test_two_paths_of_one_length_have_no_drag(ask):
    drawing = """
        AIC_1: a 0-10
        AIC_2: b 0-10
    """
    assert ask(drawing, SLACK) == [(0, 10, 10, 0, 0), (1, 10, 10, 0, 0)]


def test_a_cycle_has_no_slack(ask):
    assert ask("AIC_1: a 0-10, b 10-20\na -> b -> a", SLACK) == []


def test_a_task_alone_is_all_drag(ask):
    assert ask("AIC_1: a 3-10", SLACK) == [(0, 7, 7, 0, 7)]
