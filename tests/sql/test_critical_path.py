"""pypto.critical_path: the longest chain, and what the end of the run waited for."""

from __future__ import annotations

PATH = "SELECT name, ts, dur, gap_kind, gap_dur FROM pypto_critical_path"


def test_observed_path_goes_back_to_the_latest_end(ask):
    drawing = """
        AIC_1: a 1-10, b 12-20
        AIV_1: c 0-4, d 23-30
        a -> d
        b -> d
    """
    # d started 3 after its last predecessor b, b 2 after its core had finished a.
    assert ask(drawing, PATH) == [
        ("a", 1, 9, "front", 1),
        ("b", 12, 8, "core_wait", 2),
        ("d", 23, 7, "data_wait", 3),
    ]
    assert ask(drawing, "SELECT * FROM pypto_observed_path_stats") == [
        ("compute", 24, 3),
        ("core_wait", 2, 1),
        ("data_wait", 3, 1),
        ("front", 1, 1),
    ]


def test_a_predecessor_wins_over_the_core_at_the_same_end(ask):
    drawing = """
        AIC_1: a 0-10, c 10-20
        AIC_2: b 0-10
        b -> c
    """
    assert [row[0] for row in ask(drawing, PATH)] == ["b", "c"]


def test_a_task_that_still_runs_on_the_core_was_not_waited_for(ask):
    drawing = "AIC_1: a 0-30, b 5-10, c 10-40"
    assert ask(drawing, PATH) == [("b", 5, 5, "front", 5), ("c", 10, 30, "core_wait", 0)]


def test_backward_edges_are_never_followed(ask):
    drawing = """
        AIC_1: a 0-20
        AIV_1: b 3-8, c 10-30
        a -> c
    """
    assert ask(drawing, PATH) == [("b", 3, 5, "front", 3), ("c", 10, 20, "core_wait", 2)]


def test_static_path_counts_tasks_and_no_hubs(ask):
    drawing = """
        AIC_1: a 0-10, b 50-55
        HUB_1: h 20-40
        AIV_1: c 0-12
        a -> h -> b
    """
    assert ask(drawing, "SELECT dur FROM pypto_static_path") == [(15,)]


def test_a_cycle_has_no_static_path(ask):
    drawing = """
        AIC_1: a 0-10, b 10-20, c 20-30
        a -> b -> c -> b
    """
    assert ask(drawing, "SELECT dur FROM pypto_static_path") == [(None,)]
    rows = ask(drawing, "SELECT code, severity, examples FROM pypto_finding")
    assert ("dependency-cycle", "error", "0-0-1; 0-0-2") in rows
