"""Input that can't be used: one line says what is wrong, where, and what to do."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane import read
from tests.swimlane.swimlane_samples import LANES, count, flow, process, task, thread, write

PASS = "pass the merged_swimlane.json that PyPTO wrote"
REPAIR = "repair the file there or write it again with PyPTO's own script"
RERUN = "profile the operator again and pass the new merged_swimlane.json"
GOOD = task("0-0-0-9-0()", 1002, 1.0, 1.0)


def refusal(path: Path | str) -> str:
    """The error's text, without the file's name in front."""
    with pytest.raises(InputError) as caught:
        read(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text
    return text.removeprefix(f"{path}: ")


def refused_bytes(folder: Path, data: bytes) -> str:
    path = folder / "input.json"
    path.write_bytes(data)
    return refusal(path)


def refused_events(folder: Path, *events: Any) -> str:
    return refusal(write(folder, [*LANES, *events]))


def test_no_file(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.json") == "no such file; check the path"


def test_a_name_too_long_for_a_file(tmp_path: Path) -> None:
    assert refusal("x" * 5000).endswith("; check the path and its rights")


def test_a_folder_without_a_swimlane(tmp_path: Path) -> None:
    assert refusal(tmp_path) == (
        "the folder holds no merged_swimlane.json;"
        " pass a merged_swimlane.json or the output_* folder that holds one"
    )


def test_the_folder_above_the_output_folders(tmp_path: Path) -> None:
    for name in ("output_1", "output_2"):
        (tmp_path / name).mkdir()
    assert refusal(tmp_path) == (
        "the folder holds no merged_swimlane.json;"
        f" pass one of its 2 output folders, e.g. {tmp_path / 'output_2'}"
    )


def test_a_trace_that_comes_from_a_pipe(tmp_path: Path) -> None:
    data = b"\n\x04P\x01h\x01"
    assert refused_bytes(tmp_path, data) == "looks like a Perfetto trace; pass a trace as a file"


@pytest.mark.parametrize("data", [b"", b" \n\n", b"\xef\xbb\xbf"])
def test_an_empty_file(tmp_path: Path, data: bytes) -> None:
    assert refused_bytes(tmp_path, data) == f"is empty; {PASS}"


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"<!DOCTYPE html>\n<html>", "is HTML (it begins with '<!DOCTYPE html>')"),
        (
            b"Top 10 tasks in waiting schedule\n",
            "is no JSON (it begins with 'Top 10 tasks in waiting')",
        ),
        (
            b"[]",
            "is an empty list: a profile without a core, as after a run that was not recorded",
        ),
        (b'{"functions": []}', "is JSON of another kind (its keys: 'functions')"),
        (b"{}", "is JSON of another kind (its keys: none)"),
        (b'{"traceEvents": []}', "has no trace events"),
        (b'[{"blockIdx": 0, "tasks": []}]', "is a profile of 1 cores without a task"),
        (
            b'{"version": 1, "tasks": []}',
            "is a swimlane of the simpler runtime, which can't be read yet",
        ),
    ],
)
def test_something_else(tmp_path: Path, data: bytes, what: str) -> None:
    assert refused_bytes(tmp_path, data) == f"{what}; {PASS}"


@pytest.mark.parametrize(
    ("events", "what"),
    [
        ([process("foo", 7)], "is a Chrome trace of other origin (process 'foo')"),
        (
            [{"ph": "i", "name": "x"}],
            "is a Chrome trace of other origin (1 events, no process named)",
        ),
        (
            [process("Worker View", 4)],
            "is a merged swimlane of the simpler runtime, which can't be read yet",
        ),
        (
            [{"ph": "X", "cat": "cpu_op", "name": "aten::add", "ts": 1, "dur": 1}],
            "is a trace of PyTorch's profiler (Kineto, as HTA reads), not of PyPTO",
        ),
    ],
)
def test_other_traces(tmp_path: Path, events: list[Any], what: str) -> None:
    assert refusal(write(tmp_path, events)) == f"{what}; {PASS}"


def test_truncated(tmp_path: Path) -> None:
    text = write(tmp_path, [*LANES, GOOD]).read_bytes()
    assert refused_bytes(tmp_path, text[:-8]).startswith(f"is cut off at byte {len(text) - 8} (")


def test_not_json_in_the_middle(tmp_path: Path) -> None:
    text = write(tmp_path, [*LANES, GOOD]).read_bytes()
    at = text.index(b'"ts": 1.0')
    problem = refused_bytes(tmp_path, text.replace(b'"ts": 1.0', b'"ts": oh!'))
    assert problem.startswith(f"is not valid JSON at byte {at + 6} (")


def test_not_utf8(tmp_path: Path) -> None:
    text = write(tmp_path, [*LANES, GOOD]).read_bytes()
    at = text.index(b"0-0-0-9-0")
    problem = refused_bytes(tmp_path, text.replace(b"0-0-0-9-0", b"0-0-\xff-9-0"))
    assert problem == f"is not UTF-8 at byte {at + 4}; write the file again as UTF-8"


def test_nested_too_deeply(tmp_path: Path) -> None:
    text = b'{"a": ' + b"[" * 200_000 + b"]" * 200_000 + b', "traceEvents": ['
    data = text + json.dumps(process("Machine View")).encode() + b"]}"
    assert (
        refused_bytes(tmp_path, data)
        == "can't be decoded (nested too deeply); write the file again"
    )


@pytest.mark.parametrize("cut", [3, 40, -9])
def test_a_cut_gzip_file(tmp_path: Path, cut: int) -> None:
    packed = gzip.compress(write(tmp_path, [*LANES, GOOD]).read_bytes())
    assert refused_bytes(tmp_path, packed[:cut]) == (
        "the gzip data are cut off; copy or pack the file again"
    )


def test_damaged_gzip_data(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(write(tmp_path, [*LANES, GOOD]).read_bytes()))
    packed[-6] ^= 255
    assert refused_bytes(tmp_path, bytes(packed)).startswith("the gzip data are damaged (")


def test_no_task(tmp_path: Path) -> None:
    assert refused_events(tmp_path, count("Ready", 1.0, size=1)) == f"holds no task; {RERUN}"


def test_an_empty_profile(tmp_path: Path) -> None:
    hubs = [task(f"0-0-{op}-9-0(fake)", 1000, 2**63 - 1 + 3 * op, 1) for op in range(2)]
    assert refused_events(tmp_path, *hubs) == (
        "holds no executed task: none of its 2 tasks has a possible time"
        f" (the first is at 9223372036854775808 µs), as after an empty profile; {RERUN}"
    )


def test_only_hubs(tmp_path: Path) -> None:
    hub = task("0-0-0-9-0(fake)", 1000, 1.0, 1.0)
    assert refused_events(tmp_path, hub) == f"holds no executed task, only 1 hub tasks; {RERUN}"


@pytest.mark.parametrize(
    ("event", "problem"),
    [
        ({**GOOD, "ts": "1.0"}, ".ts: '1.0' is not of type 'number'"),
        ({**GOOD, "ts": None}, ".ts: None is not of type 'number'"),
        ({**GOOD, "tid": "AIC_1"}, ".tid: 'AIC_1' is not of type 'integer'"),
        ({**GOOD, "name": 7}, ".name: 7 is not of type 'string'"),
        ({**GOOD, "ts": 10**400}, " can't be decoded (Number out of range - at `$.ts`)"),
        ({**GOOD, "args": []}, ".args: [] is not of type 'object', 'null'"),
        ({k: v for k, v in GOOD.items() if k != "dur"}, ": 'dur' is a required property"),
        ({"name": "x"}, ": 'ph' is a required property"),
        ("event", ": 'event' is not of type 'object'"),
        (
            task("0-0-0-9-0()", 1002, 1.0, 1.0, syncEvents=[{"time": "x", "type": "y"}]),
            ".args.syncEvents[0].time: 'x' is not of type 'number'",
        ),
        (count("Ready", 1.0, size="3"), ".args.size: '3' is not of type 'number', 'null'"),
        ({**flow(1, (1, 1.0), (1, 1.0))[0], "ts": True}, ".ts: True is not of type 'number'"),
        ({**thread("AIC_1", 1), "pid": 2**64}, ".pid: 18446744073709551616 is greater than"),
    ],
)
def test_a_wrong_event(tmp_path: Path, event: Any, problem: str) -> None:
    text = refused_events(tmp_path, GOOD, event)
    assert text.startswith(f"traceEvents[{len(LANES) + 1}]{problem}")
    assert text.endswith(f"; {REPAIR}")


def test_trace_events_of_another_kind(tmp_path: Path) -> None:
    assert refused_bytes(tmp_path, b'{"traceEvents": {}}') == (
        f'holds no list in "traceEvents"; {PASS}'
    )


def test_trace_events_that_are_no_list(tmp_path: Path) -> None:
    data = b'{"traceEvents": {"name": "Machine View"}}'
    assert refused_bytes(tmp_path, data) == (
        '"traceEvents" is no list; pass a merged_swimlane.json as PyPTO wrote it'
    )
