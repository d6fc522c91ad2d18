"""Advice, language and summary as a user gets them."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml
from rich.cells import cell_len

import perfetto_pypto as pp
from perfetto_pypto.lang import words
from perfetto_pypto.report.json import dumps, to_json
from perfetto_pypto.report.summary import to_summary
from perfetto_pypto.report.table import write_table
from perfetto_pypto.report.wrap import wrap
from perfetto_pypto.swimlane.model import Finding
from tests.drawing import swimlane
from tests.paths import TRACES, merged_file

PACKAGE = Path(pp.__file__).parent
CHINESE = re.compile("[\u4e00-\u9fff]")


def schema(name):
    return json.loads((PACKAGE / "report" / name).read_text())


def table(metrics):
    file = io.StringIO()
    write_table(metrics, file)
    return file.getvalue()


@pytest.fixture(scope="module", params=["en", "zh"])
def flash(request):
    return pp.compute_metrics(merged_file(TRACES / "flash_stitch1"), lang=request.param)


def test_the_table_fits_80_cells(flash):
    # Commands to copy stay whole, however long the path.
    lines = [x for x in table(flash).splitlines() if not x.startswith("   pypto-perfetto ")]
    assert max(map(cell_len, lines)) <= 80


def test_the_table_prints_three_next_steps_about_three_knobs(flash):
    text = table(flash)
    assert len(re.findall(r"^\d\. ", text, re.MULTILINE)) == 3
    assert '@pypto.frontend.jit(runtime_options={"stitch_function_max_num": 128})' in text
    assert text.count("stitch_function_max_num") == 1
    assert len(re.findall(r"^   pypto-perfetto open \S+ --at \S+$", text, re.MULTILINE)) == 3
    assert "1,973.75 µs" in text


def test_json_keeps_its_schema(flash):
    document = json.loads(dumps(to_json(flash)))
    jsonschema.validate(document, schema("metrics.schema.json"))
    saved = [advice["predicted_saved_ns"] for advice in document["advice"]]
    assert saved == sorted(saved, key=lambda value: -(value or 0))


def test_chinese_heads_findings_and_advice():
    run = swimlane(
        "AIV_1: a1 0-20, a2 40-60", findings=(Finding("lone-flow", "warning", "x", 1, ()),)
    )
    text = table(pp.compute_metrics(run, lang="zh"))
    for line in text.splitlines():
        if not re.fullmatch(r"|.*open --at .*|[ .@\w(){}=\[\],:\"\'-]+", line):
            assert CHINESE.search(line) or re.match(r"(drawing|all|AIV|a) ", line), line


def test_an_example_that_is_a_sentence():
    text = "AIV from 1.00 to 2.50 µs: 3.4 cores idle beside ready tasks on average"
    assert CHINESE.search(words("zh").example(text))
    assert words("zh").example("0-1-2") == "0-1-2"


def test_wrapping_counts_cells_and_keeps_signs_at_their_words():
    assert wrap("one two three", 7) == ["one two", "three"]
    assert wrap("核心等待，调度。", 8) == ["核心等", "待，调", "度。"]
    assert wrap("使用 sg_set_scope 合图", 10) == ["使用", "sg_set_scope", "合图"]


def test_summary_of_a_well_tuned_run():
    run = swimlane("AIC_1: a1 0-50, b1 50-100, c1 100-150\nAIC_2: a2 0-50, b2 50-100, c2 100-150")
    summary = to_summary(pp.compute_metrics(run, small_task_ns=10))
    jsonschema.validate(summary, schema("summary.schema.json"))
    assert summary["rating"] == {
        "utilization": 5,
        "bubble": 5,
        "balance": 5,
        "control_overhead": None,
        "overall": 5,
    }
    assert (summary["aic_util"], summary["aiv_util"], summary["timeline_length"]) == (1, None, 150)
    assert summary["bottleneck_labels"] == ["compute"]
    assert summary["suggested_knobs"] == []
    assert summary["is_tuned"] is True


def test_stars_are_counted_on_the_skills_scale():
    # AicoreTime 40 and 26 of 50: utilization 66 %; waits 10 of 50 and 24 of 50; spread 35 %.
    run = swimlane("AIV_1: a1 0-20, a2 30-50\nAIV_2: b1 0-13, b2 37-50")
    summary = to_summary(pp.compute_metrics(run, small_task_ns=10))
    assert summary["skill_core_utilization"] == pytest.approx(0.66)
    assert summary["skill_bubble_rate"] == pytest.approx(0.34)
    assert summary["rating"] == {
        "utilization": 3,
        "bubble": 1,
        "balance": 3,
        "control_overhead": None,
        "overall": 1,
    }
    assert summary["is_tuned"] is False


def test_the_options(run, tmp_path):
    rules = tmp_path / "own.yaml"
    rules.write_text(
        yaml.safe_dump(
            {
                "rules": [
                    {
                        "id": "mine",
                        "source": "me",
                        "severity": "high",
                        "when": "SELECT 40000 AS saved",
                        "at": "critical-path",
                        "knobs": [{"name": "k", "snippet": "k=1"}],
                        "en": {"title": "Mine", "text": "Mine.", "evidence": "all"},
                    }
                ]
            }
        )
    )
    ffn = TRACES / "ffn" / "merged_swimlane.json.gz"
    summary = tmp_path / "analysis_summary.json"
    done = run("metrics", ffn, "--rules", rules, "--lang", "zh", "--summary-json", summary)
    assert done.stderr == ""
    assert "总时长" in done.stdout
    document = json.loads(summary.read_text())
    jsonschema.validate(document, schema("summary.schema.json"))
    assert document["suggested_knobs"][0]["rule"] == "mine"
    rules.write_text("rules: 1")
    done = run("metrics", ffn, "--rules", rules)
    assert done.returncode == 2
    assert re.fullmatch(r"error: \S+own\.yaml: rules: 1 is not of type 'array'; .*\n", done.stderr)
