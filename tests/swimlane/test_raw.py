"""Raw PyPTO files: a profile, its topology and what else lies beside it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane import Strings, Swimlane, read
from tests.swimlane.raw_samples import (
    BOOT,
    CORES,
    HEADER,
    PROFILE,
    PROGRAM,
    SIMULATED,
    TOPOLOGY,
    core,
    execution,
    spans,
    write_run,
)
from tests.swimlane.swimlane_samples import edges, found, missing


def texts(column: Strings | None) -> list[str | None]:
    return [] if column is None else [column[row] for row in range(len(column))]


def test_profile_and_topology(tmp_path: Path) -> None:
    run = read(write_run(tmp_path / "output_1"))
    assert missing(run) == {}
    assert (run.name, run.source.format) == ("output_1", "pypto-raw")
    assert run.source.layout == "device; tilefwk_L1_prof_data.json, dyn_topo.txt"
    # The hub is drawn as PyPTO draws it: 1 µs that ends where its successor starts.
    assert spans(run) == [
        ("AIC_1", 0, 10_000, "0-0-1"),
        ("AIV_2", 12_000, 14_000, "0-0-3"),
        ("Fake Core_0", 11_000, 12_000, "0-0-2"),
    ]
    assert edges(run) == [(2, 1), (0, 2)]
    assert texts(run.tasks.leaf_hash) == ["77", "88", None]
    assert run.tasks.psg_id.tolist() == [6, 7, 0]
    assert run.source.origin_us == "2400000000002.0"
    assert run.source.core_counts == {"AIC": 1, "AIV": 1}


@pytest.mark.parametrize(
    "topology",
    [
        TOPOLOGY,
        TOPOLOGY.replace(",,", ","),
        TOPOLOGY.replace("\n", "\r\n"),
        "\ufeff" + TOPOLOGY,
        "[INFO] dumped\n" + TOPOLOGY,
        TOPOLOGY.split("\n", 1)[1],
        f"{HEADER.replace('successors', 'wrapId,staticSuccCount,successors')}\n"
        "0,1,0,55,10001,1,77,1,6,3,1,2\n0,2,0,55,10002,0,0,4,0,-1,1,3\n0,3,0,55,10003,2,88,0,7,,0,\n",
        "taskId,seqNo,leafHash,rootHash,opmagic,psgId,successors\n"
        "1,0,77,55,10001,6,2\n2,0,0,55,10002,0,3\n3,0,88,55,10003,7,\n",
    ],
)
def test_layouts_of_the_topology(tmp_path: Path, topology: str) -> None:
    """Columns go by the header's names; empty ones and other orders occur."""
    run = read(write_run(tmp_path, topology=topology))
    assert edges(run) == [(2, 1), (0, 2)]
    assert texts(run.tasks.leaf_hash) == ["77", "88", None]
    assert run.tasks.psg_id.tolist() == [6, 7, 0]
    assert run.tasks.wrap_id.tolist()[0] == (3 if "wrapId" in topology else -1)


def test_a_static_topology(tmp_path: Path) -> None:
    nodes = [
        {"taskId": 1, "funcName": "leaf_a", "semanticLabel": "", "successors": [3]},
        {"taskId": 3, "funcName": "leaf_b", "semanticLabel": "sum", "successors": []},
    ]
    run = read(write_run(tmp_path, topology=None, topo=nodes))
    assert edges(run) == [(0, 1)]
    assert texts(run.tasks.label) == ["leaf_a", "sum"]
    assert run.tasks.psg_id.tolist() == [4, 5]
    assert run.source.layout == "device; tilefwk_L1_prof_data.json, topo.json"


def test_without_a_topology(tmp_path: Path) -> None:
    run = read(write_run(tmp_path, topology=None))
    assert (len(run.tasks), edges(run), found(run)) == (2, [], {"no-topology": 1})


def test_the_program_names_the_tasks_and_their_source(tmp_path: Path) -> None:
    tasks = read(write_run(tmp_path, program=PROGRAM)).tasks
    assert texts(tasks.label) == ["up", "leaf_88", None]
    assert texts(tasks.source_line) == ["kernel.py:42", "kernel.py:50", None]
    assert texts(tasks.inputs) == ["?x64 bf16 (tensor 1)", "64 fp32 (tensor 2)", None]
    assert texts(tasks.outputs) == ["64 fp32 (tensor 2)", None, None]
    assert tasks.root_index.tolist() == [0, 0, 0]


