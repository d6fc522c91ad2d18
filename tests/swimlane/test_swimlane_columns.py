"""One small file with everything in it, and all of its columns."""

from pathlib import Path

from perfetto_pypto.swimlane import Core, Swimlane
from tests.swimlane.swimlane_samples import (
    LANES,
    count,
    edges,
    flow,
    found,
    hint,
    missing,
    phase,
    process,
    read_events,
    task,
    thread,
)

SYNC = [{"idx": 0, "type": "CV_SYNC_SET", "time": 101.5, "eventid": 5}]
UP = {
    "event-hint": hint("0-3-8", "9685100714974560904", 196616) + "\nl1ReuseInfo hashOrder: func8_0",
    "ioperand-hint": "[{34: {'shape': [512, -1], 'dtype': 8, 'rawmagic': 60}}, "
    "{28: {'shape': [], 'dtype': 99, 'rawmagic': 56, 'mem_usage': 64}}]",
    "ooperand-hint": "[]",
    "execution-hint": "Average Execution Time: 6.42\n",
    "color": "up",
    "taskId": 196616,
    "wrapId": 31,
    "syncEvents": SYNC,
}


def small(folder: Path) -> Swimlane:
    return read_events(
        folder,
        phase("DEV_TASK_BUILD_0(3)", 0, 100.02, 0.5),
        phase("BEGIN_0", 0, 100.0, 0.02),
        task("0-3-8-9-0(up)", 1002, 101.0, 2.0, **UP),
        task("0-3-17-9-2(down)", 1006, 104.0, 1.0, color="down", taskId=196625),
        task("0-3-0-9-0(fakegate)", 1000, 103.0, 1.0, color="fakegate"),
        *flow(3, (1002, 102.9999), (1000, 103.0)),
        *flow(4, (1000, 103.9999), (1006, 104.0)),
        count("ReadyCount_AIC", 101.0, size=7),
        count("ReadyCount_AIC", 103.0, size=0),
        count("Ideal_Mem_Usage(Task)", 101.0, **{"/byte": 4096.0}),
        count("Ready", 101.0, AIC=1, AIV=2),
        lanes=[process("AICPU View", 0), thread("AICPU-CTRL-0", 0, 0), *LANES],
    )


def test_tasks(tmp_path: Path) -> None:
    tasks = small(tmp_path).tasks
    assert tasks.start.tolist() == [1000, 4000, 3000]
    assert tasks.end.tolist() == [3000, 5000, 4000]
    assert tasks.core.tolist() == [0, 1, 2]
    assert tasks.seq.tolist() == [0, 0, 0]
    assert tasks.func.tolist() == [3, 3, 3]
    assert tasks.op.tolist() == [8, 17, 0]
    assert tasks.task_id.tolist() == [196616, 196625, 0]
    assert tasks.root_index.tolist() == [9, 9, 9]
    assert tasks.psg_id.tolist() == [0, 2, 0]
    assert tasks.call_op_magic.tolist() == [10004, 10004, 10004]
    assert tasks.wrap_id.tolist() == [31, -1, -1]
    assert [tasks.root_hash[row] for row in range(3)] == ["55", "55", "55"]
    assert [tasks.leaf_hash[row] for row in range(3)] == ["9685100714974560904", "77", "77"]
    assert [tasks.label[row] for row in range(3)] == ["up", "down", "gate"]
    assert [tasks.hash_order[row] for row in range(3)] == [
        "l1ReuseInfo hashOrder: func8_0",
        None,
        None,
    ]
    assert [tasks.execution_hint[row] for row in range(3)] == [
        "Average Execution Time: 6.42",
        None,
        None,
    ]
    assert [tasks.inputs[row] for row in range(3)] == [
        "512x? bf16 (tensor 34)\nscalar dtype 99 (tensor 28, mem_usage 64)",
        None,
        None,
    ]
    assert [tasks.outputs[row] for row in range(3)] == [None, None, None]
    assert [tasks.extra[row] for row in range(3)] == [None, None, None]


def test_cores(tmp_path: Path) -> None:
    run = small(tmp_path)
    assert run.cores == [
        Core("AIC_1", "AIC", 1),
        Core("AIV_3", "AIV", 3),
        Core("Fake Core_0", "HUB", 0),
    ]
    assert run.source.core_counts == {"AIC": 1, "AIV": 1}
    assert run.source.core_counts_from == "lanes seen (device files omit idle cores)"


def test_dependencies(tmp_path: Path) -> None:
    assert edges(small(tmp_path)) == [(2, 1), (0, 2)]


def test_counters(tmp_path: Path) -> None:
    counters = small(tmp_path).counters
    assert [(c.name, c.ts.tolist(), c.value.tolist()) for c in counters] == [
        ("ReadyCount_AIC", [1000, 3000], [7.0, 0.0]),
        ("Ideal_Mem_Usage(Task) /byte", [1000], [4096.0]),
        ("Ready AIC", [1000], [1.0]),
        ("Ready AIV", [1000], [2.0]),
    ]


def test_phases(tmp_path: Path) -> None:
    phases = small(tmp_path).phases
    assert [phases.thread[row] for row in range(2)] == ["AICPU-CTRL-0", "AICPU-CTRL-0"]
    assert [phases.name[row] for row in range(2)] == ["DEV_TASK_BUILD", "BEGIN"]
    assert phases.start.tolist() == [20, 0]
    assert phases.end.tolist() == [520, 20]
    assert phases.round.tolist() == [0, 0]
    assert phases.dev_task.tolist() == [3, -1]


def test_sync_events(tmp_path: Path) -> None:
    sync = small(tmp_path).sync_events
    assert sync.task.tolist() == [0]
    assert sync.ts.tolist() == [1500]
    assert sync.type[0] == "CV_SYNC_SET"
    assert sync.event_id.tolist() == [5]


def test_source(tmp_path: Path) -> None:
    source = small(tmp_path).source
    assert source.format == "pypto-merged"
    assert source.clock_hz == 50_000_000
    assert source.clock_from == "inferred from the stamps"
    assert source.origin_us == "100.0"
    assert source.layout.split("; ") == [
        "device",
        "2026-05 or later",
        "hashOrder-hint, syncEvents, wrapId, AICPU View, Ideal_Mem_Usage",
    ]


def test_balance_and_findings(tmp_path: Path) -> None:
    run = small(tmp_path)
    assert run.present == {
        "tasks": 3,
        "dependencies": 2,
        "counters": 5,
        "phases": 2,
        "sync_events": 1,
    }
    assert missing(run) == {}
    assert found(run) == {}
