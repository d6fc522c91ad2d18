"""The same events in every spelling of JSON, read in pieces of any size, whole and in parts."""

import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane import Strings, Swimlane, Tasks, opening, parts, read
from tests.swimlane.swimlane_samples import LANES, Event, count, edges, flow, missing, task, write

SYNC = [
    {"idx": i, "type": "CV_SYNC_SET", "time": 1.5, "eventid": i} for i in range(3)
]  # objects in an array, deeper than the events
EVENTS = [
    *LANES,
    *(
        task(f"0-0-{op}-9-0(a}},\n{{b)", 1002, 2.0 * op, 1.0, color="a},\n{b", syncEvents=SYNC)
        for op in range(40)
    ),
    *(
        event
        for op in range(39)
        for event in flow(40 + op, (1002, 2.0 * op + 0.9999), (1002, 2.0 * op + 2.0))
    ),
    count("ReadyCount_AIC", 1.0, size=3),
]
DOCUMENT = {"traceEvents": EVENTS}
#: Their own objects in arrays look like events.
BEFORE = {"a": [{"ph": "X"}, {"ph": "Y"}], "s": '"traceEvents": [', **DOCUMENT}
AFTER = {**DOCUMENT, "z": [{"ph": "X"}, {"ph": "Y"}], "traceName": {"traceEvents": [1, 2]}}
INNER = {"meta": {"traceEvents": [{"ph": "X"}]}, **DOCUMENT}


def spell(**how: Any) -> Callable[[object], str]:
    return lambda value: json.dumps(value, **how)


def one_line_each(value: dict[str, list[Event]]) -> str:
    return '{"traceEvents":[\n' + ",\n".join(map(json.dumps, value["traceEvents"])) + "\n]}"


SPELLINGS: dict[str, Callable[[dict[str, list[Event]]], str]] = {
    "indent 4": spell(indent=4),
    "indent 2": spell(indent=2),
    "indent 1": spell(indent=1),
    "indent 0": spell(indent=0),
    "tabs": spell(indent="\t"),
    "compact": spell(separators=(",", ":")),
    "plain": spell(),
    "CRLF": lambda value: json.dumps(value, indent=4).replace("\n", "\r\n"),
    "one line each": one_line_each,
    "keys before": lambda _: json.dumps(BEFORE, indent=4),
    "keys after": lambda _: json.dumps(AFTER, indent=4),
    "keys after, compact": lambda _: json.dumps(AFTER),
    "inner key of the same name": lambda _: json.dumps(INNER, indent=4),
    "blanks around": lambda value: f"\n\n {json.dumps(value, indent=4)} \n\n",
    "BOM": lambda value: f"\ufeff{json.dumps(value, indent=4)}",
}


@pytest.fixture(autouse=True, params=["whole", "in three parts"])
def _parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param != "whole":
        monkeypatch.setattr(parts, "PART_BYTES", 1)
        monkeypatch.setattr(parts, "cores", lambda: 3)


def columns(run: Swimlane) -> dict[str, object]:
    def plain(column: Any) -> object:
        if isinstance(column, Strings):
            return [column[row] for row in range(len(column))]
        return None if column is None else column.tolist()

    return {field.name: plain(getattr(run.tasks, field.name)) for field in fields(Tasks)}


@pytest.mark.parametrize("piece_bytes", [700, 5_000, 8 << 20])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_reads_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spelling: str, piece_bytes: int
) -> None:
    plain = tmp_path / "plain.json"
    plain.write_text(json.dumps(DOCUMENT))
    expected = read(plain)
    assert len(expected.tasks) == 40

    monkeypatch.setattr(opening, "PIECE_BYTES", piece_bytes)
    path = tmp_path / "merged_swimlane.json"
    path.write_bytes(SPELLINGS[spelling](DOCUMENT).encode())
    run = read(path)
    assert columns(run) == columns(expected)
    assert edges(run) == [(op, op + 1) for op in range(39)]
    assert len(run.sync_events) == 120
    assert missing(run) == {}