def test_task_ids_show_how_they_are_packed(tmp_path: Path) -> None:
    for bits in (16, 20):
        cores = [core(0, "AIC", *(execution(func << bits | 5, func, func + 1) for func in (0, 1)))]
        topology = HEADER + "\n" + "".join(f"0,{f << bits | 5},0,1,1,1,7,1,0,\n" for f in (0, 1))
        names = [name for *_, name in spans(read(write_run(tmp_path, cores, topology)))]
        assert names == ["0-0-5", "0-1-5"]


def test_sync_events_with_their_hardware_event(tmp_path: Path) -> None:
    sync = [{"idx": 1, "type": "CV_SYNC_SET", "time": BOOT + 150}]
    cores = [core(0, "AIC", execution(1, BOOT + 100, BOOT + 600, syncEvents=sync)), CORES[1]]
    messages = [{"isSet": True, "eventID": 3}, {"isSet": True, "eventID": 5}]
    mix = [{"wrapInfos": [{"coreTask": [{"hashValue": 77, "syncMsg": messages}]}]}]
    run = read(write_run(tmp_path, cores, mix_event_info=mix))
    events = run.sync_events
    assert (events.task.tolist(), events.ts.tolist()) == ([0], [1000])
    assert (texts(events.type), events.event_id.tolist()) == (["CV_SYNC_SET"], [5])


def test_hubs_of_the_simulator(tmp_path: Path) -> None:
    """All have seqNo 0: the last of one id is kept, the other device tasks' are invented."""
    cores = [
        core(0, "AIC", execution(1, 1800, 3600), execution(1, 9000, 10800, seq=1)),
        core(79, "HUB", execution(0, 1799, 1800), execution(0, 8999, 9000)),
    ]
    topology = HEADER + "".join(f"\n{s},0,0,5,1,0,0,4,0,,1\n{s},1,0,5,2,1,7,1,0," for s in (0, 1))
    run = read(write_run(tmp_path, cores, topology, SIMULATED))
    assert missing(run) == {}
    assert found(run) == {"repeated-hub": 1}
    assert (run.source.clock_hz, run.source.clock_from) == (1_800_000_000, "the simulator's cycles")
    # from the first hub's start, cycle 1799, though it was dropped
    assert spans(run) == [
        ("AIC_1", 1, 1001, "0-0-1"),
        ("AIC_1", 4001, 5001, "1-0-1"),
        ("HUB_80", 4000, 4001, "0-0-0"),
        ("Fake Core_0", 3001, 4001, "1-0-0"),
    ]


def test_hubs_without_executed_successors(tmp_path: Path) -> None:
    """After their predecessors, else one after the other from the beginning."""
    topology = (
        f"{HEADER}\n0,1,0,5,1,1,7,1,0,,2\n0,3,0,5,1,1,7,1,0,\n"
        "0,2,0,5,2,0,0,4,0,\n0,4,0,5,2,0,0,4,0,\n0,5,0,5,2,0,0,4,0,\n"
    )
    run = read(write_run(tmp_path, topology=topology))
    assert [span[1:] for span in spans(run)[2:]] == [
        (10_000, 11_000, "0-0-2"),
        (0, 1000, "0-0-4"),
        (3000, 4000, "0-0-5"),
    ]


def test_what_does_not_fit_together(tmp_path: Path) -> None:
    cores = [
        core(0, "AIC", execution(1, BOOT, BOOT + 9), execution(1, BOOT + 9, BOOT + 20)),
        core(1, "AIV", execution(8, BOOT + 30, BOOT + 40), execution(9, 2**70, 1)),
        core(2, "XYZ", execution(3, BOOT + 50, BOOT + 40)),
    ]
    topology = (
        f"{HEADER}\n0,1,0,5,1,1,7,1,0,,3,3,1,77\n0,3,0,5,1,1,7,1,0,\n"
        "0,4,0,5,1,1,7,1,0,\n0,4,0,5,1,1,7,1,0,\n"
    )
    run = read(write_run(tmp_path, cores, topology))
    assert missing(run) == {}
    assert found(run) == {
        "impossible-timestamp": 1,
        "negative-duration": 1,
        "zero-duration": 1,
        "duplicate-task-id": 1,
        "unexecuted-task": 1,
        "unknown-lane": 1,
        "duplicate-dependency": 1,
        "self-dependency": 1,
        "unresolved-dependency": 1,
        "task-without-topology": 1,
        "duplicate-node": 1,
    }
    assert edges(run) == [(1, 3)]


