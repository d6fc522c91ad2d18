"""The events of a merged swimlane as typed records: what msgspec decodes in the normal path.

An unknown key of a slice is a decoding error here, so that ``decode`` notices it and keeps it.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, field

Integer = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]


class Sync(Struct, gc=False):
    """One entry of ``syncEvents``; ``time`` in µs."""

    time: float
    type: str
    eventid: Integer = -1


class Args(Struct, gc=False, forbid_unknown_fields=True):
    """The args of a task."""

    event_hint: str | None = field(name="event-hint", default=None)
    inputs: str | None = field(name="ioperand-hint", default=None)
    outputs: str | None = field(name="ooperand-hint", default=None)
    execution: str | None = field(name="execution-hint", default=None)
    hash_order: str | None = field(name="hashOrder-hint", default=None)
    color: str | None = None
    task_id: Integer | None = field(name="taskId", default=None)
    seq_no: Integer | None = field(name="seqNo", default=None)
    wrap_id: Integer | None = field(name="wrapId", default=None)
    sync_events: list[Sync] | None = field(name="syncEvents", default=None)


class Slice(Struct, gc=False, tag_field="ph", tag="X", forbid_unknown_fields=True):
    """A task, hub or AICPU phase; ``ts`` and ``dur`` in µs."""

    name: str
    pid: Integer
    tid: Integer
    ts: float
    dur: float
    args: Args | None = None
    cat: str = ""
    id: Any = None
    freq: Any = None


class FlowStart(Struct, gc=False, tag_field="ph", tag="s"):
    """The producer's end of a dependency."""

    id: Integer | str
    pid: Integer
    tid: Integer
    ts: float
    cat: str = ""


class FlowEnd(Struct, gc=False, tag_field="ph", tag="f"):
    """The consumer's end of a dependency."""

    id: Integer | str
    pid: Integer
    tid: Integer
    ts: float
    cat: str = ""


class Count(Struct, gc=False, tag_field="ph", tag="C"):
    """A counter value, or several."""

    name: str
    ts: float
    args: dict[str, float | None] | None = None


class Metadata(Struct, gc=False, tag_field="ph", tag="M"):
    """The name of a process or thread."""

    name: str
    pid: Integer
    tid: Integer = 0
    args: dict[str, Any] | None = None


Event = Slice | FlowStart | FlowEnd | Count | Metadata

TAGS: dict[str, type[Event]] = {
    "X": Slice,
    "s": FlowStart,
    "f": FlowEnd,
    "C": Count,
    "M": Metadata,
}


class Document(Struct, gc=False):
    """The file as a whole; other top-level keys are of no interest."""

    events: list[Event] = field(name="traceEvents")


EVENTS: msgspec.json.Decoder[list[Event]] = msgspec.json.Decoder(list[Event])
DOCUMENT: msgspec.json.Decoder[Document] = msgspec.json.Decoder(Document)
