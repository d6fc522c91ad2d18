"""``index.jsonl``: one line per input, with what became of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec

from perfetto_pypto.dataset import INDEX
from perfetto_pypto.errors import InputError
from perfetto_pypto.files import write_atomically


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the index.

    path:     absolute, or a URL
    status:   ``done``: its metrics are in ``metrics/<run>.parquet``; ``failed``: see ``error``
    run:      the run's id: a hash of path and content; '' where it could not be read
    content:  hash of its files' bytes: copies of a run have the same
    name:     the run's name; '' where it could not be read
    error:    one line for people; '' where done
    seconds:  that it took
    findings: what was dropped, moved or repaired on the way in: count by code
    version:  of the tool
    options:  that change numbers, as text
    """

    path: str
    status: Literal["done", "failed"]
    run: str = ""
    content: str = ""
    name: str = ""
    error: str = ""
    seconds: float = 0.0
    findings: dict[str, int] = {}
    version: str = ""
    options: str = ""


def read_index(folder: Path) -> list[Entry]:
    """Reads the index of a data set; empty where there is none.

    Raises:
        InputError: it is damaged.
    """
    path = folder / INDEX
    try:
        lines = path.read_bytes().splitlines()
        return [msgspec.json.decode(line, type=Entry) for line in lines]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})", "check its rights") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(
            path, f"is no index ({error})", "delete it: batch makes it anew"
        ) from error


def write_index(folder: Path, entries: Iterable[Entry]) -> None:
    """Writes the index, whole or not at all.

    Raises:
        InputError: it can't be written.
    """
    write_atomically(folder / INDEX, (msgspec.json.encode(entry) + b"\n" for entry in entries))


def merge(before: Iterable[Entry], stored: Iterable[Entry], now: Iterable[Entry]) -> list[Entry]:
    """The new index: what is stored, earlier failures of inputs not tried again, and now's lines.

    Args:
        before: the old index.
        stored: a line for each run whose metrics are there.
        now: of the inputs of this time.
    """
    current = list(now)
    paths = {entry.path for entry in current}
    done = {entry.run for entry in current if entry.status == "done"}
    kept = [entry for entry in stored if entry.run not in done]
    failed = [entry for entry in before if entry.status == "failed" and entry.path not in paths]
    return [*kept, *failed, *current]
