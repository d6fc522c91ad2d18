"""The runs of a data set by name, and the medians of repeats."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from statistics import median

from perfetto_pypto.compare.assemble import subgraphs_of
from perfetto_pypto.compare.matching import are_related
from perfetto_pypto.dataset import METRICS, Choice
from perfetto_pypto.dataset.index import Entry
from perfetto_pypto.dataset.table import read_entry, read_metrics
from perfetto_pypto.errors import InputError
from perfetto_pypto.metrics.model import Metric, Metrics
from perfetto_pypto.report.text import cores


def entries_of(folder: Path) -> dict[str, Entry]:
    """The index lines of the runs whose metrics are there, by run."""
    files = sorted((folder / METRICS).glob("*.parquet"))
    found = {file.stem: read_entry(file) for file in files}
    return {run: entry for run, entry in found.items() if entry is not None}


def runs_of(choice: Choice) -> list[Metrics]:
    """The metrics of each run, without findings and advice, by path.

    Raises:
        InputError: there is none, or they are no repeats of one run: other core counts, other
            operators.
    """
    folder = choice.folder
    entries = sorted(entries_of(folder).values(), key=lambda entry: entry.path)
    if not entries:
        raise InputError(folder, "holds no run", "see its index.jsonl for the reasons")
    runs = [
        read_metrics(folder / METRICS / f"{entry.run}.parquet")
        for entry in _matching(entries, choice)
    ]
    _check_repeats(runs, choice)
    return runs


def medians_of(choice: Choice) -> Metrics:
    """The median of each value over the runs that have it, as if they were one run.

    Raises:
        InputError: as `runs_of`.
    """
    runs = runs_of(choice)
    if len(runs) == 1:
        return runs[0]
    values: dict[tuple[str, ...], list[Metric]] = defaultdict(list)
    for metric in (metric for run in runs for metric in run.metrics):
        values[(metric.id, *metric.dimensions.values())].append(metric)
    name = f"{choice.runs or choice.folder.name} (median of {len(runs)} runs)"
    return Metrics(
        replace(runs[0].input, name=name, path=str(choice)), [*map(_median, values.values())], []
    )


def _matching(entries: list[Entry], choice: Choice) -> list[Entry]:
    """The runs of that name; where none has it, those below a folder of that name."""
    wanted = choice.runs
    if not wanted:
        return entries
    found = [one for one in entries if one.name == wanted or fnmatchcase(one.name, wanted)]
    if not found:
        found = [one for one in entries if _lies_in(PurePosixPath(one.path), wanted)]
    if not found:
        names = sorted({one.name for one in entries})
        shown = ", ".join(names[:6]) + ", …" * (len(names) > 6)
        raise InputError(choice.folder, f"holds no run {wanted!r}", f"choose of {shown}")
    return found


def _lies_in(path: PurePosixPath, wanted: str) -> bool:
    return any(place.match(wanted) for place in (path, *path.parents))


def _check_repeats(runs: list[Metrics], choice: Choice) -> None:
    first = runs[0]
    for run in runs[1:]:
        if run.input.core_counts != first.input.core_counts:
            one, other = (cores(both.input.core_counts) or "no" for both in (first, run))
            problem = f"{one} cores in one run, {other} in another"
            raise InputError(choice, problem, "give the same to all with batch --cores")
        if not are_related(subgraphs_of(first), subgraphs_of(run)):
            names = f"{first.input.name} and {run.input.name}"
            problem = f"{names} have no subgraph in common, so they are no repeats of one run"
            raise InputError(choice, problem, f"choose by name: {choice.folder / run.input.name}")


def _median(repeats: list[Metric]) -> Metric:
    present = [metric.value for metric in repeats if metric.value is not None]
    return replace(repeats[0], value=median(present) if present else None)
