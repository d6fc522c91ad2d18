"""What is this file? Names what it isn't, too."""

from __future__ import annotations

from typing import Any

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane import opening
from perfetto_pypto.swimlane.decode import load
from perfetto_pypto.swimlane.opening import Opened

PYPTO_MERGED = "pypto-merged"

_REMEDY = "pass the merged_swimlane.json that PyPTO wrote"
_OVERLAP = 64
_SPACE = b" \t\r\n"


def detect(source: Opened) -> str:
    """The file's format.

    Returns:
        ``pypto-merged``, the one format read so far.

    Raises:
        InputError: the file is anything else; says what.
    """
    tail = b""
    begin = b""
    rooted = leaved = False
    with source.stream() as stream:
        while chunk := stream.read(opening.PIECE_BYTES):
            begin = begin or chunk.removeprefix(b"\xef\xbb\xbf").lstrip(_SPACE)[:1]
            text = tail + chunk
            rooted = rooted or b"rootHash:" in text
            leaved = leaved or b"leafHash:" in text
            if begin != b"{":
                break
            if (
                (rooted and leaved)
                or b'"machine-view-last-dep"' in text
                or b'"Machine View"' in text
            ):
                return PYPTO_MERGED
            tail = text[-_OVERLAP:]
    raise _foreign(source)


def _foreign(source: Opened) -> InputError:
    with source.stream() as stream:
        text = stream.read().removeprefix(b"\xef\xbb\xbf")
    stripped = text.lstrip(_SPACE)
    if not stripped:
        return InputError(source.path, "is empty", _REMEDY)
    if stripped[:1] not in (b"{", b"["):
        begin = stripped[:24].decode(errors="replace").split("\n")[0].strip()
        kind = "HTML" if stripped[:1] == b"<" else "no JSON"
        return InputError(source.path, f"is {kind} (it begins with {begin!r})", _REMEDY)
    return InputError(source.path, _what(load(source.path, text, 0)), _REMEDY)


def _what(value: Any) -> str:
    if isinstance(value, list):
        return _what_list(value)
    if "chip_swimlane_level" in value or "l2_swimlane_level" in value:
        return "is a raw swimlane of the simpler runtime, which can't be read yet"
    if "l2_perf_level" in value or ("tasks" in value and "version" in value):
        return "is a swimlane of the simpler runtime, which can't be read yet"
    if "traceEvents" in value:
        if not isinstance(value["traceEvents"], list):
            return 'holds no list in "traceEvents"'
        return _what_trace(value["traceEvents"])
    keys = ", ".join(repr(str(key)) for key in list(value)[:4]) or "none"
    return f"is JSON of another kind (its keys: {keys})"


def _what_list(value: list[Any]) -> str:
    entries = [entry for entry in value if isinstance(entry, dict)]
    if any("ph" in entry for entry in entries):
        return 'is a bare array of trace events, not PyPTO\'s {"traceEvents": […]}'
    tasks = [
        task
        for entry in entries
        if isinstance(entry.get("tasks"), list)
        for task in entry["tasks"]
        if isinstance(task, dict)
    ]
    if any("execStart" in task for task in tasks):
        return "is a raw PyPTO profile, which can't be read yet without its topology"
    if any("freq" in entry for entry in entries) and any("end" in task for task in tasks):
        return "is a raw PyPTO AICPU profile, which can't be read yet"
    return f"is a JSON list of {len(value)} entries, no swimlane"


def _what_trace(events: list[Any]) -> str:
    named = [event for event in events if isinstance(event, dict)]
    processes: list[str] = []
    for event in named:
        args = event.get("args")
        if event.get("name") == "process_name" and isinstance(args, dict):
            name = str(args.get("name"))
            if name not in processes:
                processes.append(name)
    if {"Worker View", "AICore View"} & set(processes) or any(
        "FuncId:" in str(args.get("event-hint", ""))
        for event in named
        if isinstance(args := event.get("args"), dict)
    ):
        return "is a merged swimlane of the simpler runtime, which can't be read yet"
    if processes == ["AICPU View"]:
        return "is a trace of the AICPU alone (no tasks)"
    if not events:
        return "has no trace events"
    if processes:
        shown = ", ".join(repr(name) for name in processes[:3])
        return f"is a Chrome trace of other origin (process {shown})"
    return f"is a Chrome trace of other origin ({len(events)} events, no process named)"
