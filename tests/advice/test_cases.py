"""Each rule on the runs of its case file: `cases/<rule>.yaml`, one case an entry.

``fires_…`` and ``silent_…`` hold a ``run`` of traces/ or a ``drawing`` (a task below 10 ns is small
there), and what the advice must say.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import perfetto_pypto as pp
from perfetto_pypto.advice import stock_rules
from perfetto_pypto.metrics import Metrics
from perfetto_pypto.swimlane.model import Phases, Strings, Swimlane
from tests.drawing import swimlane
from tests.paths import TRACES, merged_file

CASES = Path(__file__).with_name("cases")
FILES = {path.stem: yaml.safe_load(path.read_text()) for path in sorted(CASES.glob("*.yaml"))}


@cache
def real(name: str) -> Metrics:
    return pp.compute_metrics(merged_file(TRACES / name))


def drawn(case: dict[str, Any], baseline: Metrics | None) -> Metrics:
    run = swimlane(case["drawing"], cores=case.get("cores"))
    if "aicpu" in case:
        run = with_phases(run, case["aicpu"])
    return pp.compute_metrics(run, small_task_ns=10, baseline=baseline)


def with_phases(run: Swimlane, threads: dict[str, list[list[Any]]]) -> Swimlane:
    rows = [(thread, *phase) for thread, phases in threads.items() for phase in phases]
    names, phases, starts, ends = zip(*rows, strict=True)
    zeros = np.zeros(len(rows), dtype=np.int64)
    return replace(
        run,
        phases=Phases(
            Strings.of(list(names)),
            Strings.of(list(phases)),
            np.array(starts, dtype=np.int64),
            np.array(ends, dtype=np.int64),
            zeros,
            zeros,
        ),
    )


def judged(case: dict[str, Any]) -> Metrics:
    baseline = None
    if "baseline" in case:
        baseline = pp.compute_metrics(swimlane(case["baseline"]))
    elif "baseline_run" in case:
        baseline = real(case["baseline_run"])
    if "run" not in case:
        return drawn(case, baseline)
    if baseline is None:
        return real(case["run"])
    return pp.compute_metrics(merged_file(TRACES / case["run"]), baseline=baseline)


@pytest.mark.parametrize(
    ("rule", "name"),
    [(rule, name) for rule, file in FILES.items() for name in file if name != "rule"],
)
def test_case(rule, name):
    case = FILES[rule][name]
    found = [asdict(advice) for advice in judged(case).advice if advice.rule == rule]
    if name.startswith("silent_"):
        assert found == []
        return
    (advice,) = found
    for key, value in case["expect"].items():
        assert advice[key] == value, key
    assert all(place["text"] and place["at"] for place in advice["evidence"])


def test_each_rule_has_two_positive_cases_and_a_negative_one():
    assert list(FILES) == sorted(rule.id for rule in stock_rules())
    for rule, file in FILES.items():
        assert file["rule"] == rule
        kinds = [name.split("_")[0] for name in file if name != "rule"]
        assert kinds.count("fires") >= 2
        assert kinds.count("silent") >= 1
        assert set(kinds) == {"fires", "silent"}


WELL_TUNED = """
    AIC_1: a1 0-50, a2 50-100, a3 100-150, a4 150-200
    AIC_2: a5 0-50, a6 50-100, a7 100-150, a8 150-200
    AIV_1: v1 0-49, v2 50-100, v3 100-149, v4 151-200
    AIV_2: v5 0-50, v6 50-100, v7 100-150, v8 150-200
    a1 -> v2
    a5 -> v6
    a2 -> v3
    a6 -> v7
"""


def test_a_well_tuned_run_gets_no_advice():
    metrics = pp.compute_metrics(swimlane(WELL_TUNED), small_task_ns=10)
    assert metrics.advice == []


def test_tuning_takes_the_advice_away():
    # A larger stitch won 98 of 118 µs; what is left to win is about the single device task.
    bad, good = real("softmax_stitch1"), real("softmax_stitch512")
    assert bad.advice[0].knob == "stitch_function_max_num"
    assert "stitch_function_max_num" not in [advice.knob for advice in good.advice]
    assert bad.advice[0].predicted_saved_ns == 78328
    assert good.advice[0].predicted_saved_ns == 11523
