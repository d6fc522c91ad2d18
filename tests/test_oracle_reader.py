"""The oracle's reading of merged swimlanes and of the log, on examples and on real runs."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests import oracle
from tests.oracle import log, reader
from tests.oracle.profile import beside, content, profile_start
from tests.paths import merged_file, run_name, sample_folders

Event = dict[str, Any]
FIGURES = ("core_total_work", "total_wait", "wait_schedule", "wait_predecessor")


def lane(tid: int, name: str, pid: int = 1) -> Event:
    return {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}}


def task(tid: int, name: str, ts: float, dur: float, **args: object) -> Event:
    args = {"event-hint": "Task:[0-0-0], rootHash:5, leafHash:77, TaskId:0", **args}
    return {"ph": "X", "pid": 1, "tid": tid, "name": name, "ts": ts, "dur": dur, "args": args}


def flow(number: int, begin: tuple[int, float], end: tuple[int, float]) -> list[Event]:
    both = {"id": number, "cat": reader.FLOW, "pid": 1}
    return [
        {"ph": "s", "tid": begin[0], "ts": begin[1], **both},
        {"ph": "f", "tid": end[0], "ts": end[1], **both},
    ]


def read(folder: Path, *events: Event) -> oracle.Run:
    process = {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "Machine View"}}
    path = folder / "merged_swimlane.json"
    path.write_text(json.dumps({"traceEvents": [process, *events]}))
    return oracle.read_run(path)


def spans(run: oracle.Run) -> list[tuple[int, int]]:
    return [(task.start, task.end) for task in run.tasks]


def test_device_times_are_ticks_of_20_ns(tmp_path: Path) -> None:
    # At 2.4e12 µs a float64 step is 0.0005 µs: the 4.9 of the file reads 4.89990234375.
    run = read(
        tmp_path,
        lane(1002, "AIC_1"),
        task(1002, "0-0-1-9-0(up)", 2383465727245.22, 6.419921875),
        task(1002, "0-0-2-9-0(up)", 2383465727252.64, 4.89990234375),
    )
    assert spans(run) == [(0, 6420), (7420, 12320)]


def test_simulator_times_are_cycles_of_1800_mhz(tmp_path: Path) -> None:
    # 3623 and 6994 cycles; the base is 3623, and 3371 cycles are 1872.8 ns.
    run = read(
        tmp_path,
        lane(1002, "AIC_1"),
        task(1002, "0-0-0-5-0()", 2.012777777777778, 1.8727777777777774),
    )
    assert spans(run) == [(0, 1873)]


def test_times_on_no_known_clock_are_rounded_to_the_nanosecond(tmp_path: Path) -> None:
    run = read(tmp_path, lane(1002, "AIC_1"), task(1002, "0-0-0-5-0()", 10.00012, 0.00234))
    assert spans(run) == [(0, 2)]


def test_the_earliest_event_of_any_kind_is_at_0(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        lane(1002, "AIC_1"),
        lane(0, "AICPU-CTRL-0", pid=0),
        {"ph": "X", "pid": 0, "tid": 0, "name": "BEGIN_0", "ts": 100.02, "dur": 0.02},
        {"ph": "X", "pid": 0, "tid": 0, "name": "BEGIN_0", "ts": 100.02, "dur": 0.02},
        {"ph": "X", "pid": 0, "tid": 0, "name": "TASK_RCV_1(7)", "ts": 100.04, "dur": 1.0},
        {"ph": "C", "pid": 1, "tid": 1, "name": "ReadyCount_AIC", "ts": 99.5, "args": {"size": 1}},
        task(1002, "0-0-1-9-0(up)", 100.5, 1.0, syncEvents=[{"time": 99.0}]),
    )
    assert spans(run) == [(1500, 2500)]
    assert run.phases == [
        oracle.Phase("AICPU-CTRL-0", "BEGIN", 1020, 1040, round=0, dev_task=None),
        oracle.Phase("AICPU-CTRL-0", "TASK_RCV", 1040, 2040, round=1, dev_task=7),
    ]


def test_copies_negative_durations_and_overlap_lanes(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        lane(1002, "AIC_1"),
        lane(1003, "AIC_1"),
        task(1002, "0-0-1-9-0(up)", 10.0, -1.0),
        task(1002, "0-0-1-9-0(up)", 10.0, -1.0),
        task(1003, "0-0-2-9--1(a (b))", 10.0, 2.0),
    )
    assert spans(run) == [(0, 0), (0, 2000)]
    assert [lane.name for lane in run.lanes] == ["AIC_1"]
    second = run.tasks[1]
    assert (second.core, second.op, second.psg_id, second.label) == ("AIC_1", 2, -1, "a (b)")


@pytest.mark.parametrize("lead", [0.0001, 0.1])
def test_flows_start_a_little_before_the_producer_ends(tmp_path: Path, lead: float) -> None:
    run = read(
        tmp_path,
        lane(1002, "AIC_1"),
        lane(1004, "AIC_2"),
        task(1002, "0-0-1-9-0(up)", 10.0, 1.0),
        task(1002, "0-0-2-9-0(up)", 11.0, 1.0),
        task(1004, "0-0-3-9-0(up)", 13.0, 1.0),
        *flow(1, (1002, 11.0 - lead), (1004, 13.0)),
        *flow(2, (1002, 12.0 - lead), (1004, 13.0)),
    )
    assert run.edges == {(0, 2), (1, 2)}


def test_hubs_on_one_spot_are_told_apart_by_batch_and_function(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        lane(1000, "Fake Core_0"),
        lane(1002, "AIC_1"),
        lane(1004, "AIC_2"),
        task(1000, "0-1-0-9-0(fake)", 9.0, 1.0),
        task(1000, "0-2-0-9-0(fake)", 9.0, 1.0),
        task(1002, "0-1-7-9-0(up)", 10.0, 1.0),
        task(1004, "0-2-7-9-0(up)", 10.0, 1.0),
        *flow(1, (1000, 9.9999), (1002, 10.0)),
        *flow(2, (1000, 9.9999), (1004, 10.0)),
    )
    assert run.edges == {(0, 2), (1, 3)}


def test_log_block() -> None:
    text = """Top 10 tasks in waiting schedule
    Task:94, label:0-0-94--1-13(), wait:                 6.92

