"""A trace as pieces of bytes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from perfetto_pypto.errors import InputError

#: A file is read in pieces: memory stays flat.
_PIECE_BYTES = 16 * 1024 * 1024

#: How many times smaller gzip can make a file.
_HIGHEST_RATIO = 1032


def name_of(trace: str | os.PathLike[str] | bytes | Iterable[bytes]) -> str:
    """What messages call the trace: its path, or ``<trace>``."""
    return str(trace) if isinstance(trace, str | os.PathLike) else "<trace>"


class Pieces:
    """Pieces of a trace whose size is known before they are read."""

    def __init__(self, pieces: Iterable[bytes], size: int) -> None:
        self._pieces = pieces
        self.size = size

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._pieces)


def size_of(trace: str | os.PathLike[str] | bytes | Iterable[bytes] | None) -> int | None:
    """Bytes of the trace, not compressed; None where that can't be known before it is read."""
    if isinstance(trace, str | os.PathLike):
        return size_of_file(Path(trace))
    if isinstance(trace, bytes):
        return len(trace)
    if isinstance(trace, list):
        return sum(map(len, trace))
    return trace.size if isinstance(trace, Pieces) else None


def size_of_file(path: Path) -> int | None:
    """As `size_of`; a gzip file's last four bytes tell, for one member of less than 4 GiB."""
    try:
        with path.open("rb") as file:
            if file.read(2) != b"\x1f\x8b":
                return os.fstat(file.fileno()).st_size
            packed = file.seek(-4, os.SEEK_END) + 4
            size = int.from_bytes(file.read(4), "little")
            return size if size < _HIGHEST_RATIO * packed else None  # None: it is cut off
    except OSError:  # a pipe, or an error that reading will tell
        return None


def pieces_of(trace: str | os.PathLike[str] | bytes | Iterable[bytes]) -> Iterator[bytes]:
    """Yields the bytes of a trace.

    Raises:
        InputError: the file is missing, empty or can't be read.
    """
    if isinstance(trace, str | os.PathLike):
        yield from _read(Path(trace))
    elif isinstance(trace, bytes):
        yield trace
    else:
        yield from trace


def _read(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            if not os.fstat(file.fileno()).st_size and path.is_file():
                raise InputError(path, "the file is empty", "write the trace again")
            while piece := file.read(_PIECE_BYTES):
                yield piece
    except FileNotFoundError as error:
        raise InputError(path, "no such file", "check the path") from error
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})", "check the file") from error
