"""What lies in a data set's folder."""

from __future__ import annotations

from pathlib import Path

from perfetto_pypto.dataset.index import NAME, Entry
from perfetto_pypto.dataset.table import read_entry, read_metrics
from perfetto_pypto.metrics.model import Metrics

METRICS = "metrics"


def is_dataset(folder: Path) -> bool:
    """Whether a folder was made by `batch`."""
    return (folder / NAME).is_file() and (folder / METRICS).is_dir()


def entries_of(folder: Path) -> dict[str, Entry]:
    """The index lines of the runs whose metrics are there, by run."""
    files = sorted((folder / METRICS).glob("*.parquet"))
    found = {file.stem: read_entry(file) for file in files}
    return {run: entry for run, entry in found.items() if entry is not None}


def runs_of(folder: Path) -> list[Metrics]:
    """The metrics of each run, without findings and advice, by path."""
    entries = sorted(entries_of(folder).values(), key=lambda entry: entry.path)
    return [read_metrics(folder / METRICS / f"{entry.run}.parquet") for entry in entries]
