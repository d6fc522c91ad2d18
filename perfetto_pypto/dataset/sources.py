"""What the inputs mean: files, folders, globs and URLs become a list of runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

from perfetto_pypto.swimlane.folder import RUN_FILES
from perfetto_pypto.swimlane.opening import SIMULATOR_FOLDER

#: In a folder that is no run, each of these is one.
_LOOSE_FILES = ("*swimlane*.json", "*.pftrace")
_FILE_ENDINGS = (".json", ".json.gz", ".pftrace", ".pftrace.gz")
_MAGIC = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Source:
    """One run, or an input that is none.

    path:    absolute, or a URL
    problem: why there is no run; '' where there may be one
    """

    path: str
    problem: str = ""

    @property
    def is_remote(self) -> bool:
        """Whether ``path`` is a URL."""
        return "://" in self.path


def expand(inputs: Iterable[str]) -> list[Source]:
    """Finds the runs that the inputs mean, each once, in order.

    Args:
        inputs: a file; a folder, which stands for every run below it; a glob of these (``**``
            for any depth); a URL of these, where fsspec has a driver.

    Returns:
        The runs; an input that names none is there too, with the reason.
    """
    found: dict[str, Source] = {}
    for text in inputs:
        for source in _expand(text):
            found.setdefault(source.path, source)
    return list(found.values())


def _expand(text: str) -> Iterator[Source]:
    try:
        fs, root = fsspec.core.url_to_fs(text)
        places = [root] if fs.exists(root) else []
        if not places and _MAGIC & set(root):
            places = sorted(fs.glob(root))
        if not places:
            yield Source(text, f"{text}: no such file or folder; check the path")
        for place in places:
            yield from _at(fs, place, text)
    except Exception as error:  # noqa: BLE001 - each driver has errors of its own
        reason = " ".join(str(error).split()) or type(error).__name__
        yield Source(text, f"{text}: can't be listed ({reason}); check the address and its driver")


def _at(fs: Any, place: str, text: str) -> Iterator[Source]:
    if not is_folder(fs, place):
        yield Source(_address(fs, place, text))
        return
    files = [str(file).rpartition("/") for file in sorted(fs.find(place))]
    runs = {
        folder.removesuffix(f"/{SIMULATOR_FOLDER}")
        for folder, _, name in files
        if is_like(name, RUN_FILES)
    }
    loose = {
        f"{folder}/{name}"
        for folder, _, name in files
        if is_like(name, _LOOSE_FILES) and folder.removesuffix(f"/{SIMULATOR_FOLDER}") not in runs
    }
    for path in sorted(runs | loose):
        yield Source(_address(fs, path, text))
    if not files or not runs | loose:
        shown = _address(fs, place, text)
        yield Source(shown, f"{shown}: holds no run; pass output_* folders or what holds some")


def is_folder(fs: Any, place: str) -> bool:
    """Whether a path of a file system is a folder; to http, every address is a file, too."""
    return not place.endswith(_FILE_ENDINGS) and bool(fs.isdir(place))


def is_like(name: str, patterns: tuple[str, ...]) -> bool:
    """Whether a file's name, without ``.gz``, is like one of the patterns."""
    plain = name.removesuffix(".gz")
    return any(fnmatch(plain, pattern) for pattern in patterns)


def _address(fs: Any, path: str, text: str) -> str:
    """The path of a file system as an input of its own, where ``text`` led into that system."""
    if "::" in text and "://" in text:  # zip://runs/a::s3://bucket/night.zip
        links = text.split("::")
        first = next(place for place, link in enumerate(links) if "://" in link)
        protocol = links[first].partition("://")[0]
        links[first] = path if "://" in path else f"{protocol}://{path}"
        if "://" not in links[-1]:
            links[-1] = str(Path(links[-1]).absolute())
        return "::".join(links)
    return path if isinstance(fs, LocalFileSystem) else str(fs.unstrip_protocol(path))