[Fake Core_0] Execute task num:0, Fake Task: 2
    Core Total Work Time: 0.0
    Total Wait Time: 0
    Wait Schedule Time: 0
    Wait Predecessor Time: 0
    Top 3 tasks in waiting schedule time
[AIC_1] Execute task num:4
    Core Total Work Time: 2319.82
    Total Wait Time: 623.1
    Wait Schedule Time: -2.5e-13
    Wait Predecessor Time: 613.92
"""
    blocks = log.parse(text)
    assert blocks["Fake Core_0"] == log.CoreWaits(0, 0, 0, 0, task_count=0, fake_task_count=2)
    schedule = Fraction(-25, 10**14)
    work, total, predecessor = (Fraction(s) for s in ("2319.82", "623.1", "613.92"))
    assert blocks["AIC_1"] == log.CoreWaits(work, total, schedule, predecessor, task_count=4)


LOGGED = [folder for folder in sample_folders() if (folder / "bubble_analysis.log").exists()]


@pytest.mark.parametrize("folder", LOGGED, ids=run_name)
def test_log_of_a_real_run(folder: Path) -> None:
    """Every figure that the log prints comes out of the merged file, float noise aside.

    But where two tasks of the profile have one id, the merged file keeps the later one: the log's
    T0 may lie in the lost one (the simulator numbers the hubs of every batch as batch 0), and the
    lane of the lost one can't be worked out any more. The log's own task counts tell which.
    """
    merged = merged_file(folder)
    assert merged
    printed = log.parse((folder / "bubble_analysis.log").read_text())
    computed = log.recompute(merged, profile_start(folder))
    assert printed
    assert printed.keys() == computed.keys()
    lost_tasks = {
        name for name, block in printed.items() if block.task_count > computed[name].task_count
    }
    assert lost_tasks <= {"HUB_80", *(["AIC_1"] if folder.name == "edge_dup_task" else [])}
    for name in printed.keys() - lost_tasks:
        for figure in FIGURES:
            difference = getattr(printed[name], figure) - getattr(computed[name], figure)
            assert abs(difference) < Fraction(1, 10**9), (name, figure)


WITH_TOPOLOGY = [
    folder
    for folder in sample_folders()
    # Without any task on a core, all hubs lie on one spot: nothing tells them apart.
    if beside(folder, "dyn_topo.txt") and folder.name != "edge_empty_prof"
]


@pytest.mark.parametrize("folder", WITH_TOPOLOGY, ids=run_name)
def test_edges_of_a_real_run_are_those_of_its_topology(folder: Path) -> None:
    merged, topology = merged_file(folder), beside(folder, "dyn_topo.txt")
    assert merged
    assert topology
    place = {
        (e["args"]["seqNo"], e["args"]["taskId"]): index
        for index, e in enumerate(reader.task_events(reader.load_events(merged)))
    }
    header, *lines = content(topology).splitlines()
    first_successor = header.split(",").index("successors")
    edges = set()
    for line in lines:
        # A column left empty isn't written: count the columns that are there.
        fields = [int(field) for field in line.split(",") if field.strip()]
        edges |= {
            (place[fields[0], fields[1]], place[fields[0], successor])
            for successor in fields[first_successor:]
        }
    assert oracle.read_run(merged).edges == edges


#: What PyPTO's own script prints: "AICore End-to-End Time" (µs) and "AICore Utilization".
PRINTED = {
    "ffn": ("42.76", "11.57%"),
    "ffn_device": ("42.76", "15.72%"),
    "flash_stitch1": ("3048.10", "1.86%"),
    "real_llama_onboard_head": ("2386.50", "25.42%"),
}


@pytest.mark.parametrize("folder", [f for f in sample_folders() if f.name in PRINTED], ids=run_name)
def test_figures_that_pyptos_script_prints(folder: Path) -> None:
    merged = merged_file(folder)
    assert merged
    values = oracle.compute(oracle.read_run(merged))
    makespan = values["pypto_run_makespan", ()]
    utilization = values["pypto_engine_utilization", ("all",)]
    assert makespan is not None
    assert utilization is not None
    assert (f"{float(makespan) / 1000:.2f}", f"{float(utilization):.2%}") == PRINTED[folder.name]
