"""What lies in an output folder, by PyPTO's names, and which of several runs is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane.opening import SIMULATOR_FOLDER, Opened, folder_name

_ROUND = re.compile(r"_(\d{1,9})\.json")

# The names of a run's files, each also with ``.gz``; of several the first that is there counts.
_MERGED, _LOG = "merged_swimlane.json", "bubble_analysis.log"
_DYNAMIC, _PROGRAM, _MIX = "dyn_topo.txt", "program.json", "mix_event_info.json"
_PIPES = "*_simulate.pipe.swim.json"
_PROFILES = ("tilefwk_L1_prof_data.json", "*_simulate.swim.json")
_STATIC = ("topo.json", "*_simulate.topo.json")
_AICPU = ("machine_trace_perf_data*.json", "aicpu_dev_pref.json")
_AICPU_TRACES = "machine_runtime_operator_trace*.json"
#: Files of the simpler runtime, which also writes a merged_swimlane.json; the newer first.
_SIMPLER = (
    "chip_swimlane_records*.json",
    "l2_swimlane_records*.json",
    "l2_perf_records*.json",
    "perf_swimlane_*.json",
)
#: What that runtime writes beside them.
DEPS, NAME_MAP = "deps.json", "name_map*.json"

#: Each of these holds a run.
RUN_FILES = (_MERGED, *_PROFILES, *_SIMPLER, *_AICPU, _AICPU_TRACES)
#: What is read along with one of them.
BESIDE = (
    *(_DYNAMIC, *_STATIC, _PROGRAM, _MIX, _PIPES, _LOG),
    *(*_AICPU, _AICPU_TRACES, DEPS, NAME_MAP),
)

_DIGITS = re.compile(r"\d+")


@dataclass(slots=True)
class Files:
    """The files of one run; each is looked for plain and gzipped.

    name:    the run's name
    simpler: the records of a run of the simpler runtime
    log:     what PyPTO's script printed of the merged file
    """

    name: str
    profile: Path | None = None
    dynamic: Path | None = None
    static: list[Path] = field(default_factory=list)
    program: Path | None = None
    mix: Path | None = None
    pipes: Path | None = None
    aicpu: list[Path] = field(default_factory=list)
    aicpu_traces: list[Path] = field(default_factory=list)
    merged: Path | None = None
    simpler: Path | None = None
    log: Path | None = None

    @property
    def has_run(self) -> bool:
        """Whether there is anything to read a run from."""
        return bool(self.simpler or self.profile or self.merged or self.aicpu or self.aicpu_traces)


@dataclass(frozen=True, slots=True)
class Choice:
    """The files to read, and the names of the runs that were passed over."""

    files: Files
    others: list[str]


def choose(folder: Path, run: str | None) -> Choice | None:
    """Finds the run that a folder means: its own, else the newest of its output folders.

    Args:
        folder: an output folder, or the folder that holds some.
        run: the name of one of them.

    Returns:
        None where no run of PyPTO lies there.

    Raises:
        InputError: there is no run of that name.
    """
    inner = sorted((one for one in folder.iterdir() if one.is_dir()), key=_age)
    if run is not None:
        return Choice(_named(folder, inner, run), [])
    own = files_of(folder)
    if own.has_run:
        return Choice(own, [])
    found = [files for one in inner if (files := files_of(one)).has_run]
    if not found:
        return None
    return Choice(found[-1], [files.name for files in found[:-1]])


def _named(folder: Path, inner: list[Path], run: str) -> Files:
    names = [one.name for one in inner]
    for one in inner:
        if one.name in (run, f"output_{run}"):
            files = files_of(one)
            if files.has_run:
                return files
    if not names:
        raise InputError(folder, "holds no folder to choose a run from", "leave out --run")
    shown = ", ".join(names[-4:])
    raise InputError(folder, f"holds no run {run!r}", f"--run takes one of its folders: {shown}")


def files_of(folder: Path) -> Files:
    """The files of a folder; the simulator's sub-folder counts as part of it."""
    places = [folder]
    if (folder / SIMULATOR_FOLDER).is_dir():
        places.append(folder / SIMULATOR_FOLDER)
    elif folder.name == SIMULATOR_FOLDER:
        places.append(folder.parent)

    def one(*patterns: str) -> Path | None:
        return next((path for place in places for path in find(place, *patterns)), None)

    def several(*patterns: str) -> list[Path]:
        return next((found for place in places if (found := list(find(place, *patterns)))), [])

    return Files(
        name=folder_name(folder),
        profile=next(filter(None, map(one, _PROFILES)), None),
        dynamic=one(_DYNAMIC),
        static=next(filter(None, map(several, _STATIC)), []),
        program=one(_PROGRAM),
        mix=one(_MIX),
        pipes=one(_PIPES),
        aicpu=sorted(next(filter(None, map(several, _AICPU)), []), key=_round),
        aicpu_traces=sorted(several(_AICPU_TRACES), key=_round),
        merged=one(_MERGED),
        simpler=one(*_SIMPLER),
        log=one(_LOG),
    )


def beside(file: Path) -> Files:
    """A raw profile named by itself, with what lies beside it but without the merged file."""
    files = files_of(file.absolute().parent)
    files.profile, files.merged = file, None
    return files


def opened(file: Path, name: str) -> Opened:
    """A file of a run."""
    return Opened(str(file), name, file)


def find(place: Path, *patterns: str) -> Iterator[Path]:
    """The files of a folder with such names, plain ones before packed ones."""
    for pattern in patterns:
        for ending in ("", ".gz"):
            yield from sorted(path for path in place.glob(pattern + ending) if path.is_file())


def _round(path: Path) -> int:
    match = _ROUND.search(path.name)
    return int(match[1]) if match else -1


def _age(folder: Path) -> tuple[list[int], str]:
    """Sorts output folders by the timestamp in their names."""
    return [int(digits) for digits in _DIGITS.findall(folder.name)], folder.name
