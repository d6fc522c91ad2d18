"""Rules as data: the package's own keep the schema; the user's are checked, one line an error."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest
import yaml

import perfetto_pypto as pp
from perfetto_pypto.advice import load_rules, stock_rules
from perfetto_pypto.advice.rules import SCHEMA, STOCK
from perfetto_pypto.advice.text import fill
from perfetto_pypto.errors import InputError
from tests.drawing import swimlane

OWN = """
rules:
- id: two-tasks
  source: our kernel guide
  severity: low
  thresholds:
    most: {value: 1, source: we say so}
  when: SELECT core, task_count, 5 AS saved FROM pypto_core_stats WHERE task_count > $most
  at: core={core}
  knobs:
  - name: our_knob
    snippet: "our_knob={{core}: {task_count}}"
  en:
    title: "{core} runs {task_count:count} tasks"
    text: That is too much.
    evidence: "{core}"
"""
RUN = swimlane("AIV_1: a1 0-20, a2 20-40")


def own(tmp_path, text=OWN):
    file = tmp_path / "own.yaml"
    file.write_text(text)
    return file


def test_the_schema_describes_the_rules():
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(yaml.safe_load(STOCK.read_text()), schema)
    assert len(stock_rules()) >= 12


def test_every_rule_speaks_both_languages_about_the_same_columns():
    for rule in stock_rules():
        assert rule.zh is not None
        for english, chinese in zip(
            (rule.en.title, rule.en.text, rule.en.evidence, rule.en.gain),
            (rule.zh.title, rule.zh.text, rule.zh.evidence, rule.zh.gain),
            strict=True,
        ):
            fields = [
                sorted(set(re.findall(r"\{[a-z_]+(?::[a-z]+)?\}", t))) for t in (english, chinese)
            ]
            assert fields[0] == fields[1], rule.id
            assert bool(english) == bool(chinese), rule.id
        assert re.search("[\u4e00-\u9fff]", rule.zh.title + rule.zh.text)


def test_no_rule_advises_a_deprecated_knob():
    text = STOCK.read_text()
    for knob in (
        "stitch_function_num_initial",
        "stitch_function_outcast_memory",
        "stitch_function_inner_memory",
    ):
        assert knob not in text


def test_snippets_fit_a_line_of_the_table():
    for rule in stock_rules():
        for knob in rule.knobs:
            assert len(re.sub(r"\{\w+\}", "16", knob.snippet)) <= 77


def test_texts_take_columns_and_leave_braces():
    row = {"wait": 12345, "share": 0.25, "n": 1000, "name": "PV", "none": None}
    text = "{name}: {wait:us}, {share:percent}, {n:count}, {share:number}, {none:us}; {-1: 2} {'a'}"
    assert fill(text, row) == "PV: 12.35 µs, 25.0%, 1,000, 0.2, –; {-1: 2} {'a'}"
    with pytest.raises(ValueError, match="no column gone"):
        fill("{gone}", row)
    with pytest.raises(ValueError, match="'PV' is no number"):
        fill("{name:us}", row)
    with pytest.raises(ValueError, match="the formats are us, percent"):
        fill("{wait:hex}", row)


def test_a_rule_of_ones_own(tmp_path):
    advice = pp.compute_metrics(RUN, rules=own(tmp_path), lang="zh").advice
    (mine,) = (a for a in advice if a.rule == "two-tasks")
    # Without Chinese it speaks English.
    assert (mine.title, mine.at) == ("AIV_1 runs 2 tasks", "core=AIV_1")
    assert (mine.snippet, mine.predicted_saved_ns) == ("our_knob={AIV_1: 2}", 5)
    assert mine.evidence[0].values == {"core": "AIV_1", "task_count": 2, "saved": 5}


def test_only_what_wins_is_advised(tmp_path):
    # 1 % of 10,000 ns is 100 ns.
    long = swimlane("AIV_1: a1 0-5000, a2 5000-10000")
    rules = own(tmp_path)
    assert "two-tasks" not in [a.rule for a in pp.compute_metrics(long, rules=rules).advice]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rules: [", r"line 2, column 1: "),
        ("rules: []", r"rules: \[\] should be non-empty"),
        ("[1]", r"the top: \[1\] is not of type 'object'"),
        (
            OWN.replace("severity: low", "severity: mild"),
            r"rules\[0\]\.severity: 'mild' is not one of",
        ),
        (OWN.replace("  at: core={core}\n", ""), r"rules\[0\]: 'at' is a required property"),
        (OWN.replace("two-tasks", "imbalance"), r"rules\[0\]: rule imbalance exists already"),
    ],
)
def test_a_bad_file_names_the_place(tmp_path, text, expected):
    with pytest.raises(InputError, match=rf"own\.yaml: {expected}") as caught:
        load_rules(own(tmp_path, text))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("core, task_count", "gone", r"rule two-tasks: no such column: gone"),
        ("$most", "$least", r"rule two-tasks: \$least is no threshold of the rule"),
        ('"{core}"', '"{gone}"', r"rule two-tasks: \{gone\}: the query has no column gone"),
        ("5 AS saved", "'x' AS saved", r"rule two-tasks: saved: 'x' is no number"),
        ("5 AS saved", "'x' AS severity", r"rule two-tasks: severity is 'x', not one of"),
        (
            "our_knob\n",
            "our_knob\n    given: gone\n",
            r"rule two-tasks: given: gone: .* no such column",
        ),
    ],
)
def test_a_bad_rule_is_named(tmp_path, old, new, expected):
    assert old in OWN
    with pytest.raises(InputError, match=rf"own\.yaml: {expected}") as caught:
        pp.compute_metrics(RUN, rules=own(tmp_path, OWN.replace(old, new, 1)))
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"no\.yaml: can't be read \(No such file or directory\)"):
        load_rules(tmp_path / "no.yaml")
