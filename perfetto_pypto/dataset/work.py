"""What a worker does for one run; it may be a process here or a machine elsewhere."""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import fsspec

from perfetto_pypto.api import compute_metrics, read
from perfetto_pypto.dataset.index import Entry
from perfetto_pypto.dataset.sources import Source, is_folder, is_like
from perfetto_pypto.dataset.table import to_parquet
from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.swimlane.folder import BESIDE
from perfetto_pypto.swimlane.opening import SIMULATOR_FOLDER

#: Files of a run's folder that may change its numbers.
_PARTS = ("*.json", "*.json.gz", "dyn_topo.txt", "dyn_topo.txt.gz", "bubble_analysis.log")
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Work:
    """How each run is measured.

    options: those that change numbers, as text
    done:    runs that are already there with this version and these options
    """

    cores: dict[str, int] | None
    clock_mhz: int | None
    small_task_ns: int | None
    engine: str | None
    version: str
    options: str
    done: frozenset[str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a run: its Parquet file, or nothing where it failed or was there already."""

    entry: Entry
    parquet: bytes = b""
    was_there: bool = False


def measure(work: Work, source: Source) -> Outcome:
    """Reads a run and computes its metrics; whatever is wrong with it becomes its outcome."""
    start = time.perf_counter()
    content = run = ""
    try:
        if source.problem:
            return failure(source, source.problem)
        with _fetched(source) as path:
            content = _digest(path)
            run = hashlib.sha256(f"{source.path}\n{content}".encode()).hexdigest()[:16]
            if run in work.done:
                return Outcome(Entry(path=source.path, status="done", run=run), was_there=True)
            settled = work.clock_mhz is None
            metrics = compute_metrics(
                path if settled else read(path, cores=work.cores, clock_mhz=work.clock_mhz),
                cores=work.cores,
                small_task_ns=work.small_task_ns,
                engine=work.engine,
            )
        entry = Entry(
            path=source.path,
            status="done",
            run=run,
            content=content,
            name=metrics.input.name,
            seconds=round(time.perf_counter() - start, 3),
            findings={finding.code: finding.count for finding in metrics.findings},
            version=work.version,
            options=work.options,
        )
        return Outcome(entry, to_parquet(entry, metrics))
    except PyptoPerfettoError as error:
        problem = str(error)
    except Exception as error:  # noqa: BLE001 - one run must not stop the rest
        problem = f"{source.path}: {type(error).__name__}: {' '.join(str(error).split())}"
    return failure(source, problem, run, content, round(time.perf_counter() - start, 3))


def failure(
    source: Source, problem: str, run: str = "", content: str = "", seconds: float = 0.0
) -> Outcome:
    """The outcome of a run that can't be measured."""
    entry = Entry(
        path=source.path,
        status="failed",
        run=run,
        content=content,
        error=problem,
        seconds=seconds,
    )
    return Outcome(entry)


@contextmanager
def _fetched(source: Source) -> Iterator[Path]:
    """The run's file or folder on this machine."""
    if not source.is_remote:
        yield Path(source.path)
        return
    fs, root = fsspec.core.url_to_fs(source.path)
    with tempfile.TemporaryDirectory(prefix="pypto-perfetto-") as folder:
        # Its own name and its folders' stay: runs are named by them.
        above = "/".join(root.split("/")[:-3])
        top = Path(folder, "swimlane")  # the name where there is no folder, as at an archive's top

        def here(place: str) -> Path:
            return top / place.removeprefix(above).lstrip("/")

        copy = here(root)
        files = _remote_parts(fs, root) if is_folder(fs, root) else [root, *_beside(fs, root)]
        try:
            for file in files:
                here(file).parent.mkdir(parents=True, exist_ok=True)
                fs.get_file(file, str(here(file)))
            yield copy
        except PyptoPerfettoError as error:
            raise PyptoPerfettoError(str(error).replace(str(copy), source.path)) from error


def _remote_parts(fs: fsspec.AbstractFileSystem, root: str) -> list[str]:
    files = map(str, fs.find(root, maxdepth=2))
    return [file for file in files if _is_part(Path(file.removeprefix(f"{root}/")))]


def _beside(fs: fsspec.AbstractFileSystem, file: str) -> list[str]:
    """What is read along with a file; nothing where no folder is listed (http)."""
    folder = file.rpartition("/")[0]
    outer, _, last = folder.rpartition("/")
    found: list[str] = []
    for place in (folder, outer if last == SIMULATOR_FOLDER else f"{folder}/{SIMULATOR_FOLDER}"):
        with suppress(Exception):  # each driver has errors of its own
            found += map(str, fs.ls(place, detail=False))
    return [one for one in found if one != file and is_like(one.rpartition("/")[2], BESIDE)]


def _is_part(file: Path) -> bool:
    inside = file.parent.name in ("", SIMULATOR_FOLDER)
    return inside and any(file.match(pattern) for pattern in _PARTS)


def _digest(path: Path) -> str:
    """Hash of a file, or of the files of a folder with their names."""
    files = [path]
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if _is_part(file.relative_to(path)))
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.relative_to(path)}\n{file.stat().st_size}\n".encode())
        with file.open("rb") as stream:
            while piece := stream.read(_PIECE):
                digest.update(piece)
    return digest.hexdigest()[:16]
