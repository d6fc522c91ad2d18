"""A merged swimlane's bytes to typed events, a piece at a time.

The normal path never holds more than two pieces. A piece is cut where one event ends and the
next begins: at a newline, the events' own indentation, ``},``, and the same again with ``{``.
A raw newline can't stand inside a JSON string and deeper objects are indented further, so nothing
else looks like that. The last piece is decoded as a document behind the file's own head, which
makes a missing end an error. A file without indentation is decoded as one piece.

A piece whose first and last event are of one kind is tried as a run of that kind: most are one.
What msgspec refuses (NaN, an unknown ph, an unknown key, …) sends that one piece through the
standard json module and ``repair``.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import msgspec

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane import opening, records
from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.opening import Opened
from perfetto_pypto.swimlane.repair import repair
from perfetto_pypto.swimlane.text import BOM, load

_PH = re.compile(rb'"ph"[ \t\r\n]*:[ \t\r\n]*"(.)"')
_HEAD = re.compile(rb'"traceEvents"[ \t\r\n]*:[ \t\r\n]*\[(?=(?P<line>\r?\n[ \t]*)\{)')


@dataclass(slots=True)
class Batch:
    """Consecutive events; ``extras`` has what ``repair`` kept of ``events[index]``."""

    events: list[records.Event]
    extras: dict[int, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Form:
    """How an indented file is laid out.

    head:      its bytes up to the ``[`` of ``traceEvents``
    first:     where in the file the first event begins: after that
    closing:   the end of an event
    separator: the end of one, and the beginning of the next
    """

    head: bytes
    first: int
    closing: bytes
    separator: bytes


def form_of(begin: bytes) -> Form | None:
    """The form of a file that begins so; None where it isn't indented, or has no events there."""
    start = len(BOM) if begin.startswith(BOM) else 0
    match = _HEAD.search(begin)
    if match is None or not _is_head(begin[start : match.end()]):
        return None
    closing = match["line"] + b"}"
    separator = closing + b"," + match["line"] + b"{"
    return Form(begin[start : match.end()], match.end(), closing, separator)


def batches(source: Opened, findings: Findings) -> Iterator[Batch]:
    """Decodes the file's ``traceEvents`` in file order.

    Raises:
        InputError: the file isn't JSON, or an event breaks the format.
    """
    first = 0
    with source.stream() as stream:
        begin = stream.read(opening.PIECE_BYTES)
        form = form_of(begin)
        if form is None:
            start = len(BOM) if begin.startswith(BOM) else 0
            yield _rest(source, b"", begin[start:] + stream.read(), start, first, findings)
            return
        offset = form.first
        body = bytearray(begin[offset:])
        for text in _arrays(_chunks(stream), form, body):
            batch = _piece(source, text, first, findings)
            if batch is None:
                break
            yield batch
            first += len(batch.events)
            offset += len(text) - 1
        yield _rest(source, form.head, bytes(body) + stream.read(), offset, first, findings)


def plain_batches(stream: BinaryIO, form: Form, start: int, end: int | None) -> Iterator[Batch]:
    """Decodes the events from byte ``start`` of a file, where one begins, to ``end``, a comma.

    Args:
        stream: the file.
        form: the file's.
        start: the first byte.
        end: the byte after the last; None: the file's end.

    Raises:
        ValueError: there is anything that the normal path doesn't know.
    """
    stream.seek(start)
    body = bytearray()
    for text in _arrays(_chunks(stream, None if end is None else end - start), form, body):
        yield Batch(_events(text))
    tail = b"" if end is None else b"]}"
    yield Batch(records.DOCUMENT.decode(form.head + body + tail).events)


def _chunks(stream: BinaryIO, left: int | None = None) -> Iterator[bytes]:
    """The next ``left`` bytes, or all."""
    left = sys.maxsize if left is None else left
    while chunk := stream.read(min(opening.PIECE_BYTES, left)):
        left -= len(chunk)
        yield chunk


def _arrays(chunks: Iterator[bytes], form: Form, body: bytearray) -> Iterator[bytes]:
    """Whole events as JSON arrays, as they come.

    Args:
        chunks: what comes after ``body``.
        form: the file's.
        body: from where an event begins; an array's bytes leave it as the next one is asked for.
    """
    for chunk in chunks:
        seen = max(0, len(body) - len(form.separator))
        body += chunk
        cut = body.rfind(form.separator, seen)
        if cut >= 0:
            comma = cut + len(form.closing)
            yield b"".join((b"[", memoryview(body)[:comma], b"]"))
            del body[: comma + 1]


def _is_head(head: bytes) -> bool:
    """Whether the array that ``head`` opens is the top-level ``traceEvents``."""
    try:
        return bool(json.loads(head + b"]}")["traceEvents"] == [])
    except (ValueError, RecursionError, KeyError, TypeError):
        return False


def _piece(source: Opened, text: bytes, first: int, findings: Findings) -> Batch | None:
    """Decodes a list of events; None where it is no list: the file's own ended in the middle."""
    try:
        return Batch(_events(text))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    try:
        loaded = json.loads(text.decode())
    except (ValueError, RecursionError):
        return None
    return Batch(*repair(source.path, loaded, first, findings))


def _events(text: bytes) -> list[Any]:
    """Decodes a list of events, as a run if the first and the last are of one."""
    ends = _PH.search(text), _PH.match(text, text.rfind(b'"ph"'))
    first, last = (records.RUNS.get(end[1]) if end else None for end in ends)
    if first is not None and first is last:
        try:
            return first.decode(text)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            pass
    return records.EVENTS.decode(text)


def _rest(
    source: Opened, head: bytes, body: bytes, offset: int, first: int, findings: Findings
) -> Batch:
    """Decodes the file from ``offset`` to its end."""
    text = head + body
    try:
        return Batch(records.DOCUMENT.decode(text).events)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    loaded = load(source.path, text, offset - len(head))
    events = loaded.get("traceEvents") if isinstance(loaded, dict) else loaded
    if not isinstance(events, list):
        raise InputError(
            source.path, '"traceEvents" is no list', "pass a merged_swimlane.json as PyPTO wrote it"
        )
    return Batch(*repair(source.path, events, first, findings))
