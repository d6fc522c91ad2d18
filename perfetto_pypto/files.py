"""Output files: complete or not there at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from isal import igzip

from perfetto_pypto.errors import InputError


def write_atomically(path: Path, chunks: Iterable[bytes]) -> None:
    """Writes a file by a temporary name and renames it; gzips when the name ends in ``.gz``.

    Behind a symbolic link, what it points to is written; a device or a pipe gets the bytes.

    Raises:
        InputError: the folder is missing or not writable, or the disk is full.
    """
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            with path.open("wb") as raw:  # renaming would put a file in its place
                _write(raw, path, chunks)
            return
        target = Path(os.path.realpath(path))
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as raw:
                _write(raw, path, chunks)
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(path, f"can't be written ({error.strerror})", _REMEDY) from error


def _write(raw: BinaryIO, path: Path, chunks: Iterable[bytes]) -> None:
    if path.suffix == ".gz":
        # No name and time inside: the same run gives the same bytes.
        with igzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) as packed:  # type: ignore[no-untyped-call]
            packed.writelines(chunks)
    else:
        raw.writelines(chunks)


#: A sixth of zlib's time at its level 4, and 9 % more bytes.
_LEVEL = 2

_REMEDY = "choose another output path with -o"


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