PIPES = [
    {
        "blockIdx": 0,
        "coreType": "AIC",
        "pipeLogs": {
            "CUBE": [{"execStart": 1800, "execEnd": 3600, "tileOp": "12 A_MUL_B 4 L0A_[0]"}],
            "MTE1": [{"execStart": 1799, "execEnd": 1800}, {"execStart": 2**80, "execEnd": 1}],
        },
    }
]


def test_pipes(tmp_path: Path) -> None:
    cores = [core(0, "AIC", execution(1, 1800, 3600, completeSeq=0))]
    folder = write_run(tmp_path, cores, f"{HEADER}\n0,1,0,5,1,1,7,1,0,\n", SIMULATED)
    (folder / "_simulate.pipe.swim.json").write_text(json.dumps(PIPES))
    run = read(folder)
    spans_of = run.pipe_spans
    assert missing(run) == {}
    assert found(run) == {"impossible-pipe-span": 1}
    assert texts(spans_of.pipe) == ["CUBE", "MTE1"]
    assert texts(spans_of.name) == ["A_MUL_B", "operation"]
    assert (spans_of.start.tolist(), spans_of.end.tolist()) == ([1, 0], [1001, 1])


def test_a_damaged_file_beside_is_a_finding(tmp_path: Path) -> None:
    folder = write_run(tmp_path, program={"functions": [{"hash": []}]})
    run = read(folder)
    assert found(run) == {"unreadable-file": 1}
    (finding,) = run.findings
    assert finding.examples == (
        "program.json: functions[0].hash: [] is not of type 'integer', 'string'",
    )


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"taskId": "1"}, "[1].tasks[0].taskId: '1' is not of type 'integer'"),
        ({"taskId": 2**63}, "[1].tasks[0].taskId: 9223372036854775808 is greater than"),
        ({"execStart": None}, "[1].tasks[0].execStart: None is not of type 'number'"),
        ({"syncEvents": [{}]}, "[1].tasks[0].syncEvents[0]: 'time' is a required property"),
    ],
)
def test_a_broken_profile(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    cores = [CORES[0], core(1, "AIV", {**execution(3, BOOT, BOOT + 1), **change})]
    folder = write_run(tmp_path, cores)
    with pytest.raises(InputError) as caught:
        read(folder)
    assert str(caught.value).startswith(f"{folder / PROFILE}: {problem}")


@pytest.mark.parametrize(
    ("topology", "problem"),
    [
        ("seqNo,taskId\n0,1\n", "has no column 'successors' in its header"),
        (f"{HEADER}\n0,1,0,55,x,1,77,1,6,,2\n", "line 2: opmagic is 'x', no number"),
        (f"{HEADER}\n0,,0,55,1,1,77,1,6,,2\n", "line 2: taskId is '', no number"),
    ],
)
def test_a_broken_topology(tmp_path: Path, topology: str, problem: str) -> None:
    folder = write_run(tmp_path, topology=topology)
    with pytest.raises(InputError) as caught:
        read(folder)
    assert str(caught.value).startswith(f"{folder / 'dyn_topo.txt'}: {problem}")


def spoilt(spelling: str) -> bytes:
    """The profile in a spelling that no JSON parser likes."""
    text = json.dumps(CORES, indent=1)
    return {
        "BOM": "\ufeff" + text,
        "CRLF": text.replace("\n", "\r\n"),
        "log lines": f"[INFO] 12:00 start\nwarning: [x]\n{text}",
        "commas": text.replace("}\n", "},\n").replace("]\n", "],\n").rstrip(","),
        "duplicate keys": text.replace('"taskId": 1', '"taskId": 7, "taskId": 1'),
        "NaN": text.replace('"subGraphId": 4', '"other": NaN, "subGraphId": 4'),
        "huge string": text.replace('"coreType"', f'"x": "{"y" * 1_000_000}", "coreType"', 1),
    }[spelling].encode()


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    "spelling", ["BOM", "CRLF", "log lines", "commas", "duplicate keys", "NaN", "huge string"]
)
def test_texts_that_are_not_quite_json(tmp_path: Path, spelling: str, packed: bool) -> None:
    text = spoilt(spelling)
    folder = write_run(tmp_path)
    (folder / PROFILE).unlink()
    if packed:
        members = gzip.compress(text[:50]) + gzip.compress(text[50:])
        (folder / f"{PROFILE}.gz").write_bytes(members)
    else:
        (folder / PROFILE).write_bytes(text)
    assert [span[:3] for span in spans(read(folder))] == [
        ("AIC_1", 0, 10_000),
        ("AIV_2", 12_000, 14_000),
        ("Fake Core_0", 11_000, 12_000),
    ]


