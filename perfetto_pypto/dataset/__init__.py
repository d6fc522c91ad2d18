"""Many runs, one data set: Parquet files of metrics, and an index of what became of each input.

Light to import: workers and commands that meet a folder load no more than they use.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TypeGuard

from perfetto_pypto.errors import InputError, PyptoPerfettoError

#: In a data set's folder.
INDEX = "index.jsonl"
METRICS = "metrics"


def check_installed() -> None:
    """Checks that data sets can be read and written.

    Raises:
        PyptoPerfettoError: what that needs isn't installed.
    """
    for name in ("pyarrow", "fsspec"):
        if find_spec(name) is None:
            raise PyptoPerfettoError(
                f"data sets of many runs need {name}; pip install 'pypto-perfetto[batch]'"
            )


def is_dataset(
    source: object, cores: Mapping[str, int] | None, small_task_ns: int | None
) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a source is the folder of a data set, to be read as it is.

    Raises:
        PyptoPerfettoError: it is, but options ask for other numbers, or what reads it isn't
            installed.
    """
    if not isinstance(source, (str, os.PathLike)):
        return False
    folder = Path(source)
    if not ((folder / INDEX).is_file() and (folder / METRICS).is_dir()):
        return False
    if cores is not None or small_task_ns is not None:
        raise InputError(
            source,
            "is a data set with numbers of its own",
            "give --cores and --small-task to batch",
        )
    check_installed()
    return True
