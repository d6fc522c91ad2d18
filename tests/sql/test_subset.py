"""`--metrics`: the engine runs the modules behind what is asked for, and no others."""

from __future__ import annotations

import pytest

import perfetto_pypto as pp
from perfetto_pypto.engine import query_columns
from perfetto_pypto.metrics import compute, stock
from tests.drawing import swimlane

RUN = "AIC_1: a 0-10, b 15-20\nAIV_1: c 10-15\na -> c -> b"

#: A table that only the module computes.
TABLE_OF = {
    "core": "pypto_core_stats",
    "critical_path": "pypto_critical_path",
    "efficiency": "pypto_zero_gap",
    "engine": "pypto_engine_stats",
    "graham": "pypto_graham",
    "log": "pypto_log_core",
    "stitch": "pypto_stitch_stats",
    "subgraph": "pypto_subgraph_stats",
}


@pytest.mark.parametrize(
    ("bundle", "modules"),
    [
        ("pypto_core", {"core", "log"}),
        ("pypto_run", {"core", "critical_path", "efficiency"}),
        ("pypto_stitch", {"core", "stitch"}),
        ("pypto_engine", {"core", "efficiency", "engine", "log"}),
        ("pypto_subgraph", {"core", "critical_path", "subgraph"}),
    ],
)
def test_only_what_is_asked_for_is_computed(bundle, modules):
    catalog = stock()
    with pp.open_trace(swimlane(RUN)) as tp:
        asked = compute(tp, catalog, catalog.select([bundle]))
        everything = query_columns(tp, "SELECT name FROM sqlite_master")["name"]
    assert {metric.bundle for metric in asked.metrics} == {bundle}
    assert {module for module, table in TABLE_OF.items() if table in everything} == modules
