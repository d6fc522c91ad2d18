"""A user's own SQL package and metric spec: the worked example of the README, and its traps."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import perfetto_pypto as pp
from perfetto_pypto.engine import open_trace
from perfetto_pypto.metrics import stock
from tests.cli.conftest import run
from tests.drawing import swimlane
from tests.paths import ROOT

__all__ = ["run"]

SPEC = Path(__file__).parent / "handover.textproto"
PACKAGES = {"my": Path(__file__).parent / "sql"}
OPTIONS = ("--spec", SPEC, "--sql-package", f"{PACKAGES['my']}@my")
TRACE = ROOT / "traces" / "ffn" / "merged_swimlane.json.gz"
SCHEMA = json.loads((ROOT / "perfetto_pypto" / "report" / "metrics.schema.json").read_text())

DRAWING = swimlane(
    """
    AIC_1: mul1 0-10, mul2 10-20
    AIV_1: add1 13-20, add2 25-30
    mul1 -> add1
    mul2 -> add2
    """
)
QUERY = "query { sql { sql: 'SELECT 7 AS n' column_names: 'n' } }"


def spec(folder: Path, text: str) -> Path:
    file = folder / "own.textproto"
    file.write_text(text)
    return file


def test_own_metrics_stand_beside_the_others():
    metrics = pp.compute_metrics(DRAWING, specs=[SPEC], sql_packages=PACKAGES)
    assert metrics.rows("my_handover") == [
        {"producer": "mul", "consumer": "add", "edge_count": 2, "mean_delay": 4}
    ]
    assert set(metrics.bundles) - set(stock().bundles) == {"my_handover"}


def test_a_single_metric_is_its_own_bundle(tmp_path):
    own = spec(tmp_path, f'metric_spec {{ id: "seven" value: "n" custom_unit: "cats" {QUERY} }}')
    (metric,) = pp.compute_metrics(DRAWING, metrics=["seven"], specs=[own]).metrics
    assert (metric.bundle, metric.value, metric.unit) == ("seven", 7, "cats")


def test_rows_may_repeat_their_dimensions(tmp_path):
    own = spec(
        tmp_path,
        """
        metric_template_spec {
          id_prefix: "own" dimensions: "core" value_columns: "dur" value_columns: "op"
          query { table { table_name: "pypto_task" } referenced_modules: "pypto.task" }
        }
        """,
    )
    metrics = pp.compute_metrics(DRAWING, metrics=["own"], specs=[own])
    assert metrics.rows("own") == [
        {"core": "AIC_1", "dur": 10, "op": 0},
        {"core": "AIC_1", "dur": 10, "op": 1},
        {"core": "AIV_1", "dur": 7, "op": 2},
        {"core": "AIV_1", "dur": 5, "op": 3},
    ]


@pytest.mark.parametrize("form", ["table", "json", "markdown", "textproto"])
def test_every_format_has_them(run, form):
    done = run("metrics", TRACE, *OPTIONS, "--format", form)
    assert done.returncode == 0, done.stderr
    assert "my_handover" in done.stdout.replace("\\", "")
    if form == "json":
        jsonschema.validate(json.loads(done.stdout), SCHEMA)


def test_csv_has_them(run, tmp_path):
    run("metrics", TRACE, *OPTIONS, "--format", "csv", "-o", tmp_path)
    head = (tmp_path / "my_handover.csv").read_text().splitlines()[0]
    assert head == "producer,consumer,edge_count,mean_delay"


def test_the_list_has_them(run):
    done = run("metrics", "--list", "--metrics", "my_*", *OPTIONS, "--format", "json")
    assert [(info["source"], info["formula"]) for info in json.loads(done.stdout)] == [
        ("my_handover.edge_count", "Dependencies."),
        ("my_handover.mean_delay", "Mean of the consumer's start minus the producer's end, ns."),
    ]


def test_perfetto_alone_gives_the_same_numbers(tmp_path):
    """The stock way: a trace, SQL packages and the text of the specs; nothing else of ours."""
    pp.convert(TRACE, tmp_path / "run.pftrace")
    ours = pp.compute_metrics(TRACE, specs=[SPEC], sql_packages=PACKAGES)
    texts = [file.read_text() for file in [*(ROOT / "sql_metrics").glob("*.textproto"), SPEC]]
    packages = {"pypto": ROOT / "sql_metrics", **PACKAGES}
    with open_trace(tmp_path / "run.pftrace", sql_packages=packages) as tp:
        summary = tp.trace_summary(texts, metadata_query_id="pypto_metadata")
    theirs = [
        (spec.id, cell.double_value if cell.HasField("double_value") else None)
        for bundle in summary.metric_bundles
        for row in bundle.row
        for spec, cell in zip(bundle.specs, row.values, strict=True)
    ]
    assert sorted(theirs, key=str) == sorted(
        ((metric.id, metric.value and float(metric.value)) for metric in ours.metrics), key=str
    )
    assert {entry.key: entry.value for entry in summary.metadata}["name"] == "ffn"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            'metric_spec {\n  id: "a"\n  foo: 3\n}',
            'line 3, column 3: Message type "perfetto.protos.TraceMetricV2Spec" has no field named '
            '"foo"; pass a TraceSummarySpec as textproto',
        ),
        (
            f'metric_spec {{ value: "n" {QUERY} }}',
            "a metric has no id; pass a TraceSummarySpec as textproto",
        ),
        (
            f'metric_spec {{ id: "pypto_run_makespan" value: "n" {QUERY} }}',
            "metric pypto_run_makespan exists already; choose another id",
        ),
        (
            f'metric_template_spec {{ id_prefix: "pypto_run" value_columns: "n" {QUERY} }}',
            "pypto_run exists already; choose another id",
        ),
        (
            'metric_spec { id: "a" value: "n" query { referenced_modules: "pypto.taks" } }',
            "no SQL module pypto.taks; see the files of the package",
        ),
        (
            'metric_spec { id: "a" value: "n" query { table { table_name: "t" } '
            'referenced_modules: "no.such" } }',
            "INCLUDE: Package 'no.such' not found; give its folder: --sql-package DIR@NAME",
        ),
        (
            f'metric_spec {{ id: "a" value: "m" {QUERY} }}',
            "Column 'm' not found in the query result for metric 'a'; "
            "correct the spec or the SQL behind it",
        ),
        (
            'metric_spec { id: "a" value: "n" query { table { table_name: "t" } } }',
            "Error while executing query for metric bundle 'a': no such table: t; "
            "correct the spec or the SQL behind it",
        ),
    ],
)
def test_a_wrong_spec_is_one_line(tmp_path, text, error):
    own = spec(tmp_path, text)
    with pytest.raises(pp.InputError) as raised:
        pp.compute_metrics(DRAWING, specs=[SPEC, own], sql_packages=PACKAGES)
    assert str(raised.value) == f"{own}: {error}"


def test_wrong_sql_is_one_line_with_its_module_and_place(tmp_path):
    (tmp_path / "x.sql").write_text("CREATE PERFETTO TABLE mine AS\nSELECT wrong FROM slice;\n")
    own = spec(
        tmp_path,
        'metric_spec { id: "a" value: "n" query { table { table_name: "mine" } '
        'referenced_modules: "bad.x" } }',
    )
    with pytest.raises(pp.InputError) as raised:
        pp.compute_metrics(DRAWING, specs=[own], sql_packages={"bad": tmp_path})
    assert str(raised.value) == (
        f'{own}: no such column: wrong ("bad.x" line 2 col 8); '
        "correct the spec or the SQL behind it"
    )


def test_names_that_are_taken(run, tmp_path):
    (tmp_path / "x.sql").write_text("CREATE PERFETTO TABLE pypto_task AS\nSELECT 1 AS n;\n")
    with pytest.raises(pp.InputError, match=r"own\.x defines pypto_task, as does pypto\.task; "):
        pp.compute_metrics(DRAWING, sql_packages={"own": tmp_path})
    with pytest.raises(pp.InputError, match=r"the package name pypto is taken; name it otherwise"):
        pp.compute_metrics(DRAWING, sql_packages={"pypto": tmp_path})
    done = run("metrics", TRACE, "--sql-package", tmp_path, "--sql-package", f".@{tmp_path.name}")
    assert done.returncode == 2
    assert f"two packages are named {tmp_path.name}; name one DIR@NAME" in done.stderr


def test_files_that_are_no_specs(tmp_path):
    for name, error in (
        ("merged_swimlane.json.gz", "is no text"),
        ("nowhere", r"can't be read \(No such file or directory\)"),
    ):
        with pytest.raises(pp.InputError, match=f"{name}: {error}; pass a TraceSummarySpec"):
            pp.compute_metrics(DRAWING, specs=[ROOT / "traces" / "ffn" / name])
    with pytest.raises(pp.InputError, match=r"no \.sql file for the SQL package my"):
        pp.compute_metrics(DRAWING, sql_packages={"my": tmp_path})
