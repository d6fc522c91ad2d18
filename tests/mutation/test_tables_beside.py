"""The same for the modules whose tables no random run fills: pipes, dispatch times, the bound."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from perfetto_pypto.engine import open_trace, query_columns
from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.predict import predict
from perfetto_pypto.sql import PACKAGE, package_dir, read_objects
from perfetto_pypto.swimlane.model import PipeSpans, Strings
from perfetto_pypto.trace import flows
from perfetto_pypto.trace.facts import write_facts
from perfetto_pypto.trace.writer import chunks_of
from tests.drawing import swimlane

#: (module, what it says, what is wrong).
MUTANTS = (
    ("run", "int_value > 0", "int_value > 1"),
    ("run", "instr(string_value, '_') + 1", "instr(string_value, '_') + 2"),
    ("run", "instr(string_value, '_') - 1", "instr(string_value, '_')"),
    ("pipe", "ts + dur AS end_ts", "ts AS end_ts"),
    ("pipe", "UNBOUNDED PRECEDING AND 1 PRECEDING", "UNBOUNDED PRECEDING AND CURRENT ROW"),
    ("pipe", "UNBOUNDED PRECEDING AND 1 PRECEDING", "1 PRECEDING AND 1 PRECEDING"),
    ("pipe", "PARTITION BY core, pipe", "PARTITION BY pipe"),
    ("pipe", "PARTITION BY core, pipe", "PARTITION BY core"),
    ("pipe", "c.engine = l.engine", "c.engine <> l.engine"),
    ("dispatch", "t.finish_ts - t.end_ts", "t.finish_ts - t.ts"),
    ("dispatch", "iif(is_first, 0, dispatched_late)", "dispatched_late"),
    ("dispatch", "iif(is_first, 0, started_late)", "started_late"),
    ("dispatch", "iif(is_first, dispatched_late, 0)", "dispatched_late"),
    ("dispatch", "iif(is_first, started_late, 0)", "started_late"),
    ("dispatch", "t.dispatch_ts IS NOT NULL", "t.finish_ts IS NOT NULL"),
    ("dispatch", "'all' AS engine", "engine AS engine"),
    ("graham", "CAST(dur AS DOUBLE) / core_count", "CAST(dur AS DOUBLE)"),
    ("graham", "(1 - 1.0 /", "(1 +"),
    ("graham", "max(core_count)", "min(core_count)"),
    ("graham", "s.dur > b.bound", "s.dur < b.bound"),
)
TABLES = {
    found.name: found.module
    for found in read_objects(PACKAGE, package_dir())
    if found.is_public and found.kind == "TABLE"
    if found.module.rpartition(".")[2] in {module for module, _, _ in MUTANTS}
}


def sample() -> list[bytes]:
    """Late dispatch on both engines, pipes that overlap on a core and across cores, a late run."""
    run = swimlane(
        """
        AIC_1: a 5-10, b 20-30
        AIC_2: c 15-18, d 40-50
        AIV_7: e 55-60, f 70-75
        a -> c
        a -> d -> e -> f
        """
    )
    pipes = (
        *((0, "MTE1", 0, 9), (0, "MTE1", 2, 3), (0, "MTE1", 4, 12), (0, "CUBE", 5, 14)),
        *((1, "MTE1", 1, 8), (2, "MTE1", 3, 6), (2, "VECTOR_ALU", 8, 9)),
    )
    core, pipe, start, end = zip(*pipes, strict=True)
    spans = PipeSpans(
        np.array(core, dtype=np.int32),
        Strings.of(pipe),
        np.array(start, dtype=np.int64),
        np.array(end, dtype=np.int64),
        Strings.of(pipe),
        Strings.of(pipe),
    )
    dispatch = np.array([2, 14, 5, 38, 52, -1], dtype=np.int64)
    finish = np.array([11, -1, 19, 50, 63, 77], dtype=np.int64)
    tasks = replace(run.tasks, dispatch=dispatch, finish=finish)
    run = replace(run, tasks=tasks, pipe_spans=spans)
    predictions = predict(run, 10_000)
    return list(
        chunks_of(write_facts(run, flows=flows.NONE, small_task_ns=10_000, predictions=predictions))
    )


def answers(chunks: list[bytes], package: Path) -> str:
    """The rows of all public tables of these modules; the pack's error if it breaks."""
    try:
        with open_trace(chunks, sql_packages={PACKAGE: package}) as tp:
            tables = [
                query_columns(tp, f"INCLUDE PERFETTO MODULE {module}; SELECT * FROM {table}")
                for table, module in TABLES.items()
            ]
            return repr(tables)
    except PyptoPerfettoError as error:
        return str(error)


@pytest.fixture(scope="module")
def truth() -> tuple[list[bytes], str]:
    chunks = sample()
    return chunks, answers(chunks, package_dir())


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant[0]}-{mutant[2]}")
def test_a_wrong_formula_is_noticed(tmp_path, truth, mutant):
    module, right, wrong = mutant
    package = tmp_path / "sql"
    shutil.copytree(package_dir(), package)
    file = package / f"{module}.sql"
    text = file.read_text(encoding="utf-8")
    assert right in text, f"{module}.sql changed: write this mutant anew"
    file.write_text(text.replace(right, wrong), encoding="utf-8")
    chunks, expected = truth
    assert answers(chunks, package) != expected
