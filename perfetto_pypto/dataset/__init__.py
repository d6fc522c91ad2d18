"""Many runs, one data set: Parquet files of metrics, and an index of what became of each input.

Light to import: workers and commands that meet a folder load no more than they use.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

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


@dataclass(frozen=True, slots=True)
class Choice:
    """Runs of a data set.

    folder: the data set's
    runs:   their name, a folder that they lie below, or a glob of either; '' for all of them
    """

    folder: Path
    runs: str

    def __str__(self) -> str:
        return str(self.folder / self.runs)


def chosen(
    source: object, cores: Mapping[str, int] | None = None, small_task_ns: int | None = None
) -> Choice | None:
    """The runs that a source means, where it is a data set or, as ``DATASET/NAME``, lies in one.

    Raises:
        PyptoPerfettoError: they are measured, but options ask for other numbers, or what reads
            them isn't installed.
    """
    if not isinstance(source, (str, os.PathLike)):
        return None
    place = Path(source)
    if place.exists() and not _is_dataset(place):
        return None
    folder = next(filter(_is_dataset, (place, *place.parents)), None)
    if folder is None:
        return None
    if cores is not None or small_task_ns is not None:
        raise settled(folder)
    check_installed()
    return Choice(folder, "" if place == folder else place.relative_to(folder).as_posix())


def settled(folder: object) -> InputError:
    """The error where an option asks a data set for other numbers than it has."""
    return InputError(
        folder,
        "is a data set with numbers of its own",
        "give --cores, --clock and --small-task to batch",
    )


def _is_dataset(folder: Path) -> bool:
    return (folder / INDEX).is_file() and (folder / METRICS).is_dir()
