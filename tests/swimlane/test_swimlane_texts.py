"""Names, labels, hints and what is not known."""

import json
from pathlib import Path

import pytest

from perfetto_pypto.swimlane import read
from perfetto_pypto.swimlane.hints import (
    Hashes,
    Kind,
    Phase,
    parse_hashes,
    parse_kind,
    parse_phase,
    parse_task_id,
    parse_tensors,
    split_event_hint,
    split_names,
)
from tests.swimlane.swimlane_samples import LANES, found, hint, read_events, task, write


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("0-0-13--1-2(c)", (["0", "0", "13"], Kind(-1, 2, "c"))),
        ("2-3-4-5--1()", (["2", "3", "4"], Kind(5, -1, ""))),
        ("0-0-1-9-0(a(b)-1-2(c))", (["0", "0", "1"], Kind(9, 0, "a(b)-1-2(c)"))),
        ("0-0-1-9-0(两\n行)", (["0", "0", "1"], Kind(9, 0, "两\n行"))),
        ("0-0-1-9-0", None),
        ("BEGIN_0", None),
        ("", None),
    ],
)
def test_names(text: str, parts: tuple[list[str], Kind] | None) -> None:
    (split,) = split_names([text])
    assert (split and (list(split[:3]), parse_kind(split[3]))) == parts


@pytest.mark.parametrize("odd", ["odd", "0-0-2-9-0(a)\n0-0-3-9-0(b)", "", "\n"])
def test_odd_names_among_others(odd: str) -> None:
    (alone,) = split_names([odd])
    usual = ("0", "0", "1", "9-0(a)")
    assert split_names(["0-0-1-9-0(a)", odd, "0-0-1-9-0(a)"]) == [usual, alone, usual]


def test_event_hint() -> None:
    hashes, task_id, lines = split_event_hint(hint("0-3-8", "12", 9) + "\nvecMergeInfo a\nb")
    assert hashes == "rootHash:55, callOpMagic:10004, leafHash:12"
    assert parse_task_id(task_id) == 9
    assert lines == "vecMergeInfo a\nb"
    assert parse_hashes(hashes) == Hashes("55", 10004, "12")


@pytest.mark.parametrize("none", ["None", "0", "-1"])
def test_absent_hashes(none: str) -> None:
    text = f"rootHash:{none}, callOpMagic:-1, leafHash:{none}"
    assert parse_hashes(text) == Hashes(None, -1, None)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("DEV_TASK_BUILD_0(3)", Phase("DEV_TASK_BUILD", 0, 3)),
        ("WAIT_CORE_EXIT_12", Phase("WAIT_CORE_EXIT", 12, -1)),
        ("odd", Phase("odd", -1, -1)),
    ],
)
def test_phases(text: str, parts: Phase) -> None:
    assert parse_phase(text) == parts


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ""),
        ("[]", ""),
        ("[{1: {'shape': [2, 3], 'dtype': 7, 'rawmagic': 4}}]", "2x3 fp32 (tensor 1)"),
        ("tensor@1 UB [2, 3]", None),
        ("[" * 100_000, None),
        ("[{1: {'shape': 2}}]", None),
    ],
)
def test_tensors(text: str, lines: str | None) -> None:
    assert parse_tensors(text) == lines


@pytest.mark.parametrize(
    ("text", "label"),
    [("", None), ("QK", "QK"), ("c QK", "c QK"), ("c ", "c"), ("fake", "fake"), ("f(x)", "f(x)")],
)
def test_the_label_is_the_text_in_parentheses(tmp_path: Path, text: str, label: str | None) -> None:
    run = read_events(tmp_path, task(f"0-0-0-9-0({text})", 1002, 1.0, 1.0, color=text))
    assert run.tasks.label[0] == label


@pytest.mark.parametrize(("text", "label"), [("fake", None), ("fakegate", "gate"), ("a", "a")])
def test_a_hub_is_no_longer_called_fake(tmp_path: Path, text: str, label: str | None) -> None:
    run = read_events(
        tmp_path,
        task("0-0-0-9-0(x)", 1002, 1.0, 1.0, color="x"),
        task(f"0-0-1-9-0({text})", 1000, 1.0, 1.0, color=text),
    )
    assert run.tasks.label[1] == label


def test_a_static_task_is_known_by_its_name(tmp_path: Path) -> None:
    static = {"event-hint": "Task:[0-0-30], rootHash:-1, callOpMagic:-1, leafHash:None, TaskId:0"}
    run = read_events(
        tmp_path,
        task("0-0-30--1-4()", 1002, 1.0, 1.0, **static),
        task("0-0-20--1-4()", 1002, 3.0, 1.0, **static),
    )
    assert run.tasks.op.tolist() == [30, 20]
    assert run.tasks.task_id.tolist() == [0, 0]
    assert [run.tasks.leaf_hash[0], run.tasks.root_hash[0]] == [None, None]
    assert found(run) == {}


def test_another_name_is_the_label_and_the_hint_identifies(tmp_path: Path) -> None:
    run = read_events(
        tmp_path, task("matmul", 1002, 1.0, 1.0, **{"event-hint": hint("4-5-6", "1", 3)})
    )
    tasks = run.tasks
    assert [tasks.seq[0], tasks.func[0], tasks.op[0]] == [4, 5, 6]
    assert tasks.label[0] == "matmul"
    assert found(run) == {"unparsed-name": 1}


def test_no_args_at_all(tmp_path: Path) -> None:
    run = read_events(tmp_path, {**task("0-0-7-9-0(up)", 1002, 1.0, 1.0), "args": None})
    assert [run.tasks.op[0], run.tasks.task_id[0], run.tasks.label[0]] == [7, -1, "up"]


def test_unknown_forms_and_keys_are_kept_as_extra(tmp_path: Path) -> None:
    odd = {
        "event-hint": "hello",
        "ioperand-hint": "tensor@1",
        "color": "blue",
        "newKey": {"a": [1, "é"]},
    }
    run = read_events(
        tmp_path,
        {**task("0-0-0-9-0(up)", 1002, 1.0, 1.0, **odd), "cname": "good"},
        task("0-0-1-9-0(up)", 1002, 3.0, 1.0, color="up"),
    )
    assert json.loads(run.tasks.extra[0] or "") == {
        "event-hint": "hello",
        "color": "blue",
        "cname": "good",
        "newKey": {"a": [1, "é"]},
        "ioperand-hint": "tensor@1",
    }
    assert run.tasks.extra[1] is None
    assert found(run) == {"unparsed-hint": 2, "unknown-key": 1}


def test_half_a_surrogate_pair_is_replaced(tmp_path: Path) -> None:
    path = write(tmp_path, [*LANES, task("0-0-0-9-0(up)", 1002, 1.0, 1.0)])
    path.write_text(path.read_text().replace("(up)", r"(\ud83d)"))
    run = read(path)
    assert run.tasks.label[0] == "\ufffd"
    assert found(run) == {"bad-text": 1}
