"""Reads damaged files in a process of its own, under limits, and says what is wrong with that."""

from __future__ import annotations

import resource
import signal
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import perfetto_pypto
from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.swimlane import Swimlane, read
from tests.fuzz.identities import broken
from tests.fuzz.mutations import mutate_bytes, mutate_gzip, mutate_json, mutate_lines
from tests.fuzz.seeds import Seed, seeds

#: A read of such small files takes milliseconds; this is for a busy machine.
SECONDS = 20
#: What a reader may take beside ten times its file.
SPARE_BYTES = 256 << 20
LONGEST_ERROR = 700
#: Files in memory, where there are such: a disk takes longer than the read.
MEMORY = Path("/dev/shm")


class Hang(BaseException):
    """A read took too long; no ``except Exception`` swallows it."""


@dataclass
class Outcome:
    """What came of mutants: runs, refusals, and failures as ``number: what is wrong``."""

    runs: list[int] = field(default_factory=list)
    refused: int = 0
    failures: list[str] = field(default_factory=list)


def mutant(seed: Seed, name: str, number: int) -> bytes:
    """The damaged target file: the same on every machine."""
    random = Random(f"{name}/{number}")
    data = seed.files[seed.target]
    if not seed.target.endswith(".json"):
        return (mutate_lines if number % 10 > 2 else mutate_bytes)(random, data)
    if number % 10 > 3:
        return mutate_json(random, data)
    return (mutate_gzip if number % 10 == 3 else mutate_bytes)(random, data)


def read_mutants(name: str, numbers: range) -> Outcome:
    """Reads mutants and checks what comes out."""
    outcome = Outcome()
    with _folder(seeds()[name]) as folder:
        for number in numbers:
            data = mutant(seeds()[name], name, number)
            try:
                with _limits(len(data)):
                    run = _read(folder, name, data)
                    faults = broken(run)
            except PyptoPerfettoError as error:
                outcome.refused += 1
                text = str(error)
                faults = ["several lines"] if len(text.splitlines()) != 1 else []
                faults += ["a long error"] if len(text) > LONGEST_ERROR else []
                faults += ["no remedy"] if "; " not in text else []
                faults += ["memory"] if "fit into memory" in text else []
                faults = [f"{fault}: {text[:200]!r}" for fault in faults]
            except (Exception, Hang):  # noqa: BLE001 (whatever it is, it is a find)
                faults = [traceback.format_exc(limit=-4)]
            else:
                outcome.runs.append(number)
            outcome.failures += [f"{name}/{number}: {fault}" for fault in faults]
    return outcome


def measure_mutants(name: str, numbers: range, limit: int) -> Outcome:
    """Puts the first mutants that can be read through the whole SQL pack, and checks its values."""
    from tests.fuzz.values import broken_values

    outcome = Outcome()
    with _folder(seeds()[name]) as folder:
        for number in numbers:
            if len(outcome.runs) == limit:
                break
            try:
                run = _read(folder, name, mutant(seeds()[name], name, number))
            except PyptoPerfettoError:
                outcome.refused += 1
                continue
            outcome.runs.append(number)
            try:
                faults = broken_values(perfetto_pypto.compute_metrics(run))
                if len(outcome.runs) % 4 == 0:  # writes, reads back and compares the whole trace
                    perfetto_pypto.convert(run, folder / "whole.pftrace")
            except Exception:  # noqa: BLE001 (whatever it is, it is a find)
                faults = [traceback.format_exc(limit=-4)]
            outcome.failures += [f"{name}/{number}: {fault}" for fault in faults]
    return outcome


def _read(folder: Path, name: str, data: bytes) -> Swimlane:
    seed = seeds()[name]
    (folder / seed.target).write_bytes(data)
    return read(folder / seed.opened)


@contextmanager
def _folder(seed: Seed) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as name:
        for file, data in seed.files.items():
            (Path(name) / file).write_bytes(data)
        yield Path(name)


@contextmanager
def _limits(size: int) -> Iterator[None]:
    """Limits time and memory; warnings (numpy's overflows among them) are errors."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + 10 * size + SPARE_BYTES, before[1]))
    signal.signal(signal.SIGALRM, _raise)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)


def _raise(*_: object) -> None:
    raise Hang(f"more than {SECONDS} s")
