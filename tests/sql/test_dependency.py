"""pypto.dependency: edges, readiness through hubs, and edges that run backward in time."""

from __future__ import annotations

READY = "SELECT id, ready_ts, ready_by FROM pypto_ready"


def test_edges_are_those_of_the_file_hubs_included(ask):
    drawing = """
        AIC_1: a 0-10, b 20-30
        HUB_1: h 12-13
        a -> h -> b
        a -> b
    """
    assert ask(drawing, "SELECT src, dst FROM pypto_dependency") == [(0, 1), (2, 1), (0, 2)]


def test_ready_is_the_latest_end_behind_a_chain_of_hubs(ask):
    drawing = """
        AIC_1: a 0-10, b 10-14
        HUB_1: h 0-1, i 30-40
        AIV_1: c 50-60
        a -> h -> i -> c
        b -> i
    """
    assert ask(drawing, READY) == [(0, 0, None), (1, 0, None), (4, 14, 1)]


def test_an_off_core_task_has_a_real_end_but_no_core(ask):
    drawing = """
        AIC_1: a 0-10
        AI-CPU_1: p 12-25
        AIV_1: c 30-40
        a -> p -> c
    """
    assert ask(drawing, READY) == [(0, 0, None), (2, 25, 1)]
    # On the path, it is time between a and c.
    path = "SELECT name, gap_kind, gap_dur FROM pypto_critical_path"
    assert ask(drawing, path) == [("a", "front", 0), ("c", "data_wait", 20)]


def test_backward_pairs_look_through_hubs(ask):
    drawing = """
        AIC_1: a 0-20
        HUB_1: h 14-15
        AIV_1: b 15-30, c 30-40
        a -> h -> b
        a -> c
    """
    sql = "SELECT src, dst, overlap FROM pypto_backward_dependency"
    assert ask(drawing, sql) == [(0, 2, 5)]
    findings = ask(drawing, "SELECT code, count, examples FROM pypto_finding")
    assert findings == [("backward-dependency", 1, "0-0-0 -> 0-0-2")]
