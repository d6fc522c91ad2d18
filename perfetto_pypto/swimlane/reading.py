"""A path to a run: which of PyPTO's files are read, and what is done when several tell the same."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane import agreement, bubble_log, folder
from perfetto_pypto.swimlane.control import from_stamps, read_trace
from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.folder import Files, opened
from perfetto_pypto.swimlane.merged import read_merged
from perfetto_pypto.swimlane.model import Swimlane
from perfetto_pypto.swimlane.opening import Opened
from perfetto_pypto.swimlane.raw import read_raw


def read_profile_file(source: Opened, cores: Mapping[str, int] | None) -> Swimlane:
    """Reads a raw profile named by itself, with what lies beside it except the merged file."""
    if source.file is None:
        raise InputError(
            source.path,
            "is a raw PyPTO profile, which needs the topology beside it",
            "pass the file or its folder by name",
        )
    return read_raw(source, folder.beside(source.file), cores).run


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether the user named a folder."""
    try:
        return os.fspath(path) != "-" and Path(path).is_dir()
    except OSError:
        return False


def read_folder(
    path: str | os.PathLike[str],
    *,
    cores: Mapping[str, int] | None,
    clock_mhz: int | None,
    run: str | None,
) -> Swimlane | Opened | None:
    """Reads the run that a folder means, from the best set of its files.

    Returns:
        The run; a file where the run is in one alone, whatever its format; None where the folder
        holds nothing of the kind.

    Raises:
        InputError: no run of that name, or its files can't be read.
        PyptoPerfettoError: ``cores`` contradicts the files.
    """
    place = Path(path)
    choice = folder.choose(place, run)
    if choice is None:
        return None
    files = choice.files
    source = Opened(os.fspath(path), files.name, None, clock_mhz=clock_mhz)
    if single := files.simpler or (None if files.profile else files.merged):
        return replace(source, file=single)
    swimlane = bubble_log.attach(_read_files(source, files, cores), files.log)
    if choice.others:
        findings = Findings()
        findings.add("several-runs", len(choice.others), choice.others[::-1])
        swimlane = replace(swimlane, findings=[*findings.all(), *swimlane.findings])
    return swimlane


def log_beside(file: Path | None) -> Path | None:
    """The bubble_analysis.log of a merged file or profile that has PyPTO's own name."""
    if file is None:
        return None
    files = folder.files_of(file.absolute().parent)
    return files.log if file.absolute() in (files.merged, files.profile) else None


def _read_files(source: Opened, files: Files, cores: Mapping[str, int] | None) -> Swimlane:
    graph = bool(files.dynamic or files.static)
    if files.profile and (graph or files.merged is None):
        return _read_raw(source, files, cores)
    if files.merged:
        run = read_merged(replace(source, file=files.merged), cores)
        return replace(
            run, source=replace(run.source, layout=f"{run.source.layout}; profile has no topology")
        )
    if files.aicpu:
        rounds = [opened(path, source.name) for path in files.aicpu]
        return from_stamps(source, rounds, cores)
    return read_trace(replace(source, file=files.aicpu_traces[-1]), cores)


def _read_raw(source: Opened, files: Files, cores: Mapping[str, int] | None) -> Swimlane:
    """Reads the raw files and, beside them, the merged one: either may be broken, not both."""
    merged, problem = None, None
    if files.merged:
        try:
            merged = read_merged(replace(source, file=files.merged, clock_mhz=None), None)
        except InputError as error:
            problem = f"{files.merged.name}: {error.problem}"
    try:
        raw = read_raw(source, files, cores, merged)
        if merged is not None:
            return agreement.unite(raw, merged)
    except InputError as error:
        if merged is None:
            raise
        failed = error
    else:
        return _with_unreadable(raw.run, problem)
    assert files.merged is not None
    run = read_merged(replace(source, file=files.merged), cores)
    name = Path(failed.path).name if failed.path != source.path else "the profile"
    return _with_unreadable(run, f"{name}: {failed.problem}")


def _with_unreadable(run: Swimlane, problem: str | None) -> Swimlane:
    if problem is None:
        return run
    findings = Findings()
    findings.add("unreadable-file", 1, [problem])
    return replace(run, findings=[*findings.all(), *run.findings])
