"""Metrics as CSV: a file per bundle, a folder per run."""

from __future__ import annotations

import csv
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from perfetto_pypto.errors import InputError
from perfetto_pypto.metrics import Metrics


def write_csv(results: Sequence[Metrics], folder: Path) -> None:
    """Writes ``<folder>/<bundle>.csv``; with several runs ``<folder>/<run>/<bundle>.csv``.

    Times are in ns, absent values are empty. Everything is written beside the folder first and
    then moved: a file that is there is complete. Other files in the folder stay.

    Raises:
        InputError: the folder can't be written.
    """
    try:
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as name:
            scratch = Path(name) / "new"
            scratch.mkdir()
            for place, metrics in zip(_places(results), results, strict=True):
                _write_run(metrics, scratch / place)
            _move(scratch, folder)
    except OSError as error:
        raise InputError(
            folder, f"can't be written ({error.strerror})", "choose another folder with -o"
        ) from error


def _places(results: Sequence[Metrics]) -> list[str]:
    """Subfolders by the names of the runs; equal names are numbered."""
    if len(results) == 1:
        return ["."]
    places: list[str] = []
    for metrics in results:
        name = _file_name(metrics.input.name)
        again = sum(place == name or place.startswith(f"{name}~") for place in places)
        places.append(f"{name}~{again + 1}" if again else name)
    return places


def _file_name(name: str) -> str:
    """A name that is safe in every file system: it may come from a trace or a spec."""
    return re.sub(r"[^\w.-]", "_", name).lstrip(".") or "run"


def _write_run(metrics: Metrics, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for bundle in metrics.bundles:
        rows = metrics.rows(bundle)
        with (folder / f"{_file_name(bundle)}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


def _move(scratch: Path, folder: Path) -> None:
    if not folder.exists():
        scratch.rename(folder)
        return
    for file in sorted(scratch.rglob("*.csv")):
        target = folder / file.relative_to(scratch)
        target.parent.mkdir(exist_ok=True)
        file.replace(target)
