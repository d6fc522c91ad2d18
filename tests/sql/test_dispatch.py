"""pypto.dispatch: scheduling waits cut where the AICPU handed the task out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import perfetto_pypto as pp
from tests.drawing import swimlane

PICTURE = """
    AIC_1: a 0-10, b 20-30
    AIC_2: c 15-18, d 40-50
    a -> c
    a -> d
"""


def rows(dispatch: list[int], finish: list[int], sql: str) -> list[tuple[object, ...]]:
    run = swimlane(PICTURE)
    times = (np.array(column, dtype=np.int64) for column in (dispatch, finish))
    tasks = replace(run.tasks, **dict(zip(("dispatch", "finish"), times, strict=True)))
    with pp.open_trace(replace(run, tasks=tasks)) as tp:
        found = tp.query(f"INCLUDE PERFETTO MODULE pypto.dispatch; {sql}")
        return [tuple(row.__dict__.values()) for row in found]


TASKS = """
    SELECT t.label, ready_ts, is_first, dispatched_late, started_late, noticed_late
    FROM pypto_dispatch AS d JOIN pypto_task AS t USING (id)
"""


def test_late_dispatch_and_late_start():
    # b, ready from 0 on, could have started at 10; it was handed out at 14. c was handed out before
    # it was ready. d was ready at 10, its core free at 18.
    assert rows([0, 14, 5, 38], [11, -1, 19, 50], TASKS) == [
        ("a", 0, 1, 0, 0, 1),
        ("b", 0, 0, 4, 6, None),
        ("c", 10, 1, 0, 5, 1),
        ("d", 10, 0, 20, 2, 0),
    ]


def test_sums_per_engine():
    sql = "SELECT * FROM pypto_dispatch_stats"
    total = (4, 24, 8, 0, 5, 2)
    assert rows([0, 14, 5, 38], [11, -1, 19, 50], sql) == [("all", *total), ("AIC", *total)]


def test_an_unrecorded_dispatch_has_no_row():
    assert rows([-1, 14, -1, -1], [-1] * 4, TASKS) == [("b", 0, 0, 4, 6, None)]
    times = "SELECT dispatch_ts, finish_ts FROM pypto_task"
    assert rows([-1, 14, -1, 0], [-1, 31, 9, -1], times) == [
        (None, None),
        (14, 31),
        (None, 9),
        (0, None),
    ]


def test_a_run_without_dispatch_times_has_no_rows():
    with pp.open_trace(swimlane(PICTURE)) as tp:
        found = tp.query(
            "INCLUDE PERFETTO MODULE pypto.dispatch; SELECT count() AS n FROM pypto_dispatch_stats"
        )
        assert [row.n for row in found] == [0]
