"""Records of the simpler runtime: rows of cycles, and the objects before them."""

import json
import os
from pathlib import Path

import pytest

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane import read
from tests.swimlane.simpler_samples import (
    deps,
    edges,
    numbers,
    on,
    read_records,
    records,
    texts,
    token,
    write,
)
from tests.swimlane.swimlane_samples import found, missing

#: core, task, register task, start, end
TWO = [[0, 1, 1, 1000, 1100], [2, 2, 1, 1150, 1160]]


def test_a_row_is_a_task(tmp_path: Path) -> None:
    write(tmp_path, "name_map_case.json", {"callable_id_to_name": {"7": "up"}})
    run = read_records(tmp_path, records(TWO), deps([(1, 2)], t1=[7, -1, -1], t2=[-1, 9, -1]))
    tasks = run.tasks
    assert on(run) == ["AIC_0", "AIV_2"]
    assert numbers(tasks.start) == [0, 3000]
    assert numbers(tasks.end) == [2000, 3200]
    assert texts(tasks.token) == ["t1", "t2"]
    assert texts(tasks.label) == ["up", "func_9"]
    assert texts(tasks.leaf_hash) == ["func-7", "func-9"]
    assert [numbers(column) for column in (tasks.seq, tasks.func, tasks.op)] == [
        [0, 0],
        [7, 9],
        [1, 2],
    ]
    assert edges(run) == [(0, 1)]
    assert tasks.dispatch is None
    assert tasks.finish is None
    assert run.source.origin_us == "20"
    assert run.source.clock_hz == 50_000_000
    assert found(run) == {}
    assert missing(run) == {}


def test_idle_cores_count(tmp_path: Path) -> None:
    run = read_records(tmp_path, records(TWO))
    assert [core.name for core in run.cores] == ["AIC_0", "AIC_1", "AIV_2", "AIV_3"]
    assert run.source.core_counts == {"AIC": 2, "AIV": 2}
    assert run.source.core_counts_from == "file metadata (core_types)"


def test_the_ring_is_the_sequence(tmp_path: Path) -> None:
    run = read_records(tmp_path, records([[0, token(1, 3), 1, 1000, 1100]]))
    assert texts(run.tasks.token) == ["r1t3"]
    assert numbers(run.tasks.seq) == [1]
    assert numbers(run.tasks.op) == [3]
    assert numbers(run.tasks.task_id) == [4294967299]


def test_dispatch_and_finish_join_by_core_and_register_task(tmp_path: Path) -> None:
    aicpu = [[2, 1, 1120, 1170], [0, 1, 990, 1110], [1, 5, 1, 2]]
    run = read_records(tmp_path, records(TWO, aicpu), deps([]))
    assert numbers(run.tasks.dispatch) == [0, 2600]
    assert numbers(run.tasks.finish) == [2400, 3600]
    assert numbers(run.tasks.start) == [200, 3200]
    assert found(run) == {"unmatched-dispatch": 1}


def test_an_unrecorded_time_is_absent_not_0(tmp_path: Path) -> None:
    run = read_records(tmp_path, records(TWO, [[2, 1, 1120, 0]]), deps([]))
    assert numbers(run.tasks.dispatch) == [-1, 2400]
    assert numbers(run.tasks.finish) == [-1, -1]
    assert found(run) == {"missing-dispatch": 1}


def test_the_sixth_column_is_the_wait_between_receipt_and_start(tmp_path: Path) -> None:
    run = read_records(tmp_path, records([[0, 1, 1, 1000, 1100, 8]]))
    assert texts(run.tasks.extra) == ['{"local_setup_ns": 160}']
    assert numbers(run.tasks.start) == [0]


