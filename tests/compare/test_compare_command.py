"""`pypto-perfetto compare` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import perfetto_pypto
from tests.paths import TRACES

SCHEMA = json.loads(
    (Path(perfetto_pypto.__file__).parent / "report" / "compare.schema.json").read_text()
)
SLOW, FAST = TRACES / "matmul_long_k", TRACES / "matmul_split_k"


def test_the_table(run):
    done = run("compare", TRACES / "flash_stitch1", TRACES / "flash_stitch512")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in done.stdout
    assert lines[:4] == [
        "flash_stitch1 → flash_stitch512",
        "24 AIC + 48 AIV cores on both sides; times in µs",
        "",
        "makespan 3,048.10 → 259.77 µs: -2,788.32 µs (-91.5%), better: 11.73x as fast",
    ]
    assert "= makespan       3,048.10  259.77  -2,788.32  -2,788.32  -2,788.32" in lines
    assert "  9 subgraphs took the same time" in lines


def test_the_other_way_round_it_is_worse(run):
    done = run("compare", FAST, SLOW)
    assert "makespan 64.66 → 102.43 µs: +37.77 µs (+58.4%), worse: 1.58x as long" in done.stdout


def test_a_run_with_itself(run):
    done = run("compare", SLOW, SLOW)
    assert "makespan 102.43 → 102.43 µs: 0.00 µs (0.0%), same\n" in done.stdout
    assert "better" not in done.stdout
    assert "worse" not in done.stdout


def test_what_is_in_the_way_stands_at_the_top(run):
    done = run("compare", TRACES / "rmsnorm_tiny", TRACES / "ffn_device")
    assert done.returncode == 0
    assert done.stdout.splitlines()[1:8] == [
        "24 AIC + 48 AIV cores on one side, 24 AIC + 29 AIV on the other; times in µs",
        "different-cores: rmsnorm_tiny is based on 24 AIC + 48 AIV cores, ffn_device on",
        "24 AIC + 29 AIV: give both the same with --cores",
        "different-operators: rmsnorm_tiny and ffn_device have no subgraph in common,",
        "neither by leaf hash nor by label: these seem to be different operators",
        "",
        "makespan 220.85 → 42.76 µs: -178.09 µs (-80.6%), better: 5.16x as fast",
    ]


def test_several_runs_a_side(run):
    done = run("compare", SLOW, SLOW, "--", FAST, SLOW, FAST)
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "  base: median of 2 runs: 102.43, 102.43\n" in done.stdout
    assert "  new: median of 3 runs: 64.66, 64.66, 102.43\n" in done.stdout
    assert "makespan 102.43 → 64.66 µs: -37.77 µs (-36.9%), not significant\n" in done.stdout
    assert "better" not in done.stdout


def test_json_keeps_its_schema(run):
    done = run("compare", SLOW, "--", FAST, SLOW, "--format", "json")
    document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMA)
    assert [one["name"] for one in document["new"]["runs"]] == [
        "matmul_split_k",
        "matmul_long_k",
    ]
    assert document["makespan"]["new"]["values"] == [64660, 102429]
    assert document["makespan"]["verdict"] == "not significant"
    assert [note["code"] for note in document["notes"]] == ["few-runs"]


def test_markdown(run, tmp_path):
    file = tmp_path / "compare.md"
    done = run("compare", SLOW, FAST, "--format", "markdown", "-o", file)
    assert (done.stdout, done.stderr) == ("", "")
    text = file.read_text(encoding="utf-8")
    assert text.startswith("### matmul\\_long\\_k → matmul\\_split\\_k\n\n**makespan 102.43 → ")
    assert "| = makespan | 102.43 | 64.66 | -37.77 | -37.77 | -37.77 |\n" in text
    assert text.count("<details>") == text.count("</details>") == 4


def test_options_hold_for_both_sides(run):
    done = run("compare", SLOW, FAST, "--cores", "AIC=30,AIV=60", "--format", "json")
    document = json.loads(done.stdout)
    assert document["base"]["cores"] == document["new"]["cores"] == {"AIC": 30, "AIV": 60}


@pytest.mark.parametrize(
    "inputs", [[], [SLOW], [SLOW, FAST, FAST], [SLOW, "--"], [SLOW, "--", FAST, "--", FAST]]
)
def test_sides_that_are_unclear(run, inputs):
    done = run("compare", *inputs)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error: give BASE and NEW, or several runs a side with -- between: "
        "compare BASE BASE -- NEW NEW\n"
    )


def test_bad_input_is_one_line(run):
    done = run("compare", SLOW, "nowhere.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: nowhere.json: ")
    assert done.stderr.count("\n") == 1
