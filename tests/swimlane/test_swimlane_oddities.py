"""Suspicious values: what is kept, what is dropped, and what is said about it."""

from pathlib import Path

import pytest

from perfetto_pypto.swimlane import Core
from tests.swimlane.swimlane_samples import (
    LANES,
    count,
    found,
    phase,
    process,
    read_events,
    task,
    thread,
)

FIRST = task("0-0-0-9-0(a)", 1002, 1.0, 1.0, color="a")


@pytest.mark.parametrize("ts", [float("nan"), float("inf"), 9223372036854775807])
def test_a_task_without_a_possible_start_is_dropped(tmp_path: Path, ts: float) -> None:
    run = read_events(tmp_path, FIRST, task("0-0-1-9-0(b)", 1002, ts, 1.0, color="b"))
    assert run.tasks.start.tolist() == [0]
    assert found(run) == {"impossible-timestamp": 1}
    assert run.findings[0].examples == ("0-0-1-9-0(b)",)


@pytest.mark.parametrize("dur", [float("nan"), float("inf")])
def test_an_impossible_duration_is_kept_as_0(tmp_path: Path, dur: float) -> None:
    run = read_events(tmp_path, FIRST, task("0-0-1-9-0()", 1002, 3.0, dur))
    assert run.tasks.end.tolist() == [1000, 2000]
    assert found(run) == {"impossible-duration": 1, "zero-duration": 1}


def test_a_negative_duration_is_kept_as_0_at_its_start(tmp_path: Path) -> None:
    run = read_events(tmp_path, FIRST, task("0-0-1-9-0()", 1002, 3.0, -0.5))
    assert (run.tasks.start.tolist(), run.tasks.end.tolist()) == ([0, 2000], [1000, 2000])
    assert found(run) == {"negative-duration": 1}


def test_a_zero_duration_is_kept(tmp_path: Path) -> None:
    run = read_events(tmp_path, FIRST, task("0-0-1-9-0()", 1002, 3.0, 0))
    assert run.tasks.end.tolist() == [1000, 2000]
    assert found(run) == {"zero-duration": 1}


def test_a_slice_that_is_there_twice_is_kept_once(tmp_path: Path) -> None:
    run = read_events(tmp_path, FIRST, FIRST, task("0-0-1-9-0(a)", 1006, 1.0, 1.0, color="a"))
    assert run.tasks.op.tolist() == [0, 1]
    assert found(run) == {"duplicate-event": 1}
    assert run.present["tasks"] == 3


def test_tasks_of_one_identity_are_all_kept(tmp_path: Path) -> None:
    again = task("0-0-0-9-0(a)", 1002, 3.0, 1.0, color="a")
    run = read_events(tmp_path, FIRST, again)
    assert run.tasks.op.tolist() == [0, 0]
    assert found(run) == {"duplicate-task-id": 1}


def test_overlapping_tasks_stay_on_their_core(tmp_path: Path) -> None:
    run = read_events(
        tmp_path,
        task("0-0-0-9-0()", 1002, 1.0, 5.0),
        task("0-0-1-9-0()", 1003, 2.0, 1.0),
        task("0-0-2-9-0()", 1002, 4.0, 1.0),  # overlaps the first, not the one before it
        task("0-0-3-9-0()", 1006, 2.0, 1.0),
        lanes=[*LANES, thread("AIC_1", 1003)],
    )
    assert run.tasks.core.tolist() == [0, 0, 0, 1]
    assert run.source.core_counts == {"AIC": 1, "AIV": 1}
    assert found(run) == {"overlapping-tasks": 2}


def test_unsorted_tasks(tmp_path: Path) -> None:
    run = read_events(tmp_path, task("0-0-1-9-0()", 1002, 5.0, 1.0), FIRST)
    assert run.tasks.start.tolist() == [4000, 0]
    assert found(run) == {"unsorted-tasks": 1}


def test_hubs_may_overlap_and_stand_in_any_order(tmp_path: Path) -> None:
    hubs = [task(f"0-0-{op}-9-0(fake)", 1000, ts, 1.0) for op, ts in ((7, 3.0), (8, 2.5))]
    assert found(read_events(tmp_path, FIRST, *hubs)) == {}


def test_the_aicpu_view_merged_twice_is_kept_once(tmp_path: Path) -> None:
    view = [
        process("AICPU View", 0),
        thread("AICPU-CTRL-0", 0, 0),
        phase("INIT_0", 0, 1.0, 0.5),
        phase("EXIT_0", 0, 2.0, 0.5),
    ]
    run = read_events(tmp_path, FIRST, lanes=[*view, *view, *LANES])
    assert [run.phases.name[row] for row in range(2)] == ["INIT", "EXIT"]
    assert found(run) == {"duplicate-phase": 2}


