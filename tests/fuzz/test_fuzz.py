"""Tens of thousands of damaged files: each gives a sound run, or one line that says why not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from tests.fuzz.seeds import seeds
from tests.fuzz.worker import measure_mutants, read_mutants

#: How often each input is damaged.
MUTANTS = {
    "merged-ffn": 2000,
    "merged-ffn_device": 2000,
    "merged-ffn_device_aicpu": 2000,
    "simpler-records": 2500,
    "simpler-merged": 2500,
    "simpler-objects": 2000,
    "simpler-deps": 1000,
    "simpler-names": 500,
    "raw-profile": 1500,
    "raw-topology": 1000,
    "raw-program": 500,
    "raw-stamps": 750,
    "raw-pipes": 500,
    "raw-and-merged": 1000,
    "merged-and-raw": 500,
    "aicpu-stamps": 1000,
    "aicpu-trace": 1000,
}
#: How many of the runs that come out go through the whole SQL pack.
MEASURED = 20
CHUNK = 250


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    workers = min(os.cpu_count() or 1, 8)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as executor:
        yield executor


def test_there_are_enough() -> None:
    assert set(MUTANTS) == set(seeds())
    assert sum(MUTANTS.values()) >= 20_000


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants(name: str, pool: ProcessPoolExecutor) -> None:
    chunks = [range(first, first + CHUNK) for first in range(0, MUTANTS[name], CHUNK)]
    parts = list(pool.map(read_mutants, [name] * len(chunks), chunks))
    assert [failure for part in parts for failure in part.failures][:5] == []
    assert sum(len(part.runs) + part.refused for part in parts) == MUTANTS[name]
    assert sum(len(part.runs) for part in parts) > MUTANTS[name] // 20


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_in_the_trace_processor(name: str, pool: ProcessPoolExecutor) -> None:
    """A sample of those that can be read, as numbers of the SQL pack."""
    halves = [range(100), range(100, 200)]
    parts = list(pool.map(measure_mutants, [name] * 2, halves, [MEASURED // 2] * 2))
    assert [failure for part in parts for failure in part.failures][:5] == []
    assert sum(len(part.runs) for part in parts) == MEASURED
