"""Each run of ``traces/``, from each of its files, gives the same values on every engine."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import perfetto_pypto as pp
from perfetto_pypto.engine import query_columns
from perfetto_pypto.metrics import compute, stock
from tests.engine.traces import ENGINES
from tests.paths import TRACES

#: Files that are a run by themselves, and those that only say more of one: its folder is read.
ALONE = {
    "merged_swimlane.json.gz",
    "_simulate.swim.json.gz",
    "tilefwk_L1_prof_data.json.gz",
    "machine_trace_perf_data_0.json.gz",
    "machine_runtime_operator_trace_0.json.gz",
}
BESIDE = {
    "dyn_topo.txt.gz",
    "program.json.gz",
    "_simulate.pipe.swim.json.gz",
    "bubble_analysis.log",
}
FOLDERS = sorted(path for path in TRACES.iterdir() if (path / "merged_swimlane.json.gz").exists())
FILES = sorted(file for folder in FOLDERS for file in folder.iterdir())
RUNS = FOLDERS + [file for file in FILES if file.name in ALONE]
TABLES = {
    found.name: found.module
    for found in stock().objects.values()
    if found.is_public and found.kind in ("TABLE", "VIEW")
}


def name(run: Path) -> str:
    return str(run.relative_to(TRACES))


def values(run: Path, engine: str) -> dict[str, Any]:
    """All metrics and findings of the pack, and all rows of its public tables."""
    with pp.open_trace(run, engine=engine) as tp:
        result = compute(tp)
        found: dict[str, Any] = {"metrics": result.metrics, "findings": result.findings}
        for table, module in TABLES.items():
            columns = query_columns(tp, f"INCLUDE PERFETTO MODULE {module}; SELECT * FROM {table}")
            found[table] = {key: np.asarray(cells).tolist() for key, cells in columns.items()}
    return found


@cache
def embedded(run: Path) -> dict[str, Any]:
    return values(run, "embedded")


def test_no_file_is_left_out():
    assert {file.name for file in FILES} == ALONE | BESIDE


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("run", RUNS, ids=name)
def test_the_pack_gives_the_same_values(run, engine):
    first, again = embedded(run), values(run, engine)
    assert first["metrics"]
    for what, expected in first.items():
        assert again[what] == expected, what
