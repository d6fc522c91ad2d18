"""Facts: everything of the run is in the trace, slice by slice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import perfetto_pypto as pp
from perfetto_pypto.engine import query_columns
from perfetto_pypto.errors import EngineError
from perfetto_pypto.swimlane.model import Counter, Phases, Strings, SyncEvents
from perfetto_pypto.trace import check, facts, flows, writer
from tests.drawing import swimlane


def rows(run, sql):
    with pp.open_trace(run) as tp:
        columns = query_columns(tp, sql)
        lists = [c.tolist() if hasattr(c, "tolist") else c for c in columns.values()]
        return list(zip(*lists, strict=True))


def test_a_task_is_a_slice_with_its_facts():
    run = swimlane(
        """
        AIC_1: a 0-10
        AIV_1: b 12-20@3
        a -> b
        """
    )
    tasks = replace(run.tasks, inputs=Strings.of([None, "128x128 fp32\n64 int32"]))
    sql = """
        SELECT a.key, coalesce(a.string_value, a.int_value) AS value
        FROM slice AS s JOIN args AS a USING (arg_set_id)
        WHERE s.name = 'b' AND s.category = 'task' ORDER BY a.id
    """
    assert [row for row in rows(replace(run, tasks=tasks), sql) if row[0].startswith("debug")] == [
        ("debug.task", "3-0-1"),
        ("debug.label", "b"),
        ("debug.inputs[0]", "128x128 fp32"),
        ("debug.inputs[1]", "64 int32"),
        ("debug.leaf_hash", "b"),
        ("debug.predecessors[0]", "0-0-0 a on AIC_1"),
        ("debug.seq", 3),
        ("debug.func", 0),
        ("debug.op", 1),
        ("debug.root_index", 0),
        ("debug.psg_id", 0),
        ("debug.id", 1),
        ("debug.deps[0]", 0),
        ("debug.source.taskId", 1),
    ]


def test_overlapping_tasks_stay_in_their_core():
    run = swimlane("AIC_1: a 0-10, b 3-5, c 4-12, d 10-10, e 12-12")
    sql = """
        SELECT t.name AS row, s.name, s.ts, s.dur
        FROM slice AS s JOIN track AS t ON s.track_id = t.id
        WHERE s.category = 'task' ORDER BY s.name
    """
    assert rows(run, sql) == [
        ("AIC_1", "a", 0, 10),
        ("AIC_1", "b", 3, 2),
        ("AIC_1", "c", 4, 8),
        ("AIC_1", "d", 10, 0),
        ("AIC_1", "e", 12, 0),
    ]


def test_rows_are_in_order():
    run = swimlane("AIV_1: b 0-1\nAIC_10: c 0-1\nAIC_2: a 0-1\nHUB_1: h 0-1\nAI-CPU_1: p 0-1")
    sql = """
        SELECT t.name, p.name AS parent,
          extract_arg(t.source_arg_set_id, 'sibling_order_rank') AS place
        FROM track AS t LEFT JOIN track AS p ON p.id = t.parent_id
        ORDER BY p.id IS NOT NULL, p.name, place
    """
    assert rows(run, sql) == [
        ("drawing", None, None),
        ("AI-CPU_1", "AI-CPU", 1),
        ("AIC_2", "AIC cores (2)", 2),
        ("AIC_10", "AIC cores (2)", 10),
        ("AIV_1", "AIV cores (1)", 1),
        ("HUB_1", "Hub tasks (1)", 1),
        ("AIC cores (2)", "drawing", 12),
        ("AIV cores (1)", "drawing", 22),
        ("AI-CPU", "drawing", 1000),
        ("Hub tasks (1)", "drawing", 1010),
    ]


def test_phases_counters_and_sync_events():
    run = swimlane("AIC_1: a 10-20")
    run = replace(
        run,
        phases=Phases(
            Strings.of(["AICPU-CTRL-0", "AICPU-SCHED-1"]),
            Strings.of(["INIT", "DEV_TASK_RCV"]),
            np.array([0, 5]),
            np.array([4, 30]),
            np.array([0, 0]),
            np.array([-1, 2]),
        ),
        counters=[Counter("ReadyCount_AIC", np.array([1, 2]), np.array([3.0, 0.5]))],
        sync_events=SyncEvents(
            np.array([0], dtype=np.int32),
            np.array([20]),
            Strings.of(["CV_SYNC_SET"]),
            np.array([5]),
        ),
    )
    sql = """
        SELECT s.category, t.name AS row, s.name, s.ts, s.dur
        FROM slice AS s JOIN track AS t ON s.track_id = t.id
        WHERE s.category IN ('aicpu', 'sync', 'run') ORDER BY s.category, s.ts
    """
    assert rows(run, sql) == [
        ("aicpu", "AICPU-CTRL-0", "INIT", 0, 4),
        ("aicpu", "AICPU-SCHED-1", "DEV_TASK_RCV", 5, 25),
        ("run", "drawing", "drawing", 0, 30),
        ("sync", "AIC_1", "CV_SYNC_SET", 20, 0),
    ]
    assert rows(run, "SELECT ts, value FROM counter") == [(1, 3.0), (2, 0.5)]


def test_flows_are_drawn_from_the_earlier_slice():
    run = swimlane("AIC_1: a 0-10\nAIV_1: b 10-20, c 12-20\na -> b\na -> c")
    src, dst = run.dependencies.src, run.dependencies.dst
    packets = facts.write_facts(
        run, flows=flows.draw(run, src, dst), small_task_ns=1, predictions=[]
    )
    sql = """
        SELECT a.name, b.name FROM flow AS f
        JOIN slice AS a ON a.id = f.slice_out JOIN slice AS b ON b.id = f.slice_in
    """
    from perfetto_pypto.engine import open_trace

    with open_trace(writer.chunks_of(packets)) as tp:
        columns = query_columns(tp, sql.replace("b.name FROM", "b.name AS consumer FROM"))
    assert list(zip(*columns.values(), strict=True)) == [("a", "b"), ("a", "c")]


def test_a_loss_is_an_error():
    run = swimlane("AIC_1: a 0-10, b 10-20")
    packets = list(facts.write_facts(run, flows=flows.NONE, small_task_ns=1, predictions=[]))
    packets[0].slices.values[0, 2] = 9
    from perfetto_pypto.engine import open_trace

    with (
        open_trace(writer.chunks_of(packets)) as tp,
        pytest.raises(EngineError, match=r"1 slices lost, 1 not written, first task at 0 ns for 9"),
    ):
        check.check_load(tp, *packets)
