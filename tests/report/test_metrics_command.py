"""`metrics` with its formats, inputs and a part of the metrics, as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT, TRACES

FFN = TRACES / "ffn" / "merged_swimlane.json.gz"
TINY = TRACES / "rmsnorm_tiny" / "merged_swimlane.json.gz"
PART = ("--metrics", "pypto_run_task_count")


def test_table_of_a_part(run):
    done = run("metrics", TINY, "--metrics", "pypto_run_task_count,pypto_run_makespan")
    assert done.stdout.split("\n\n")[1] == (
        "pypto_run\nmetric        value\nmakespan µs  220.85\ntask_count    1,024\n"
    )


def test_json_of_a_part(run):
    document = json.loads(run("metrics", TINY, *PART, "--format", "json").stdout)
    assert [metric["id"] for metric in document["metrics"]] == ["pypto_run_task_count"]


def test_binary_goes_to_stdout_or_a_file(run, tmp_path):
    command = Path(sys.executable).with_name("pypto-perfetto")
    piped = subprocess.run(
        [command, "metrics", TINY, "--format", "pb"], cwd=ROOT, capture_output=True, check=True
    )
    run("metrics", TINY, "--format", "pb", "-o", tmp_path / "tiny.pb")
    assert (tmp_path / "tiny.pb").read_bytes() == piped.stdout


def test_several_inputs_follow_one_another(run):
    done = run("metrics", FFN, TINY, *PART, "--format", "markdown")
    assert [line for line in done.stdout.splitlines() if line.startswith("#")] == [
        "### ffn",
        "### rmsnorm\\_tiny",
    ]
    done = run("metrics", FFN, TINY, *PART, "--format", "textproto")
    assert done.stdout.count('id: "pypto_run_task_count"') == 2


def test_several_inputs_as_csv(run, tmp_path):
    done = run("metrics", FFN, TINY, *PART, "--format", "csv", "-o", tmp_path / "out")
    assert (done.stdout, done.stderr) == ("", "")
    assert (tmp_path / "out" / "ffn" / "pypto_run.csv").read_text() == "task_count\n72\n"
    assert (tmp_path / "out" / "rmsnorm_tiny" / "pypto_run.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--format", "csv"), "--format csv writes a file per bundle; name their folder with -o"),
        (
            (FFN, "--format", "pb"),
            "--format pb is one message and takes one INPUT; run it for each",
        ),
        (("--list",), "--list describes the metrics and takes no INPUT"),
        (
            ("--metrics", "pypto_run_makspan"),
            "'pypto_run_makspan' is no metric and no bundle; the closest: pypto_run_makespan, "
            "pypto_run_zero_gap_makespan, pypto_what_if_makespan",
        ),
    ],
)
def test_wrong_combinations_are_one_line(run, arguments, error):
    done = run("metrics", TINY, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {error}\n")


def test_list_needs_no_input(run):
    done = run("metrics", "--list", *PART)
    assert done.stdout.splitlines()[1].startswith("pypto_run_task_count  count")
    done = run("metrics", "--list", "--format", "pb")
    assert done.stderr == "error: --list has no format pb; use table, json, markdown\n"
