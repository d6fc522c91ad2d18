"""pypto.task: what the cores executed, and the run's span."""

from __future__ import annotations

DRAWING = """
    AIV_2: b 12-20@1
    HUB_1: h 10-10
    AI-CPU_7: x 0-30
    AIC_1: a 4-10
    a -> h -> b
"""


def test_tasks_without_hubs_and_off_core_work(ask):
    sql = "SELECT id, name, core, engine, ts, end_ts, dur, seq, subgraph, label FROM pypto_task"
    assert ask(DRAWING, sql) == [
        (0, "b", "AIV_2", "AIV", 12, 20, 8, 1, "b", "b"),
        (3, "a", "AIC_1", "AIC", 4, 10, 6, 0, "a", "a"),
    ]


def test_the_slice_of_a_task(ask):
    sql = "SELECT t.task, s.ts, s.dur FROM pypto_task AS t JOIN slice AS s ON s.id = t.slice_id"
    assert ask(DRAWING, sql) == [("1-0-0", 12, 8), ("0-0-3", 4, 6)]


def test_the_span_is_that_of_the_tasks(ask):
    assert ask(DRAWING, "SELECT ts, end_ts, dur FROM pypto_span") == [(4, 20, 16)]


def test_without_tasks_there_is_no_span(ask):
    assert ask("AIC_1:", "SELECT * FROM pypto_span") == []
