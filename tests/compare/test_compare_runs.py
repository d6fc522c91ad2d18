"""Two sides of runs: what changed, and what explains it."""

from __future__ import annotations

from fractions import Fraction

import pytest

import perfetto_pypto as pp
from tests.drawing import swimlane
from tests.paths import TRACES

BEFORE = """
    AIV_1: a1 0-10, a2 30-40
    AIV_2: a3 5-15
"""
AFTER = """
    AIV_1: a1 0-10, a2 12-22
    AIV_2: a3 5-15
"""


def compare(base, new):
    base = [base] if isinstance(base, str) else base
    new = [new] if isinstance(new, str) else new
    return pp.compare_runs(map(swimlane, base), map(swimlane, new))


def section(comparison, bundle):
    return {
        (change.id.removeprefix(f"{bundle}_"), *change.dimensions.values()): change
        for change in comparison.sections[bundle]
    }


def test_the_makespan():
    makespan = compare(BEFORE, AFTER).makespan
    assert (makespan.base.values, makespan.new.values) == ([40], [22])
    assert (makespan.difference, makespan.ratio) == (-18, -0.45)
    assert (makespan.verdict, makespan.p) == ("better", None)


def test_the_parts_are_core_time_and_add_up():
    (only,) = compare(BEFORE, AFTER).explanations
    assert (only.scope, only.base_cores, only.new_cores) == ("AIV", 2, 2)
    assert {part.name: (part.base, part.new) for part in only.parts} == {
        "busy": (30, 30),
        "startup": (5, 5),
        "wait_predecessor": (0, 0),
        "wait_schedule": (20, 2),
        "tail": (25, 7),
        "idle": (0, 0),
    }


def test_engines_without_a_task_explain_nothing():
    unused = "AIC_1:\nAIC_2:\n"
    assert [one.scope for one in compare(unused + BEFORE, unused + AFTER).explanations] == ["AIV"]


def test_an_engine_that_one_side_uses():
    explanations = compare("AIC_1:\n" + BEFORE, "AIC_1: b 0-20\n" + AFTER).explanations
    assert [one.scope for one in explanations] == ["all", "AIC", "AIV"]
    idle = {part.name: part for part in explanations[1].parts}["idle"]
    assert (idle.base, idle.new) == (40, 0)


PAIRS = [
    ("flash_stitch1", "flash_stitch512"),
    ("softmax_stitch1", "softmax_stitch8"),
    ("matmul_long_k", "matmul_split_k"),
    ("rmsnorm_tiny", "rmsnorm_merged"),
    ("rmsnorm_tiny", "ffn"),
]


@pytest.mark.parametrize(("base", "new"), PAIRS)
def test_the_explanation_is_exact(base, new):
    comparison = pp.compare_runs([TRACES / base], [TRACES / new])
    assert comparison.explanations
    for one in comparison.explanations:
        changes = [
            Fraction(part.new, one.new_cores) - Fraction(part.base, one.base_cores)
            for part in one.parts
        ]
        assert sum(changes) == comparison.makespan.difference


def test_the_explanation_is_exact_for_other_core_counts():
    lanes = pp.read(TRACES / "ffn_device")
    more = pp.read(TRACES / "ffn_device", cores={"AIC": 24, "AIV": 48})
    comparison = pp.compare_runs([lanes], [more])
    whole = comparison.explanations[0]
    assert (whole.base_cores, whole.new_cores) == (53, 72)
    assert sum(part.base for part in whole.parts) == 53 * comparison.makespan.base.values[0]
    assert sum(part.new for part in whole.parts) == 72 * comparison.makespan.base.values[0]
    assert [note.code for note in comparison.notes] == ["different-cores"]
    assert not comparison.is_comparable


def test_engines_and_run():
    comparison = compare(BEFORE, AFTER)
    run, engines = section(comparison, "pypto_run"), section(comparison, "pypto_engine")
    assert run["task_count",].verdict == "same"
    assert run["control_overhead",].verdict == "absent"
    assert engines["busy", "AIV"].difference == 0
    assert (engines["utilization", "AIV"].verdict, engines["utilization", "AIV"].unit) == (
        "better",
        "ratio",
    )


