"""Tens of thousands of damaged files: each gives a sound run, or one line that says why not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from fuzz.seeds import seeds
from fuzz.worker import Outcome, measure_mutants, read_mutants

#: Mutants of each input; the small companions get fewer.
MUTANTS = 3000
FEW = 1250
#: Runs of mutants of each input that go through the whole SQL pack.
MEASURED = 40

NAMES = list(seeds())


def count(name: str) -> int:
    return FEW if name in ("simpler-deps", "simpler-names") else MUTANTS


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    workers = min(os.cpu_count() or 1, 8)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as executor:
        yield executor


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    return {}


def test_there_are_enough() -> None:
    assert sum(map(count, NAMES)) >= 20_000


@pytest.mark.parametrize("name", NAMES)
def test_mutants(name: str, pool: ProcessPoolExecutor) -> None:
    chunks = [range(first, first + 250) for first in range(0, count(name), 250)]
    parts = list(pool.map(read_mutants, [name] * len(chunks), chunks))
    failures = [failure for part in parts for failure in part.failures]
    assert failures[:5] == []
    assert sum(len(part.runs) for part in parts) > 0
    assert sum(part.refused for part in parts) > 0


@pytest.mark.parametrize("name", NAMES)
def test_mutants_in_the_trace_processor(name: str, pool: ProcessPoolExecutor) -> None:
    """A sample of those that were read, as numbers of the SQL pack."""
    chunks = [range(4, 104), range(104, 204)]
    parts = pool.map(read_mutants, [name] * 2, chunks)
    jobs = [part.runs[: MEASURED // 2] for part in parts]
    failures = [one for part in pool.map(measure_mutants, [name] * 2, jobs) for one in part]
    assert failures[:5] == []
