"""What is this file? Names what it isn't, too."""

from __future__ import annotations

from typing import Any

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane import opening
from perfetto_pypto.swimlane.names import (
    PYPTO_AICPU,
    PYPTO_AICPU_TRACE,
    PYPTO_MERGED,
    PYPTO_RAW,
    SIMPLER_MERGED,
    SIMPLER_RECORDS,
)
from perfetto_pypto.swimlane.opening import Opened
from perfetto_pypto.swimlane.text import BOM, load

_REMEDY = "pass the merged_swimlane.json that PyPTO wrote"
_FOLDER = "pass the output folder, where it lies beside the profile"
_OVERLAP = 64
_SPACE = b" \t\r\n"

#: PyPTO's files, each by texts that all stand in it and in none of those above it.
_MARKS: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    (PYPTO_MERGED, (b'"machine-view-last-dep"',)),
    (SIMPLER_MERGED, (b", FuncId:", b", CoreId:")),
    (SIMPLER_RECORDS, (b'"chip_swimlane_level"',)),
    (SIMPLER_RECORDS, (b'"l2_swimlane_level"',)),
    (SIMPLER_RECORDS, (b'"l2_perf_level"',)),
    (SIMPLER_RECORDS, (b'"tasks"', b'"core_id"', b'"start_time_us"')),
    ("is the graph of a run of the simpler runtime (deps.json)", (b'"pred"', b'"succ"')),
    (PYPTO_MERGED, (b'"Machine View"',)),
    (PYPTO_MERGED, (b"rootHash:", b"leafHash:")),
    (PYPTO_AICPU_TRACE, (b'"AICPU View"',)),
    ("is a log of the pipes inside the cores", (b'"pipeLogs"',)),
    (PYPTO_RAW, (b'"execStart"',)),
    (PYPTO_AICPU, (b'"freq"', b'"end"')),
    ("is PyPTO's compiled program", (b'"func_magicname"',)),
    ("is a list of PyPTO's mix tasks", (b'"wrapInfos"',)),
    ("is a static topology", (b'"successors"', b'"taskId"')),
    ("is a topology (dyn_topo.txt)", (b"seqNo,taskId,",)),
    ("is PyPTO's bubble_analysis.log, which has no tasks", (b"] Execute task num:",)),
)
#: Seen early in files whose later parts decide.
_WAIT_FOR_MORE = frozenset({PYPTO_AICPU_TRACE})

#: What PyTorch's profiler writes and nobody else.
_KINETO_KEYS = frozenset({"deviceProperties", "schemaVersion", "distributedInfo", "traceName"})
_KINETO_CATEGORIES = frozenset(
    {"cpu_op", "kernel", "cuda_runtime", "gpu_memcpy", "ac2g", "python_function", "user_annotation"}
)


def detect(source: Opened) -> str:
    """The file's format: one of the names above.

    Raises:
        InputError: the file is anything else; says what.
    """
    kind = _by_marks(source)
    if kind is None:
        raise _foreign(source)
    if kind.startswith("is "):
        raise InputError(source.path, kind, _FOLDER)
    return kind


def _by_marks(source: Opened) -> str | None:
    """The first of ``_MARKS`` that the file has, read only as far as that needs."""
    seen: set[bytes] = set()
    marks = {mark for _, texts in _MARKS for mark in texts}
    tail = b""
    found: str | None = None
    with source.stream() as stream:
        while chunk := stream.read(opening.PIECE_BYTES):
            text = tail + chunk
            seen.update(mark for mark in marks - seen if mark in text)
            found = next((kind for kind, texts in _MARKS if seen.issuperset(texts)), None)
            if found is not None and found not in _WAIT_FOR_MORE:
                return found
            tail = text[-_OVERLAP:]
    return found


def _foreign(source: Opened) -> InputError:
    with source.stream() as stream:
        text = stream.read().removeprefix(BOM)
    stripped = text.lstrip(_SPACE)
    if not stripped:
        return InputError(source.path, "is empty", _REMEDY)
    if text[:1] == b"\n" and any(byte < ord("\t") for byte in stripped[:_OVERLAP]):
        return InputError(source.path, "looks like a Perfetto trace", "pass a trace as a file")
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
        if _KINETO_KEYS & set(value):
            return _KINETO
        return _what_trace(value["traceEvents"])
    keys = ", ".join(repr(str(key)[:40]) for key in list(value)[:4]) or "none"
    return f"is JSON of another kind (its keys: {keys})"


_KINETO = "is a trace of PyTorch's profiler (Kineto, as HTA reads), not of PyPTO"


def _what_list(value: list[Any]) -> str:
    if not value:
        return "is an empty list: a profile without a core, as after a run that was not recorded"
    entries = [entry for entry in value if isinstance(entry, dict)]
    if any("ph" in entry for entry in entries):
        return _what_trace(value)
    if any("tasks" in entry and "blockIdx" in entry for entry in entries):
        return f"is a profile of {len(entries)} cores without a task"
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
    if any(str(event.get("cat")) in _KINETO_CATEGORIES for event in named):
        return _KINETO
    if not events:
        return "has no trace events"
    if processes:
        shown = ", ".join(repr(name[:40]) for name in processes[:3])
        return f"is a Chrome trace of other origin (process {shown})"
    return f"is a Chrome trace of other origin ({len(events)} events, no process named)"
