"""The events of the simpler runtime's merged swimlane, and the texts in them."""

from __future__ import annotations

import re
from typing import NamedTuple

from msgspec import Struct, field

from perfetto_pypto.swimlane.records import AnyCount, AnyMetadata, Integer

_HINT = re.compile(
    r"Task:(?:r([0-9]{1,10}))?t?([0-9]{1,20}), FuncId:(-?[0-9]{1,9}), CoreId:([0-9]{1,9})"
)
_LIST = re.compile(r"(?:[0-9]+: )?\[(.*)\]", re.DOTALL)
_TASK = re.compile(r"(?:r([0-9]{1,10}))?t?([0-9]{1,20})")
#: How the runtime's script names a kernel without a name: by number and letters.
_PLACEHOLDER = re.compile(r"[fF]unc_([0-9]+)(?:_[a-z]+)?(_spmd)?")


class Args(Struct, gc=False):
    """The args of a slice; ``size`` and its like of a counter are read apart."""

    event_hint: str | None = field(name="event-hint", default=None)
    fanin: str | None = field(name="fanin-hint", default=None)
    fanout: str | None = field(name="fanout-hint", default=None)
    kernel_us: float | None = field(name="kernel-duration-us", default=None)
    dispatch_us: float | None = field(name="dispatch-time-us", default=None)
    finish_us: float | None = field(name="finish-time-us", default=None)
    task_id: int | None = field(name="taskId", default=None)
    phase: str | None = None


class Slice(Struct, gc=False, tag_field="ph", tag="X"):
    """A task, a task as the scheduler saw it, or a phase; times in µs."""

    name: str
    pid: Integer
    tid: Integer
    ts: float
    dur: float
    args: Args | None = None


class FlowStart(Struct, gc=False, tag_field="ph", tag="s"):
    """An arrow for eyes: the tasks' own hints say the same, and more."""


class FlowEnd(Struct, gc=False, tag_field="ph", tag="f"):
    """The other end of an arrow."""


Event = Slice | AnyCount | AnyMetadata | FlowStart | FlowEnd
TAGS: dict[str, type[Event]] = {
    "X": Slice,
    "C": AnyCount,
    "M": AnyMetadata,
    "s": FlowStart,
    "f": FlowEnd,
}


class Document(Struct, gc=False):
    """The file as a whole."""

    events: list[Event] = field(name="traceEvents")


class Hint(NamedTuple):
    """What an event-hint says."""

    token: int
    func: int
    core: int


def parse_hint(text: str) -> Hint | None:
    """``Task:r1t3, FuncId:7, CoreId:5`` to its parts; None for any other text."""
    match = _HINT.match(text)
    if match is None:
        return None
    ring, local, func, core = match.groups()
    return Hint(_token(ring, local), int(func), int(core))


def parse_tasks(text: str) -> list[int]:
    """The tasks in ``2: [t9, r1t10]``, or in ``[9, 10]`` as the first files have it."""
    match = _LIST.fullmatch(text.strip())
    inner = match[1] if match else ""
    return [
        _token(*found.groups())
        for part in inner.split(",")
        if (found := _TASK.fullmatch(part.strip()))
    ]


def parse_label(name: str) -> str:
    """The kernel in ``kernel(r1t3)``; ``func_7`` where it has no name."""
    label = name.rpartition("(")[0] if name.endswith(")") else name
    match = _PLACEHOLDER.fullmatch(label)
    return f"func_{match[1]}{match[2] or ''}" if match else label


def _token(ring: str | None, local: str) -> int:
    return ((int(ring) << 32) if ring else 0) + int(local)
