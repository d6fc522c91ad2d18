"""Many runs, one data set: Parquet files of metrics, and an index of what became of each input."""

from __future__ import annotations

from perfetto_pypto.dataset.build import Batch, Step, build
from perfetto_pypto.dataset.index import Entry
from perfetto_pypto.dataset.stored import is_dataset, runs_of

__all__ = ["Batch", "Entry", "Step", "build", "is_dataset", "runs_of"]
