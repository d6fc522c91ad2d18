"""Large runs on two cores: what a copy of the process finds is what one process would find."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks.generate import make, write_merged
from tests.one_thread import printed

TOOL = str(Path(sys.executable).with_name("pypto-perfetto"))

needs_two_cores = pytest.mark.xfail(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2,
    reason="there is one core",
)


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Path:
    """A run of 10,000 tasks: from there on a copy pays."""
    file = tmp_path_factory.mktemp("large") / "merged_swimlane.json"
    write_merged(make(10_000), file)
    return file


def output(code: str, run: Path) -> str:
    """What code prints of a run."""
    return printed(f"run = {str(run)!r}\n{code}")


def tool(*args: object, cores: int) -> bytes:
    """What the command line prints where it may use so many cores."""
    allowed = ",".join(map(str, sorted(os.sched_getaffinity(0))[:cores]))
    command = ["taskset", "--cpu-list", allowed, TOOL, *map(str, args)]
    return subprocess.run(command, capture_output=True, check=True).stdout


def test_metrics_are_those_of_one_core(large):
    args = "metrics", large, "--format", "json"
    assert tool(*args, cores=2) == tool(*args, cores=1)


def test_a_converted_trace_is_that_of_one_core(large):
    args = "convert", large, "-o", "-"
    trace = tool(*args, cores=2)
    assert len(trace) > 1_000_000
    assert trace == tool(*args, cores=1)


def test_a_converted_trace_gives_the_same_metrics(large, tmp_path):
    file = tmp_path / "large.pftrace"
    tool("convert", large, "-o", file, cores=2)
    stored, read = (
        json.loads(tool("metrics", path, "--format", "json", cores=2))["metrics"]
        for path in (file, large)
    )
    assert stored == read != []


ENGINE = """
from perfetto_pypto.engine import open_trace, query_columns
from perfetto_pypto.errors import QueryError
tp = open_trace(None)
query_columns(tp, "CREATE PERFETTO TABLE seven AS SELECT 7 AS n")
"""


@needs_two_cores
def test_a_copy_has_an_engine_of_its_own(large):
    code = f"""{ENGINE}
here = os.getpid()
copy = Forked(lambda: (os.getpid() != here, query_columns(
    tp, "CREATE PERFETTO TABLE eight AS SELECT n + 1 AS n FROM seven; SELECT n FROM eight"
)["n"].tolist()))
print(query_columns(tp, "SELECT n FROM seven")["n"].tolist(), *copy.result())
try: query_columns(tp, "SELECT n FROM eight")
except QueryError as error: print(str(error).splitlines()[0])
"""
    assert output(code, large).splitlines() == ["[7] True [8]", "no such table: eight"]


MEASURE = """
import perfetto_pypto
from perfetto_pypto.metrics import two_cores
from perfetto_pypto.report.json import dumps, to_json
here, asked, query = os.getpid(), [], two_cores.query_columns
def counted(tp, sql):
    asked.append(sql)
    return query(tp, sql)
two_cores.query_columns = counted
def measure(): return dumps(to_json(perfetto_pypto.compute_metrics(run)))
"""


@needs_two_cores
def test_the_slowest_module_runs_in_the_copy(large):
    code = f"""{MEASURE}
measure()
print([sql.split("(")[0] for sql in asked if sql.startswith("CREATE")])
"""
    assert "CREATE PERFETTO TABLE _pypto_engine_slot AS WITH given" in output(code, large)


CYCLE = "AIC_1: a 0-10, b 10-20\nAIV_1: c 5-9\na -> b\nb -> c\nc -> b"


@needs_two_cores
def test_small_runs_would_give_the_same(large):
    """Also a cycle, one task, cores without any."""
    code = f"""{MEASURE}
from tests.drawing import swimlane
from tests.paths import sample_runs
from perfetto_pypto.errors import InputError
runs = [swimlane({CYCLE!r}), swimlane("AIC_1: a 0-1"), swimlane("AIC_1: a 0-1\\nAIC_2:")]
for path in sample_runs():
    try: runs.append(perfetto_pypto.read(path))
    except InputError: pass
for run in runs:
    two_cores.MANY_TASKS = 10**9
    whole = measure()
    two_cores.MANY_TASKS = 0
    assert measure() == whole, run.name
print(len(runs), len([sql for sql in asked if sql.startswith("CREATE")]))
"""
    runs, tables = map(int, output(code, large).split())
    assert tables == 4 * runs > 30


@needs_two_cores
def test_a_copy_that_dies_changes_nothing(large):
    code = f"""{MEASURE}
whole = measure()
def deadly(tp, sql):
    return query(tp, sql) if os.getpid() == here else os.kill(os.getpid(), 9)
two_cores.query_columns = deadly
print(measure() == whole)
"""
    assert output(code, large) == "True"