def test_the_seventh_column_is_the_run(tmp_path: Path) -> None:
    """Register task ids begin anew in each run; only the last run is kept."""
    rows = [[0, 1, 1, 1000, 1100, 8, 4], [0, 1, 1, 5000, 5100, 8, 5], [0, 2, 2, 5200, 5300, 8, 5]]
    aicpu = [[0, 1, 900, 1200, 4], [0, 2, 5150, 5310, 5], [0, 1, 4900, 5110, 5]]
    run = read_records(tmp_path, records(rows, aicpu), deps([]))
    assert numbers(run.tasks.dispatch) == [0, 5000]
    assert numbers(run.tasks.start) == [2000, 6000]
    assert found(run) == {"other-run": 1}
    assert missing(run) == {}


def test_the_schedulers_records_may_have_an_object_of_their_own(tmp_path: Path) -> None:
    value = records(TWO) | {
        "scheduler_tasks": {"records": [[0, 1, 990, 1110], [2, 1, 1120, 1170]]},
        "scheduler_records": {
            "streams": [{"records": [{"kind": "dispatch", "start_cycles": 980, "end_cycles": 985}]}]
        },
    }
    run = read_records(tmp_path, value, deps([]))
    assert numbers(run.tasks.dispatch) == [200, 2800]
    assert texts(run.phases.thread) == ["AICPU-SCHED-0"]


def test_phases_and_queue_depths(tmp_path: Path) -> None:
    depth = {"shared_at_start": [0, 0, 0], "shared_at_end": [3, 1, 0]}
    value = records(TWO) | {
        "aicpu_scheduler_phases": [
            [],
            [
                {"kind": "dispatch", "start_cycles": 1000, "end_cycles": 1010, **depth},
                {"kind": "release", "start_cycles": 1010, "end_cycles": 1020, **depth},
                {"kind": "complete", "start_cycles": 0, "end_cycles": 0},
            ],
        ],
        "aicpu_orchestrator_phases": [
            [{"submit_idx": 0, "task_id": 1, "start_cycles": 900, "end_cycles": 950}]
        ],
        "host_orchestrator_phases": [[{"start_host_ns": 1, "end_host_ns": 2}]],
    }
    run = read_records(tmp_path, value, deps([]))
    phases = run.phases
    assert texts(phases.thread) == ["AICPU-SCHED-1", "AICPU-SCHED-1", "AICPU-CTRL-0"]
    assert texts(phases.name) == ["dispatch", "release", "orch_submit"]
    assert numbers(phases.start) == [2000, 2200, 0]
    assert numbers(phases.end) == [2200, 2400, 1000]
    assert [(c.name, numbers(c.ts), numbers(c.value)) for c in run.counters] == [
        ("shared_ready_queue AIC", [2200], [3]),
        ("shared_ready_queue AIV", [2200], [1]),
        ("shared_ready_queue MIX", [2200], [0]),
    ]
    assert found(run) == {"host-phase": 1, "impossible-phase": 1}
    assert missing(run) == {}


OBJECT = {"core_type": "aic", "func_id": 7, "fanout": [], "fanout_count": 0}
FIRST = {**OBJECT, "task_id": 1, "core_id": 0, "start_time_us": 0.4, "end_time_us": 2.4}
SECOND = {
    **OBJECT,
    "task_id": token(1, 2),
    "core_id": 5,
    "core_type": "aiv",
    "start_time_us": 3.0,
    "end_time_us": 3.6,
}


@pytest.mark.parametrize(
    "head", [{"version": 1}, {"l2_perf_level": 2, "version": 2}, {"l2_swimlane_level": 2}]
)
def test_the_generations_before_rows(tmp_path: Path, head: dict[str, int]) -> None:
    first = {**FIRST, "fanout": [token(1, 2)], "dispatch_time_us": 0.0, "finish_time_us": 2.5}
    second = {**SECOND, "dispatch_time_us": 2.6, "finish_time_us": 3.8}
    run = read(write(tmp_path, "l2_perf_records.json", {**head, "tasks": [first, second]}))
    assert on(run) == ["AIC_0", "AIV_5"]
    assert texts(run.tasks.token) == ["t1", "r1t2"]
    assert numbers(run.tasks.start) == [400, 3000]
    assert numbers(run.tasks.end) == [2400, 3600]
    assert numbers(run.tasks.dispatch) == [0, 2600]
    assert numbers(run.tasks.finish) == [2500, 3800]
    assert edges(run) == [(0, 1)]
    assert run.source.clock_hz == 50_000_000
    assert found(run) == {}


