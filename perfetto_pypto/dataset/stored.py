"""The runs of a data set, and their medians."""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from statistics import median

from perfetto_pypto.compare.assemble import cores_text, subgraphs_of
from perfetto_pypto.compare.matching import are_related
from perfetto_pypto.dataset import METRICS
from perfetto_pypto.dataset.index import Entry
from perfetto_pypto.dataset.table import read_entry, read_metrics
from perfetto_pypto.errors import InputError
from perfetto_pypto.metrics.model import Metric, Metrics


def entries_of(folder: Path) -> dict[str, Entry]:
    """The index lines of the runs whose metrics are there, by run."""
    files = sorted((folder / METRICS).glob("*.parquet"))
    found = {file.stem: read_entry(file) for file in files}
    return {run: entry for run, entry in found.items() if entry is not None}


def runs_of(path: str | os.PathLike[str]) -> list[Metrics]:
    """The metrics of each run, without findings and advice, by path.

    Raises:
        InputError: there is none.
    """
    folder = Path(path)
    entries = sorted(entries_of(folder).values(), key=lambda entry: entry.path)
    if not entries:
        raise InputError(path, "holds no run", "see its index.jsonl for the reasons")
    return [read_metrics(folder / METRICS / f"{entry.run}.parquet") for entry in entries]


def medians_of(path: str | os.PathLike[str]) -> Metrics:
    """The median of each value over the runs that have it, as if they were one run.

    Raises:
        InputError: there is no run, or they are no repeats: other core counts, other operators.
    """
    runs = runs_of(path)
    first = runs[0]
    for run in runs[1:]:
        if run.input.core_counts != first.input.core_counts:
            cores = f"{cores_text(first)} cores in one run, {cores_text(run)} in another"
            raise InputError(path, cores, "give the same to all with --cores")
        if not are_related(subgraphs_of(first), subgraphs_of(run)):
            names = f"{first.input.name} and {run.input.name}"
            problem = f"{names} have no subgraph in common, so they are no repeats of one run"
            raise InputError(path, problem, "make a data set for each operator")
    values: dict[tuple[str, ...], list[Metric]] = defaultdict(list)
    for metric in (metric for run in runs for metric in run.metrics):
        values[(metric.id, *metric.dimensions.values())].append(metric)
    name = f"{Path(path).name} (median of {len(runs)} run{'s' * (len(runs) > 1)})"
    return Metrics(
        replace(first.input, name=name, path=os.fspath(path)), [*map(_median, values.values())], []
    )


def _median(repeats: list[Metric]) -> Metric:
    present = [metric.value for metric in repeats if metric.value is not None]
    return replace(repeats[0], value=median(present) if present else None)
