"""A large file in parts, each read in a copy of the process; the first in this one."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from msgspec import MsgspecError

from perfetto_pypto.alongside import Forked, cores
from perfetto_pypto.swimlane import opening
from perfetto_pypto.swimlane.collect import Collector
from perfetto_pypto.swimlane.decode import Form, form_of, plain_batches
from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.opening import Opened

#: From here on a part takes longer than a process does to start.
PART_BYTES = 16 << 20

#: More processes hardly pay: what they found is put together by one.
_FEWEST, _MOST = 2, 4


def read_parts(source: Opened, findings: Findings) -> Collector | None:
    """Reads a file part by part, side by side.

    Returns:
        What `read_whole` would; None where the file must be read by it: it is small, packed, not
        indented or in any other way unusual, or there is no second core for it.
    """
    size = source.file.stat().st_size if source.file else 0
    count = min(size // PART_BYTES, cores(), _MOST)
    if source.file is None or count < _FEWEST or not (cuts := _cuts(source.file, size, count)):
        return None
    form, starts = cuts
    calls = [
        partial(_read, source, form, *part)
        for part in zip(starts, [*starts[1:], None], strict=True)
    ]
    first, *others = calls
    copies = [Forked(call) for call in others]
    found = [first(), *(copy.result() for copy in copies)]
    parts = [part for part in found if part is not None]
    if len(parts) < len(found):
        return None
    raw = Collector(findings)
    for part in parts:
        raw.append(part)
    return raw


def _cuts(file: Path, size: int, count: int) -> tuple[Form, list[int]] | None:
    """The file's form, and where its parts begin, each with an event."""
    with file.open("rb") as stream:
        form = form_of(stream.read(opening.PIECE_BYTES))
        if form is None:
            return None
        starts = [form.first]
        for part in range(1, count):
            begin = stream.seek(size * part // count)
            cut = stream.read(opening.PIECE_BYTES).find(form.separator)
            if cut >= 0:
                starts.append(begin + cut + len(form.closing) + 1)
    return form, starts


def _read(source: Opened, form: Form, start: int, after: int | None) -> Collector | None:
    """Reads a part, up to the comma before ``after``; None where it is unusual."""
    raw = Collector(Findings())
    end = None if after is None else after - 1
    try:
        with source.stream() as stream:
            for batch in plain_batches(stream, form, start, end):
                raw.add(batch)
    except (MsgspecError, ValueError, RecursionError):
        return None
    return None if raw.text_ids else raw
