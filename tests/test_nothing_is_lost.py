"""What Perfetto loses of a swimlane opened as it is, and what is there through us."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import perfetto_pypto as pp
from perfetto_pypto.engine import query_columns
from perfetto_pypto.engine.choice import choose
from perfetto_pypto.engine.opening import start
from tests.paths import MORE_RUNS, TRACES

#: Run -> (tasks, dependencies) that Perfetto's JSON importer drops.
LOST = {TRACES / "softmax_stitch8": (8, 64), TRACES / "flash_stitch1": (0, 0)}
if MORE_RUNS.is_dir():
    LOST[MORE_RUNS / "softmax_st4"] = (23, 32)


def count(tp, sql):
    return int(query_columns(tp, sql)["n"][0])


@pytest.mark.parametrize("folder", LOST, ids=lambda folder: folder.name)
def test_tasks_and_dependencies(folder: Path):
    raw = gzip.decompress((folder / "merged_swimlane.json.gz").read_bytes())
    events = json.loads(raw)["traceEvents"]
    tasks = sum(event["ph"] == "X" for event in events)
    flows = sum(event["ph"] == "s" for event in events)

    with start(choose(None), {}, None) as as_it_is:
        as_it_is.http.parse(raw)
        as_it_is.http.notify_eof()
        lost = (
            tasks - count(as_it_is, "SELECT count() AS n FROM slice"),
            flows - count(as_it_is, "SELECT count() AS n FROM flow"),
        )
    assert lost == LOST[folder]

    run = pp.read(folder / "merged_swimlane.json.gz")
    with pp.open_trace(run) as ours:
        assert count(ours, "SELECT count() AS n FROM slice WHERE category != 'run'") == tasks
        query_columns(ours, "INCLUDE PERFETTO MODULE pypto.dependency")
        duplicates = sum(f.count for f in run.findings if f.code == "duplicate-dependency")
        assert count(ours, "SELECT count() AS n FROM pypto_dependency") + duplicates == flows
