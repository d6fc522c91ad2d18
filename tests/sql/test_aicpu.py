"""pypto.aicpu: phases of the AICPU threads, and the time around the tasks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import perfetto_pypto as pp
from perfetto_pypto.report.query import run_query
from perfetto_pypto.swimlane.model import Phases, Strings
from tests.drawing import swimlane

#: Thread, phase, start, end, round, device task (-1: none).
PHASES = (
    ("AICPU-CTRL-0", "BUILD", 0, 5, 0, 1),
    ("AICPU-CTRL-0", "BUILD", 5, 8, 0, 1),
    ("AICPU-CTRL-0", "BUILD", 8, 9, 0, 2),
    ("AICPU-CTRL-0", "END", 9, 11, 1, -1),
    ("AICPU-SCHED-1", "BUILD", 2, 40, 0, 1),
)


def rows(sql: str, picture: str = "AIC_1: a 3-10, b 12-30") -> list[tuple[object, ...]]:
    thread, name, *numbers = zip(*PHASES, strict=True)
    columns = (np.array(column, dtype=np.int64) for column in numbers)
    run = replace(swimlane(picture), phases=Phases(Strings.of(thread), Strings.of(name), *columns))
    with pp.open_trace(run) as tp:
        columns = run_query(tp, sql).values()
        return list(zip(*(list(column) for column in columns), strict=True))


def test_phases():
    sql = "SELECT thread, phase, round, dev_task, ts, dur FROM pypto_aicpu_phase LIMIT 1 OFFSET 3"
    assert rows(sql) == [("AICPU-CTRL-0", "END", 1, None, 9, 2)]


def test_phases_of_one_name_round_and_device_task_are_summed():
    assert rows("SELECT * FROM pypto_aicpu_stats") == [
        ("AICPU-CTRL-0", "BUILD", "0", "1", 8, 2),
        ("AICPU-CTRL-0", "BUILD", "0", "2", 1, 1),
        ("AICPU-CTRL-0", "END", "1", "", 2, 1),
        ("AICPU-SCHED-1", "BUILD", "0", "1", 38, 1),
    ]


def test_time_around_the_tasks():
    assert rows("SELECT head, tail FROM pypto_aicpu_overhead") == [(3, 10)]
    assert rows("SELECT head, tail FROM pypto_aicpu_overhead", "AIC_1:") == []


def test_only_the_control_threads_are_overhead():
    assert rows("SELECT control_overhead FROM pypto_run_stats") == [(11 / (11 + 25),)]
