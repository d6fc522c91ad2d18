"""A merged swimlane's bytes to typed events, a piece at a time.

The normal path never holds more than two pieces. A piece is cut where one event ends and the
next begins: at a newline, the events' own indentation, ``},``, and the same again with ``{``.
A raw newline can't stand inside a JSON string and deeper objects are indented further, so nothing
else looks like that. The last piece is decoded as a document behind the file's own head, which
makes a missing end an error. A file without indentation is decoded as one piece.

What msgspec refuses (NaN, an unknown ph, an unknown key, …) sends that one piece through the
standard json module and ``repair``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane import opening, records
from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.opening import Opened
from perfetto_pypto.swimlane.repair import repair
from perfetto_pypto.swimlane.text import BOM, load

_HEAD = re.compile(rb'"traceEvents"[ \t\r\n]*:[ \t\r\n]*\[(?=(?P<line>\r?\n[ \t]*)\{)')


@dataclass(slots=True)
class Batch:
    """Consecutive events; ``extras`` has what ``repair`` kept of ``events[index]``."""

    events: list[records.Event]
    extras: dict[int, dict[str, Any]] = field(default_factory=dict)


def batches(source: Opened, findings: Findings) -> Iterator[Batch]:
    """Decodes the file's ``traceEvents`` in file order.

    Raises:
        InputError: the file isn't JSON, or an event breaks the format.
    """
    first = 0
    with source.stream() as stream:
        body = stream.read(opening.PIECE_BYTES)
        start = len(BOM) if body.startswith(BOM) else 0
        match = _HEAD.search(body)
        if match is None or not _is_head(body[start : match.end()]):
            yield _rest(source, b"", body[start:] + stream.read(), start, first, findings)
            return
        head = body[start : match.end()]
        closing = match["line"] + b"}"
        separator = closing + b"," + match["line"] + b"{"
        offset = match.end()
        body = body[offset:]
        while chunk := stream.read(opening.PIECE_BYTES):
            seen = max(0, len(body) - len(separator))
            body += chunk
            cut = body.rfind(separator, seen)
            if cut < 0:
                continue
            cut += len(closing)
            text = b"".join((b"[", memoryview(body)[:cut], b"]"))
            batch = _piece(source, text, first, findings)
            if batch is None:
                break
            yield batch
            first += len(batch.events)
            offset += cut + 1
            body = body[cut + 1 :]
        yield _rest(source, head, body + stream.read(), offset, first, findings)


def _is_head(head: bytes) -> bool:
    """Whether the array that ``head`` opens is the top-level ``traceEvents``."""
    try:
        return bool(json.loads(head + b"]}")["traceEvents"] == [])
    except (ValueError, RecursionError, KeyError, TypeError):
        return False


def _piece(source: Opened, text: bytes, first: int, findings: Findings) -> Batch | None:
    """Decodes a list of events; None where it is no list: the file's own ended in the middle."""
    try:
        return Batch(records.EVENTS.decode(text))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    try:
        loaded = json.loads(text.decode())
    except (ValueError, RecursionError):
        return None
    return Batch(*repair(source.path, loaded, first, findings))


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