def test_phases_of_no_possible_time(tmp_path: Path) -> None:
    view = [
        process("AICPU View", 0),
        phase("A_0", 4, 1.0, -0.5),
        phase("B_0", 4, float("nan"), 0.5),
    ]
    run = read_events(tmp_path, FIRST, lanes=[*view, *LANES])
    assert (run.phases.start.tolist(), run.phases.end.tolist()) == ([0], [0])
    assert run.phases.thread[0] == "thread 4"
    assert found(run) == {"negative-duration": 1, "impossible-phase": 1}


def test_counters_without_a_value_or_time(tmp_path: Path) -> None:
    run = read_events(
        tmp_path,
        FIRST,
        count("Ready", 1.0, size=float("nan")),
        count("Ready", float("inf"), size=1),
        count("Ready", 1.5, size=None),
        count("Ready", 2.0),
        count("Ready", 1.8, size=4),
        count("Ready", 1.2, size=3),
    )
    assert (run.counters[0].ts.tolist(), run.counters[0].value.tolist()) == ([200, 800], [3, 4])
    assert found(run) == {"impossible-counter": 4}
    assert run.present["counters"] == 6


def test_sync_events_of_dropped_tasks_or_no_possible_time(tmp_path: Path) -> None:
    sync = {"idx": 0, "type": "CV_SYNC_WAIT", "time": 1.5, "eventid": 2}
    run = read_events(
        tmp_path,
        task("0-0-0-9-0()", 1002, 1.0, 1.0, syncEvents=[sync, {**sync, "time": float("nan")}]),
        task("0-0-1-9-0()", 1002, float("nan"), 1.0, syncEvents=[sync]),
    )
    assert run.sync_events.ts.tolist() == [500]
    assert found(run) == {"impossible-timestamp": 1, "impossible-sync-event": 2}


def test_events_of_an_unknown_phase_are_counted(tmp_path: Path) -> None:
    instant = {"ph": "i", "name": "here", "ts": 1.0, "pid": 1, "tid": 1002}
    run = read_events(tmp_path, instant, FIRST, instant)
    assert len(run.tasks) == 1
    assert found(run) == {"unknown-event": 2}
    assert run.findings[0].examples[0] == "traceEvents[4] with ph 'i'"


def test_lanes_of_all_kinds_in_their_order(tmp_path: Path) -> None:
    lanes = [
        process("Machine View"),
        *(
            thread(name, 1000 + 2 * number)
            for number, name in enumerate(
                ["HUB_80", "AI-CPU_75", "my lane", "AICORE_3", "AIV_30", "AIC_10", "AIC_9"]
            )
        ),
    ]
    run = read_events(tmp_path, task("0-0-0-9-0()", 1012, 1.0, 1.0), lanes=lanes)
    assert run.cores == [
        Core("AIC_9", "AIC", 9),
        Core("AIC_10", "AIC", 10),
        Core("AIV_30", "AIV", 30),
        Core("AICORE_3", "AICORE", 3),
        Core("my lane", "OTHER", 1004),
        Core("AI-CPU_75", "AI-CPU", 75),
        Core("HUB_80", "HUB", 80),
    ]
    assert run.source.core_counts == {"AIC": 2, "AIV": 1, "AICORE": 1}
    assert run.source.core_counts_from == "lanes in the file"
    assert found(run) == {"unknown-lane": 1}


@pytest.mark.parametrize("name", ["AICPU_1", "AIC_", "AIC_1x", "xAIC_1", "AIC_1\n", "aic_1"])
def test_core_names_match_exactly(tmp_path: Path, name: str) -> None:
    run = read_events(tmp_path, FIRST, lanes=[process("Machine View"), thread(name, 1002)])
    assert run.cores == [Core(name, "OTHER", 1002)]


def test_a_lane_without_a_name(tmp_path: Path) -> None:
    run = read_events(tmp_path, FIRST, task("0-0-1-9-0()", 4711, 1.0, 1.0))
    assert run.cores[2] == Core("lane 4711", "OTHER", 4711)
    assert run.tasks.core.tolist() == [0, 2]
    assert found(run) == {"unnamed-lane": 1}


def test_lanes_of_one_name_in_two_processes_are_two_cores(tmp_path: Path) -> None:
    run = read_events(
        tmp_path,
        FIRST,
        {**task("0-0-1-9-0()", 1002, 1.0, 1.0), "pid": 2},
        lanes=[*LANES, process("Machine View", 2), thread("AIC_1", 1002, 2)],
    )
    assert run.cores[:2] == [Core("AIC_1", "AIC", 1), Core("AIC_1 (process 2)", "AIC", 1)]
    assert run.tasks.core.tolist() == [0, 1]
