"""What each metric is: from the specs and the comments in the SQL, and nowhere else."""

from __future__ import annotations

import io
import json

import pytest

from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.metrics import load
from perfetto_pypto.report.listing import list_json, list_markdown, write_list
from tests.paths import ROOT

CATALOG = load()
INFOS = list(CATALOG.metrics.values())


def test_a_line_per_metric():
    file = io.StringIO()
    write_list(INFOS, file)
    head, first, *_ = lines = file.getvalue().splitlines()
    assert head.split() == ["metric", "unit", "better", "source", "formula"]
    assert first.split(maxsplit=4) == [
        "pypto_run_makespan",
        "ns",
        "lower",
        "pypto_run_stats.makespan",
        'From the first start to the last end of a task ("AICore End-to-End Time").',
    ]
    assert len(lines) == 1 + len(INFOS)


def test_json_has_the_same_fields_for_tools():
    listed = {info["id"]: info for info in json.loads(list_json(INFOS))}
    assert listed["pypto_engine_utilization"] == {
        "id": "pypto_engine_utilization",
        "bundle": "pypto_engine",
        "column": "utilization",
        "dimensions": ["engine"],
        "unit": "ratio",
        "polarity": "HIGHER_IS_BETTER",
        "formula": "busy / (core_count * makespan), 0..1.",
        "source": "pypto_engine_stats.utilization",
    }


def test_a_view_without_columns_is_looked_through():
    assert CATALOG.metrics["pypto_core_busy"].source == "pypto_core_stats.busy"
    assert CATALOG.metrics["pypto_core_log_total_wait"].source == "pypto_log_core.total_wait"


@pytest.mark.parametrize("info", INFOS, ids=lambda info: info.id)
def test_every_metric_has_a_formula_a_source_a_unit_and_a_polarity(info):
    table, column = info.source.split(".")
    declared = CATALOG.objects[table]
    assert declared.is_public
    assert column in {one.name for one in declared.columns}
    assert info.formula.endswith((".", "!"))
    assert "UNSPECIFIED" not in info.unit + info.polarity


def test_every_bundle_says_what_it_is():
    assert [name for name, about in CATALOG.bundles.items() if not about] == []


def test_selection_by_id_bundle_and_glob():
    assert CATALOG.select(["pypto_observed_path", "pypto_run_make*"]) == [
        "pypto_run_makespan",
        "pypto_observed_path_time",
        "pypto_observed_path_step_count",
    ]
    with pytest.raises(PyptoPerfettoError, match=r"'pypto_engin' is no metric .* pypto_engine,"):
        CATALOG.select(["pypto_engin"])
    with pytest.raises(PyptoPerfettoError, match="see `pypto-perfetto metrics --list`"):
        CATALOG.select(["xyz"])


def test_the_page_is_up_to_date():
    page = (ROOT / "sql_metrics" / "README.md").read_text(encoding="utf-8")
    assert page == list_markdown(CATALOG, INFOS), "run `make docs`"