@pytest.mark.parametrize("piece_bytes", [700, 8 << 20])
@pytest.mark.parametrize("at", [4, 20, 43])
def test_one_odd_event_among_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int, piece_bytes: int
) -> None:
    odd = [
        *EVENTS[:at],
        {**EVENTS[at], "ts": float("nan")},
        {**EVENTS[at], "cname": "good", "ts": 1000.0},
        *EVENTS[at + 1 :],
    ]
    path = tmp_path / "merged_swimlane.json"
    path.write_text(json.dumps({"traceEvents": odd}, indent=4))
    monkeypatch.setattr(opening, "PIECE_BYTES", piece_bytes)
    run = read(path)
    assert len(run.tasks) == 40
    assert run.tasks.extra[at - len(LANES)] == '{"cname": "good"}'
    assert [core.name for core in run.cores] == ["AIC_1", "AIV_3", "Fake Core_0"]
    assert missing(run) == {}


def test_what_was_found_before_an_odd_event_counts_once(tmp_path: Path) -> None:
    foreign = {**EVENTS[44], "cat": "another"}
    odd = [*LANES, foreign, *EVENTS[len(LANES) :], {**EVENTS[20], "ts": float("nan")}]
    path = tmp_path / "merged_swimlane.json"
    path.write_text(json.dumps({"traceEvents": odd}, indent=4))
    counts = {finding.code: finding.count for finding in read(path).findings}
    assert counts["unknown-event"] == 1


@pytest.mark.parametrize("piece_bytes", [700, 8 << 20])
@pytest.mark.parametrize("indent", [None, 4])
def test_a_wrong_type_is_found_in_any_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, indent: int | None, piece_bytes: int
) -> None:
    wrong = [*EVENTS[:30], {**EVENTS[30], "ts": "soon"}, *EVENTS[31:]]
    path = tmp_path / "merged_swimlane.json"
    path.write_text(json.dumps({"traceEvents": wrong}, indent=indent))
    monkeypatch.setattr(opening, "PIECE_BYTES", piece_bytes)
    with pytest.raises(InputError, match=r"traceEvents\[30\]\.ts: 'soon' is not of type 'number'"):
        read(path)


@pytest.mark.parametrize("piece_bytes", [700, 2_000, 8 << 20])
@pytest.mark.parametrize("at", [30, 60])
def test_an_event_without_ph_is_found_in_any_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int, piece_bytes: int
) -> None:
    plain = {key: value for key, value in EVENTS[at].items() if key != "ph"}
    path = write(tmp_path, [*EVENTS[:at], plain, *EVENTS[at + 1 :]])
    monkeypatch.setattr(opening, "PIECE_BYTES", piece_bytes)
    with pytest.raises(InputError, match=rf"traceEvents\[{at}\]: 'ph' is a required property"):
        read(path)


@pytest.mark.parametrize("piece_bytes", [700, 1_500, 3_000, 8 << 20])
def test_events_of_another_kind_inside_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece_bytes: int
) -> None:
    mixed = list(EVENTS)
    for at in range(len(EVENTS) - 1, len(LANES), -3):
        mixed.insert(at, count("ReadyCount_AIV", float(at), size=at, other=1))
    monkeypatch.setattr(opening, "PIECE_BYTES", piece_bytes)
    run = read(write(tmp_path, mixed))
    assert columns(run) == columns(read(write(tmp_path, EVENTS, "plain.json")))
    assert edges(run) == [(op, op + 1) for op in range(39)]
    assert {counter.name: len(counter.ts) for counter in run.counters} == {
        "ReadyCount_AIC": 1,
        "ReadyCount_AIV": 40,
        "ReadyCount_AIV other": 40,
    }
    assert missing(run) == {}


@pytest.mark.parametrize("piece_bytes", [700, 8 << 20])
@pytest.mark.parametrize("cut", [600, 6_000, -3])
def test_a_cut_file_is_an_error_wherever_it_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int, piece_bytes: int
) -> None:
    text = json.dumps(DOCUMENT, indent=4)[:cut]
    path = tmp_path / "merged_swimlane.json"
    path.write_text(text)
    monkeypatch.setattr(opening, "PIECE_BYTES", piece_bytes)
    with pytest.raises(InputError, match=r"is cut off|is not valid JSON") as caught:
        read(path)
    offset = int(str(caught.value).split("at byte ")[1].split()[0])
    assert len(text) - 60 < offset <= len(text)