def test_a_path_without_a_kind_of_step_spent_no_time_on_it():
    chain = "AIV_1: a 0-10\nAIV_2: b 15-25\na -> b"
    path = section(compare(chain, "AIV_1: a 0-10, b 10-20\na -> b"), "pypto_observed_path")
    assert {kind: change.difference for (name, kind), change in path.items() if name == "time"} == {
        "compute": 0,
        "data_wait": -5,
        "front": 0,
    }


def test_device_tasks_are_added_up():
    comparison = compare("AIV_1: a1 0-10@0, a2 15-25@1, a3 31-41@2", "AIV_1: a1 0-10, a2 10-30")
    stitch = section(comparison, "pypto_stitch")
    assert (stitch["count",].base.values, stitch["count",].new.values) == ([3], [1])
    assert stitch["gap_total",].difference == -11


def test_subgraphs_by_the_change_of_their_total():
    comparison = compare("AIV_1: a1 0-10, a2 10-20, b 20-30", "AIV_1: a1 0-4, b 4-34, c 34-35")
    subgraphs = [
        (one.label, one.matched_by, total.base.values, total.new.values)
        for one in comparison.subgraphs
        for total in [one.changes["total"]]
    ]
    assert subgraphs == [
        ("b", "leaf_hash", [10], [30]),
        ("a", "leaf_hash", [20], [4]),
        ("c", "only new", [None], [1]),
    ]
    assert comparison.subgraphs[1].changes["mean"].difference == -6
    assert comparison.subgraphs[1].changes["task_count"].difference == -1


def test_shapes_are_compared_without_tensor_numbers():
    comparison = pp.compare_runs([TRACES / "rmsnorm_tiny"], [TRACES / "rmsnorm_merged"])
    assert [(one.label, one.matched_by) for one in comparison.subgraphs] == [("scale", "shapes")]


def test_merged_too_much():
    merged = compare(BEFORE, "AIV_1: a1 0-50\nAIV_2:")
    assert [(advice.rule, advice.knob) for advice in merged.advice] == [
        ("over-merged", "vec_nbuffer_setting")
    ]
    assert merged.notes == []
    assert compare(AFTER, BEFORE).advice == []


def test_different_operators():
    other = compare(BEFORE, "AIV_1: x 0-10\nAIV_2:")
    assert [note.code for note in other.notes] == ["different-operators"]


def test_several_runs():
    runs = [f"AIV_1: a 0-{end}" for end in (100, 104, 90, 101, 103, 95, 50, 52, 51)]
    noise = compare(runs[:3], runs[3:6])
    assert (noise.makespan.base.median, noise.makespan.new.median) == (100, 101)
    assert noise.makespan.verdict == "not significant"
    faster = compare(runs[:3], runs[6:])
    assert (faster.makespan.verdict, faster.makespan.p) == ("better", 0.1)
    assert [note.code for note in faster.notes] == ["few-runs"]
    (only,) = faster.explanations
    assert [(part.base, part.new) for part in only.parts if part.name == "busy"] == [(100, 51)]


def test_slower_by_chance_is_not_over_merged():
    base = [f"AIV_1: a1 0-10, a2 10-{end}" for end in (100, 104, 90)]
    new = [f"AIV_1: a1 0-{end}" for end in (91, 130, 125)]
    assert compare(base, new).advice == []


def test_a_run_without_tasks():
    comparison = compare(BEFORE, "AIV_1:\nAIV_2:")
    assert (comparison.makespan.verdict, comparison.makespan.difference) == ("gone", None)
    assert (comparison.notes, comparison.explanations) == ([], [])


def test_a_side_without_runs():
    with pytest.raises(ValueError, match="each side needs a run"):
        pp.compare_runs([], [swimlane(BEFORE)])
