"""`pypto-perfetto check` as a build server runs it."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

import perfetto_pypto
from perfetto_pypto.report.json import dumps, to_json
from tests.paths import TRACES

SCHEMA = json.loads(
    (Path(perfetto_pypto.__file__).parent / "report" / "check.schema.json").read_text()
)
SLOW, FAST = TRACES / "flash_stitch1", TRACES / "flash_stitch512"


@pytest.fixture(scope="module")
def baseline(tmp_path_factory):
    file = tmp_path_factory.mktemp("gate") / "baseline.json"
    file.write_text(dumps(to_json(perfetto_pypto.compute_metrics(FAST))), encoding="utf-8")
    return file


def test_a_regression(run, baseline):
    done = run(
        "check", SLOW, "--baseline", baseline, "--max", "pypto_engine_bubble_ratio{engine=AIV}=0.3"
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == (
        "flash_stitch1 against flash_stitch512\n"
        "FAIL  pypto_run_makespan  3,048.10 µs > 267.57 µs (baseline 259.77 µs + 3%)\n"
        "FAIL  pypto_engine_bubble_ratio{engine=AIV}  98.2% > 30.0%\n"
        "ok    pypto_run_task_count  1,280 >= 640 (baseline 1,280, half of it)\n"
        "regression: 2 of 3 checks failed\n"
    )


def test_a_pass(run, baseline):
    done = run("check", FAST, "--baseline", baseline, "--max", "pypto_run_makespan=300us")
    assert done.returncode == 0
    assert done.stdout.endswith(
        "ok  pypto_run_makespan  259.77 µs <= 300.00 µs\npassed: 3 checks\n"
    )


def test_another_operator(run, baseline):
    done = run("check", TRACES / "ffn", "--baseline", baseline)
    assert done.returncode == 3
    assert done.stdout == (
        "ffn against flash_stitch512\n"
        "n/a  subgraphs  none in common with the baseline, neither by leaf hash nor by\n"
        "     label: another operator? If it is the same, make the baseline anew\n"
        "not comparable: 1 check can't be made\n"
    )


def test_junit(run, baseline, tmp_path):
    report = tmp_path / "report.xml"
    options = ["--max", "pypto_run_control_overhead=0.3", "--format", "junit", "-o", report]
    done = run("check", SLOW, "--baseline", baseline, *options)
    assert (done.returncode, done.stdout) == (1, "")
    (suite,) = ElementTree.parse(report).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "2", "0")
    found = {
        case.get("name"): (case[0].tag, case[0].get("message") or case[0].text) for case in suite
    }
    assert found == {
        "pypto_run_makespan": ("failure", "3,048.10 µs > 267.57 µs (baseline 259.77 µs + 3%)"),
        "pypto_run_task_count": ("system-out", "1,280 >= 640 (baseline 1,280, half of it)"),
        "pypto_run_control_overhead": ("failure", "absent: the run has no such value"),
    }


def test_github_annotations(run, baseline):
    done = run("check", SLOW, "--baseline", baseline, "--format", "github")
    assert done.returncode == 1
    assert done.stdout == (
        "::error title=pypto-perfetto flash_stitch1::pypto_run_makespan: "
        "3,048.10 µs > 267.57 µs (baseline 259.77 µs + 3%25)\n"
        "::notice title=pypto-perfetto flash_stitch1::regression: 1 of 2 checks failed\n"
    )


def test_json_keeps_its_schema(run, baseline):
    done = run("check", SLOW, "--baseline", baseline, "--tolerance", "0.1", "--format", "json")
    document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMA)
    assert (done.returncode, document["exit_code"], document["tolerance"]) == (1, 1, 0.1)
    assert document["checks"][0] == {
        "name": "pypto_run_makespan",
        "status": "fail",
        "kind": "max",
        "unit": "TIME_NANOS",
        "value": 3048098,
        "bound": pytest.approx(1.1 * document["checks"][0]["baseline"]),
        "baseline": document["checks"][0]["baseline"],
        "message": "",
    }


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([SLOW], "nothing to check; give --max, --min or --baseline"),
        ([SLOW, "--baseline", "no.json"], "no.json: can't be read (No such file or directory)"),
        ([SLOW, "--max", "pypto_run_makespan"], "is not like pypto_engine_bubble_ratio"),
        ([SLOW, "--max", "pypto_run_makespan=1us", "--tolerance", "much"], "'much' is not like 3%"),
        (["no.json", "--max", "pypto_run_makespan=1us"], "no.json: no such file"),
    ],
)
def test_wrong_usage_is_no_verdict(run, arguments, problem):
    done = run("check", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert problem in done.stderr
    assert done.stderr.count("\n") == 1
