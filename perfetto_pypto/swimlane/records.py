"""The events of a merged swimlane as typed records: what msgspec decodes in the normal path.

An unknown key of a slice is a decoding error here, so that ``decode`` notices it and keeps it.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

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


class Slice(Struct, gc=False, forbid_unknown_fields=True):
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


class Flow(Struct, gc=False):
    """The producer's (s) or the consumer's (f) end of a dependency."""

    id: Integer | str
    pid: Integer
    tid: Integer
    ts: float
    cat: str = ""


class Count(Struct, gc=False):
    """A counter value, or several."""

    name: str
    ts: float
    args: dict[str, float | None] | None = None


class Metadata(Struct, gc=False):
    """The name of a process or thread."""

    name: str
    pid: Integer
    tid: Integer = 0
    args: dict[str, Any] | None = None


# Where events of any kind stand together, each is read twice: first as far as its ph.


class AnySlice(Slice, tag_field="ph", tag="X"):
    """A slice among others."""

    ph: ClassVar = "X"


class AnyStart(Flow, tag_field="ph", tag="s"):
    """A producer's end among others."""

    ph: ClassVar = "s"


class AnyEnd(Flow, tag_field="ph", tag="f"):
    """A consumer's end among others."""

    ph: ClassVar = "f"


class AnyCount(Count, tag_field="ph", tag="C"):
    """A counter value among others."""

    ph: ClassVar = "C"


class AnyMetadata(Metadata, tag_field="ph", tag="M"):
    """A name among others."""

    ph: ClassVar = "M"


# PyPTO writes its events kind by kind. Such a run is decoded in three quarters of the time.


class RunSlice(Slice, kw_only=True):
    """A slice among slices."""

    ph: Literal["X"]


class RunFlow(Flow, kw_only=True):
    """An end of a dependency among such."""

    ph: Literal["s", "f"]


class RunCount(Count, kw_only=True):
    """A counter value among such."""

    ph: Literal["C"]


AnyEvent = AnySlice | AnyStart | AnyEnd | AnyCount | AnyMetadata
Event = AnyEvent | RunSlice | RunFlow | RunCount

TAGS: dict[str, type[AnyEvent]] = {
    "X": AnySlice,
    "s": AnyStart,
    "f": AnyEnd,
    "C": AnyCount,
    "M": AnyMetadata,
}


class Document(Struct, gc=False):
    """The file as a whole; other top-level keys are of no interest."""

    events: list[AnyEvent] = field(name="traceEvents")


DOCUMENT: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Document)
EVENTS: msgspec.json.Decoder[list[Any]] = msgspec.json.Decoder(list[AnyEvent])
_FLOWS: msgspec.json.Decoder[list[Any]] = msgspec.json.Decoder(list[RunFlow])
#: ph of a run's events -> its decoder.
RUNS: dict[bytes, msgspec.json.Decoder[list[Any]]] = {
    b"X": msgspec.json.Decoder(list[RunSlice]),
    b"s": _FLOWS,
    b"f": _FLOWS,
    b"C": msgspec.json.Decoder(list[RunCount]),
}