@pytest.mark.parametrize("name", [PROFILE, "program.json", "mix_event_info.json"])
def test_nesting_a_million_deep(tmp_path: Path, name: str) -> None:
    folder = write_run(tmp_path)
    (folder / name).write_text('[{"execStart": ' + "[" * 1_000_000)
    if name == PROFILE:
        with pytest.raises(InputError, match="nested too deeply"):
            read(folder)
    else:
        assert found(read(folder)) == {"unreadable-file": 1}


def test_a_profile_named_by_itself_takes_what_lies_beside(tmp_path: Path) -> None:
    run = read(write_run(tmp_path / "output_7") / PROFILE)
    assert (run.name, len(run.dependencies), run.source.format) == ("output_7", 2, "pypto-raw")


def present(run: Swimlane) -> tuple[int, int]:
    return run.present["phases"], len(run.phases)


STAMPS = [
    {
        "blockIdx": 0,
        "coreType": "AICPU-CTRL",
        "freq": 50,
        "tasks": [
            {"name": "BEGIN_0", "end": BOOT},
            {"name": "INIT_0", "end": BOOT + 50},
            {"name": "DEV_TASK_BUILD_0(3)", "end": BOOT + 50},
        ],
    }
]


def test_aicpu_stamps_beside_the_tasks(tmp_path: Path) -> None:
    """Equal stamps are a tick apart, and a beginning is a tick long, as PyPTO draws them."""
    later = json.loads(json.dumps(STAMPS).replace("_0", "_1"))
    folder = write_run(tmp_path, machine_trace_perf_data_0=STAMPS, machine_trace_perf_data_1=later)
    run = read(folder)
    phases = run.phases
    assert missing(run) == {}
    assert present(run) == (6, 6)
    assert texts(phases.thread) == ["AICPU-CTRL-0"] * 6
    assert texts(phases.name)[:3] == ["BEGIN", "INIT", "DEV_TASK_BUILD"]
    assert phases.start.tolist()[:3] == [0, 20, 1020]
    assert phases.end.tolist()[:3] == [20, 1020, 1040]
    assert (phases.round.tolist(), phases.dev_task.tolist()[:3]) == ([0] * 3 + [1] * 3, [-1, -1, 3])
    assert run.tasks.start.tolist()[0] == 2020


def test_aicpu_stamps_alone(tmp_path: Path) -> None:
    file = tmp_path / "aicpu_dev_pref.json"
    file.write_text(json.dumps(STAMPS))
    for path in (file, tmp_path):
        run = read(path)
        assert (len(run.tasks), len(run.phases), run.source.format) == (0, 3, "pypto-aicpu")
        assert found(run) == {"only-aicpu": 1}


def test_an_aicpu_trace_alone(tmp_path: Path) -> None:
    from tests.swimlane.swimlane_samples import phase, process, thread, write

    events = [process("AICPU View", 0), thread("AICPU-CTRL-0", 0, 0), phase("INIT_0", 0, 7.0, 2.0)]
    run = read(write(tmp_path, events, "machine_runtime_operator_trace_0.json"))
    assert (run.phases.start.tolist(), run.phases.end.tolist()) == ([0], [2000])
    assert run.source.format == "pypto-aicpu-trace"
