"""A run that is loaded for the SQL pack alone has columns instead of slices: the same tables."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import perfetto_pypto as pp
from perfetto_pypto.engine import query_columns
from perfetto_pypto.metrics import stock
from perfetto_pypto.opening import open_run
from perfetto_pypto.swimlane.model import Strings
from tests.drawing import swimlane
from tests.paths import run_name, sample_folders

RUN = """
    AIC_1: a 0-10
    HUB_5: hub 10-10
    AIV_1: b 12-20@3
    a -> hub -> b
    """

TABLES = {
    found.name: found
    for found in stock().objects.values()
    if found.is_public and found.kind in ("TABLE", "VIEW")
}
#: All but the one in which nothing was executed.
RUNS = [folder for folder in sample_folders() if folder.name != "edge_empty_prof"]


def bare(run):
    return open_run(run, cores=None, small_task_ns=None, engine=None, bare=True)


def table(tp, name):
    """A public table, but for the numbers of slices, which differ where some are missing."""
    found = TABLES[name]
    names = ", ".join(column.name for column in found.columns if column.name != "slice_id")
    sql = f"INCLUDE PERFETTO MODULE {found.module}; SELECT {names} FROM {name}"
    return {key: np.asarray(cells).tolist() for key, cells in query_columns(tp, sql).items()}


def test_one_slice_has_all_columns():
    sql = """
        SELECT a.key, a.string_value FROM slice AS s JOIN args AS a USING (arg_set_id)
        WHERE s.category = 'columns' ORDER BY a.id
    """
    with bare(swimlane(RUN)) as tp:
        found = query_columns(tp, sql)
        nodes = query_columns(tp, "SELECT count() AS n FROM slice WHERE category = 'task'")
    assert nodes["n"].tolist() == [0]
    columns = zip(found["key"], map(json.loads, found["string_value"]), strict=True)
    assert dict(columns) == {
        "debug.start": [0, 10, 12],
        "debug.end": [10, 10, 20],
        "debug.seq": [0, 0, 3],
        "debug.func": [0, 0, 0],
        "debug.op": [0, 1, 2],
        "debug.trait": [0, 1, 2],
        "debug.traits": [
            ["task", "AIC_1", "a", "a", "a"],
            ["hub", "HUB_5", "hub", "hub", "hub"],
            ["task", "AIV_1", "b", "b", "b"],
        ],
        "debug.edges": [1 << 32 | 0, 2 << 32 | 1],
    }


def test_times_that_were_not_recorded_are_null():
    run = swimlane("AIC_1: a 0-10, b 12-20")
    run = replace(run, tasks=replace(run.tasks, dispatch=np.array([-1, 11])))
    with bare(run) as tp:
        assert table(tp, "pypto_task")["dispatch_ts"] == [None, 11]


def test_odd_texts_come_through():
    run = swimlane("AIC_1: a 0-10, b 12-20")
    labels = Strings.of(['"\\ 冰\x07', "cut\x00off"])
    run = replace(run, tasks=replace(run.tasks, label=labels, leaf_hash=labels))
    with bare(run) as tp, pp.open_trace(run) as whole:
        assert table(tp, "pypto_task")["label"] == ['"\\ 冰\x07', "cut\ufffdoff"]
        assert table(tp, "pypto_task") == table(whole, "pypto_task")


@pytest.mark.parametrize("run", RUNS, ids=run_name)
def test_the_tables_are_those_of_slices(run):
    run = pp.read(run)
    with bare(run) as tp, pp.open_trace(run) as whole:
        assert table(whole, "pypto_task")["id"]
        for name in TABLES:
            assert table(tp, name) == table(whole, name), name
