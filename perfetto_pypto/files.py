"""Output files: complete or not there at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from isal import igzip

from perfetto_pypto.errors import InputError


def write_atomically(path: Path, chunks: Iterable[bytes]) -> None:
    """Writes a file by a temporary name and renames it; gzips when the name ends in ``.gz``.

    Raises:
        InputError: the folder is missing or not writable, or the disk is full.
    """
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError(path, f"can't be written ({error.strerror})", _REMEDY) from error
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as raw:
            if path.suffix == ".gz":
                # No name and time inside: the same run gives the same bytes.
                packed_file = igzip.GzipFile("", "wb", _LEVEL, raw, mtime=0)  # type: ignore[no-untyped-call]
                with packed_file as packed:
                    packed.writelines(chunks)
            else:
                raw.writelines(chunks)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise InputError(path, f"can't be written ({error.strerror})", _REMEDY) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


#: A sixth of zlib's time at its level 4, and 9 % more bytes.
_LEVEL = 2

_REMEDY = "choose another output path with -o"


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