def test_their_first_level_has_no_dispatch(tmp_path: Path) -> None:
    zeros = {"dispatch_time_us": 0.0, "finish_time_us": 0.0}
    value = {"l2_perf_level": 1, "tasks": [FIRST | zeros, SECOND | zeros]}
    run = read(write(tmp_path, "l2_perf_records.json", value))
    assert run.tasks.dispatch is None
    assert run.tasks.finish is None
    assert numbers(run.tasks.start) == [0, 2600]


def test_odd_rows_are_named(tmp_path: Path) -> None:
    rows = [
        [0, 1, 1, 1000, 1100],
        [0, 1, 1, 1000, 1100],  # twice
        [0, 2, 2, 1050, 1060],  # overlaps
        [0, 3, 3, 1200, 1200],  # no length
        [0, 4, 4, 1300, 1290],  # negative
        [0, 5, 5, 0, 10],  # no start
        [0, 6, 6, 2**70, 10],  # no possible start
        [0, 7, 7, 1400, 2**64 - 1],  # no possible end
        [9, 8, 8, 1500, 1510],  # a core that isn't listed
    ]
    run = read_records(tmp_path, records(rows), deps([]))
    assert found(run) == {
        "duplicate-event": 1,
        "overlapping-tasks": 1,
        "zero-duration": 3,
        "negative-duration": 1,
        "impossible-timestamp": 2,
        "impossible-duration": 1,
        "unknown-lane": 1,
    }
    assert missing(run) == {}
    assert on(run)[-1] == "core 9"
    assert run.cores[run.tasks.core[-1]].engine == "OTHER"


def problem(tmp_path: Path, value: object, graph: object = None) -> str:
    if graph is not None:
        (tmp_path / "deps.json").write_text(json.dumps(graph))
    with pytest.raises(InputError) as error:
        read(write(tmp_path, "chip_swimlane_records.json", value))
    text = str(error.value)
    assert "\n" not in text
    return text.removeprefix(str(tmp_path) + os.sep)


def test_errors_name_the_place(tmp_path: Path) -> None:
    assert problem(tmp_path, records([[0, 1, 1, 5]])).startswith(
        "chip_swimlane_records.json: $.aicore_tasks[0]: [0, 1, 1, 5] is too short;"
    )
    assert problem(tmp_path, records([[0, "1", 1, 5, 6]])).startswith(
        "chip_swimlane_records.json: $.aicore_tasks[0][1]: '1' is not of type 'integer';"
    )
    assert "$.metadata.clock_freq_hz: 0 is less than the minimum of 1" in problem(
        tmp_path, records(TWO, metadata={"clock_freq_hz": 0, "core_types": []})
    )
    assert "has no 'metadata'" in problem(tmp_path, {"chip_swimlane_level": 1, "aicore_tasks": TWO})
    assert "has no 'aicore_tasks'" in problem(tmp_path, records(TWO) | {"aicore_tasks": None})
    assert "holds no executed task" in problem(tmp_path, records([]))


def test_a_damaged_graph_is_an_error_of_its_own(tmp_path: Path) -> None:
    graph = {"edges": [{"pred": "one", "succ": "2"}]}
    assert problem(tmp_path, records(TWO), graph).startswith(
        "deps.json: the task id 'one' is no number;"
    )
    assert problem(tmp_path, records(TWO), {"edges": [{"pred": "1"}]}).startswith(
        "deps.json: $.edges[0]: 'succ' is a required property;"
    )


def test_without_a_graph_it_is_said(tmp_path: Path) -> None:
    run = read_records(tmp_path, records(TWO))
    assert found(run) == {"no-dependencies": 1}
    assert texts(run.tasks.label) == ["task", "task"]
    assert texts(run.tasks.leaf_hash) == [None, None]
