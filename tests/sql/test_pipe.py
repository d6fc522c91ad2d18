"""pypto.pipe: what the pipes inside the cores did, and how busy they were."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import perfetto_pypto as pp
from perfetto_pypto.report.query import run_query
from perfetto_pypto.swimlane.model import PipeSpans, Strings
from tests.drawing import swimlane

#: Lane, pipe, start, end, operation.
SPANS = (
    (0, "MTE1", 0, 4, "LOAD"),
    (0, "MTE1", 2, 3, "LOAD"),
    (0, "MTE1", 3, 7, "LOAD"),
    (0, "CUBE", 7, 9, "A_MUL_B"),
    (1, "CUBE", 0, 5, "A_MUL_B"),
)


def rows(sql: str, spans: tuple[tuple[int, str, int, int, str], ...] = SPANS) -> list[object]:
    core, pipe, start, end, name = zip(*spans, strict=True) if spans else [()] * 5
    run = replace(
        swimlane("AIC_1: a 0-10\nAIC_2: b 0-6"),
        pipe_spans=PipeSpans(
            np.array(core, dtype=np.int32),
            Strings.of(pipe),
            np.array(start, dtype=np.int64),
            np.array(end, dtype=np.int64),
            Strings.of(name),
            Strings.of(name),
        ),
    )
    with pp.open_trace(run) as tp:
        columns = run_query(tp, sql).values()
        return list(zip(*(list(column) for column in columns), strict=True))


def test_operations():
    sql = "SELECT core, engine, pipe, op, ts, end_ts, dur FROM pypto_pipe_op WHERE pipe = 'CUBE'"
    assert rows(sql) == [
        ("AIC_1", "AIC", "CUBE", "A_MUL_B", 7, 9, 2),
        ("AIC_2", "AIC", "CUBE", "A_MUL_B", 0, 5, 5),
    ]


def test_what_overlaps_on_a_pipe_counts_once():
    sql = "SELECT engine, pipe, busy, share, op_count FROM pypto_pipe_stats"
    # Two cores for 10 ns each.
    assert rows(sql) == [("AIC", "CUBE", 7, 7 / 20, 2), ("AIC", "MTE1", 7, 7 / 20, 3)]


def test_a_run_without_a_log_has_no_rows():
    assert rows("SELECT * FROM pypto_pipe_stats", ()) == []
