"""Merged swimlanes of the simpler runtime, old and new."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import perfetto_pypto as pp
from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane import Strings, read
from perfetto_pypto.swimlane.model import Tasks
from tests.paths import MORE_RUNS
from tests.swimlane.simpler_samples import (
    Json,
    edges,
    numbers,
    on,
    process,
    read_merged,
    seen,
    slice_of,
    texts,
    thread,
    token,
)
from tests.swimlane.swimlane_samples import found, missing

NEW = [
    process(4, "Worker View"),
    process(3, "Scheduler View"),
    thread(4, 0, "AIC_0"),
    thread(4, 24, "AIV_24"),
    thread(4, 900, "AICPU_0"),
]


def new_tasks() -> list[Json]:
    """The bar begins with 0.16 µs of setup; t0 has no kernel."""
    return [
        slice_of(
            "r1t3",
            0,
            1.0,
            2.16,
            **{"kernel-duration-us": 2.0, "taskId": token(1, 3)},
            **{"fanin-hint": "1: [t0]", "fanout-hint": "1: [t4]"},
        ),
        slice_of("t4", 24, 4.0, 1.0, 9, "func_9_j", **{"fanin-hint": "1: [r1t3]"}),
    ]


def test_worker_view(tmp_path: Path) -> None:
    view = [seen("r1t3", 0, 0.5, 3.5), seen("t4", 24, 3.8, 5.2)]
    run = read_merged(tmp_path, *NEW, *new_tasks(), *view)
    assert on(run) == ["AIC_0", "AIV_24", "HUB_0"]
    assert texts(run.tasks.token) == ["r1t3", "t4", "t0"]
    assert numbers(run.tasks.start) == [660, 3500, 660]
    assert numbers(run.tasks.end) == [2660, 4500, 660]
    assert numbers(run.tasks.dispatch) == [0, 3300, -1]
    assert numbers(run.tasks.finish) == [3000, 4700, -1]
    assert texts(run.tasks.label) == ["up", "func_9", None]
    assert texts(run.tasks.leaf_hash) == ["func-7", "func-9", None]
    assert texts(run.tasks.extra) == ['{"local_setup_ns": 160}', None, None]
    assert edges(run) == [(2, 0), (0, 1)]
    assert run.source.core_counts == {"AIC": 1, "AIV": 1}
    assert found(run) == {}
    assert missing(run) == {}


@pytest.mark.parametrize("view", ["AICore View", "Machine View"])
def test_the_views_before(tmp_path: Path, view: str) -> None:
    """Task ids without a ring, no setup, only the consumers named."""
    lanes = [
        process(1, view),
        process(2, "AICPU View"),
        thread(1, 0, "AIC_0"),
        thread(1, 1, "AIV_1"),
    ]
    tasks = [
        slice_of("5", 0, 1.0, 2.0, 3, "Func_3", **{"fanout-hint": "[6]"}) | {"pid": 1},
        slice_of("6", 1, 4.0, 1.0, 4, "QK", **{"fanout-hint": "[]"}) | {"pid": 1},
    ]
    run = read_merged(tmp_path, *lanes, *tasks, seen("5", 0, 0.5, 3.5, pid=2))
    assert texts(run.tasks.token) == ["t5", "t6"]
    assert numbers(run.tasks.dispatch) == [0, -1]
    assert texts(run.tasks.label) == ["func_3", "QK"]
    assert edges(run) == [(0, 1)]
    assert found(run) == {"missing-dispatch": 1}


def test_level_1_has_no_dispatch(tmp_path: Path) -> None:
    run = read_merged(tmp_path, *NEW, *new_tasks())
    assert run.tasks.dispatch is None


def test_executions_on_one_core_pair_in_order(tmp_path: Path) -> None:
    tasks = [slice_of("t1", 0, 1.0, 1.0, name="up_spmd"), slice_of("t1", 0, 3.0, 1.0)]
    run = read_merged(tmp_path, *NEW, *tasks, seen("t1", 0, 2.5, 4.1), seen("t1", 0, 0.5, 2.1))
    assert numbers(run.tasks.dispatch) == [0, 2000]
    assert texts(run.tasks.label) == ["up", "up"]


def test_what_repeats_others_is_no_task(tmp_path: Path) -> None:
    setup = slice_of("t1", 0, 0.9, 0.1) | {"name": "setup", "args": {"event-hint": "setup: …"}}
    marker = slice_of("t1", 900, 0.9, 0.1) | {"name": "dummy(t0)", "args": {}}
    frame = slice_of("t1", 0, 0.9, 0.1) | {"pid": 5, "args": {}}
    odd = slice_of("t1", 0, 0.9, 0.1) | {"args": {}}
    run = read_merged(
        tmp_path, *NEW, process(5, "Graph Execution"), setup, marker, frame, odd, *new_tasks()
    )
    assert found(run) == {"unparsed-task": 1, "derived-slice": 3}
    assert missing(run) == {}


def test_phases_and_counters(tmp_path: Path) -> None:
    scheduler = [process(2, "AICPU Scheduler"), thread(2, 1, "Sched_1")]
    phase = slice_of("", 1, 1.0, 0.5) | {"pid": 2, "name": "dispatch(3)", "args": {}}
    host = phase | {"pid": 1}
    depth = {"name": "shared_ready_queue", "ph": "C", "ts": 1.5, "args": {"AIC": 3, "AIV": 1}}
    idle = {"name": "aic_idle", "ph": "C", "ts": 0.5, "args": {"value": 2}}
    run = read_merged(
        tmp_path,
        *NEW,
        *scheduler,
        process(1, "Host Orchestrator"),
        phase,
        host,
        depth,
        idle,
        *new_tasks(),
    )
    assert texts(run.phases.thread) == ["AICPU-SCHED-1"]
    assert texts(run.phases.name) == ["dispatch"]
    assert numbers(run.phases.start) == [500]
    assert [(c.name, numbers(c.ts), numbers(c.value)) for c in run.counters] == [
        ("shared_ready_queue AIC", [1000], [3]),
        ("shared_ready_queue AIV", [1000], [1]),
        ("aic_idle", [0], [2]),
    ]
    assert found(run) == {"host-phase": 1}
    assert missing(run) == {}


def test_errors_name_the_event(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"traceEvents\[6\]\.ts: 'x' is not of type 'number'"):
        read_merged(tmp_path, *NEW, *new_tasks()[1:], slice_of("t1", 0, 1, 1) | {"ts": "x"})
    with pytest.raises(InputError, match="holds no executed task"):
        read_merged(tmp_path, *NEW, slice_of("t1", 0, float("nan"), 1))


CHIP = MORE_RUNS / "chip_ffn_def"


def chip_runs() -> list[Path]:
    return [CHIP] if CHIP.is_dir() else []


def plain(column: object) -> object:
    return texts(column) if isinstance(column, Strings) else column


@pytest.mark.parametrize("folder", chip_runs(), ids=lambda folder: folder.name)
def test_raw_and_merged_say_the_same(folder: Path) -> None:
    raw = read(folder / "chip_swimlane_records.json")
    merged = read(folder / "merged_swimlane.json.gz", cores={"AIC": 24, "AIV": 48})
    assert on(raw) == on(merged)
    for field in fields(Tasks):
        if field.name != "core":
            pair = [plain(getattr(run.tasks, field.name)) for run in (raw, merged)]
            assert np.array_equal(*pair), field.name
    assert edges(raw) == edges(merged)
    assert (len(raw.tasks), len(raw.dependencies)) == (76, 160)
    core_rows = "pypto_core"  # idle cores have rows of their own in the raw file alone
    values = [
        {
            (one.id, *one.dimensions.values()): one.value
            for one in pp.compute_metrics(run).metrics
            if one.bundle != core_rows
        }
        for run in (raw, merged)
    ]
    assert values[0] == values[1]


@pytest.mark.parametrize("folder", chip_runs(), ids=lambda folder: folder.name)
def test_the_same_schedule_in_pypto_s_layout(folder: Path) -> None:
    """Both layouts hold 20 ns steps of one schedule: every time is the same."""
    other = MORE_RUNS / "onboard020_ffn_def"
    runs = [folder / "chip_swimlane_records.json", other]
    cores = {"AIC": 24, "AIV": 48}
    names = ("run_makespan", "run_critical_path", "run_hub_count", "engine_busy", "engine_starved")
    values = [
        {
            (one.id, *one.dimensions.values()): one.value
            for one in pp.compute_metrics(run, cores=cores).metrics
            if one.id.removeprefix("pypto_") in names
        }
        for run in runs
    ]
    assert values[0] == values[1]
    assert values[0]["pypto_run_makespan",] == 40_540
