"""Opens what the user named: a file, a ``.gz``, an output folder or stdin."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from perfetto_pypto.errors import InputError

#: Small enough that a piece and what is made of it stay in the processor's cache.
PIECE_BYTES = 1 << 18

_NAMES = ("merged_swimlane.json", "merged_swimlane.json.gz")
#: Files that are named alike in every run: the folder names the run.
_FIXED_NAMES = (
    *("merged_swimlane.json", "tilefwk_L1_prof_data.json", "_simulate.swim.json"),
    *("chip_swimlane_records.json", "l2_swimlane_records.json", "l2_perf_records.json"),
)
#: Where the simulator writes, below the output folder.
SIMULATOR_FOLDER = "CostModelSimulationOutput"
_GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Opened:
    """An input that can be read from its start as often as needed.

    path: as the user named it, for messages
    name: the run's name: the file's, or the folder's when the file has PyPTO's fixed name
    file: the file itself; None for stdin, whose bytes are then in ``data``
    clock_mhz: the counter's frequency as the user gave it
    """

    path: str
    name: str
    file: Path | None
    data: bytes = b""
    clock_mhz: int | None = None

    @contextmanager
    def stream(self) -> Iterator[BinaryIO]:
        """The uncompressed bytes; concatenated gzip members are read as one.

        Raises:
            InputError: the file can't be read or its gzip data are damaged or cut.
        """
        try:
            with self.file.open("rb") if self.file else io.BytesIO(self.data) as raw:
                packed = raw.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
                raw.seek(0)
                yield cast("BinaryIO", gzip.GzipFile(fileobj=raw)) if packed else raw
        except EOFError:
            raise InputError(
                self.path, "the gzip data are cut off", "copy or pack the file again"
            ) from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise InputError(
                self.path, f"the gzip data are damaged ({error})", "copy or pack the file again"
            ) from None
        except OSError as error:
            raise _unreadable(self.path, error) from None


def open_input(path: str | os.PathLike[str]) -> Opened:
    """Finds the swimlane that ``path`` means.

    Args:
        path: a file, an ``output_*`` folder, or ``-`` for stdin.

    Raises:
        InputError: there is no such file, or the folder holds no swimlane.
    """
    shown = os.fspath(path)
    if shown == "-":
        return Opened("<stdin>", "stdin", None, sys.stdin.buffer.read())
    place = Path(shown)
    try:
        if place.is_dir():
            return Opened(shown, folder_name(place), _in_folder(place, shown))
        if not place.exists():
            raise InputError(shown, "no such file", "check the path")
        if not place.is_file():  # a pipe can be read only once
            return Opened(shown, _run_name(place), None, place.read_bytes())
    except OSError as error:
        raise _unreadable(shown, error) from None
    return Opened(shown, _run_name(place), place)


def _unreadable(shown: str, error: OSError) -> InputError:
    return InputError(
        shown, f"can't be read ({error.strerror or error})", "check the path and its rights"
    )


def _in_folder(folder: Path, shown: str) -> Path:
    for inner in (folder, folder / SIMULATOR_FOLDER):
        for name in _NAMES:
            if (inner / name).is_file():
                return inner / name
    remedy = "pass a merged_swimlane.json or the output_* folder that holds one"
    outputs = sorted(entry.name for entry in folder.glob("output_*") if entry.is_dir())
    if outputs:
        remedy = f"pass one of its {len(outputs)} output folders, e.g. {folder / outputs[-1]}"
    raise InputError(shown, "the folder holds no merged_swimlane.json", remedy)


def _run_name(file: Path) -> str:
    if file.name.removesuffix(".gz") in _FIXED_NAMES:
        return folder_name(file.parent)
    name = file.name
    for suffix in (".gz", ".json"):
        name = name.removesuffix(suffix)
    return name or file.name


def folder_name(folder: Path) -> str:
    """A run's name: its output folder's."""
    folder = folder.absolute()
    if folder.name == SIMULATOR_FOLDER:
        folder = folder.parent
    return folder.name or "swimlane"
