"""pypto.what_if: one thing changed, the rest as it was."""

from __future__ import annotations

WHAT_IF = "SELECT scenario, makespan, saved FROM pypto_what_if ORDER BY scenario"


def test_each_scenario_drawn(ask):
    drawing = """
        AIV_1: a1 0-20, a2 25-45
        AIV_2: b1 50-80
        a2 -> b1
    """
    # Gaps of 5 before a2 and before b1. Faster by 10 %: a saves 2 + 2, b 3. Fused: a2 follows a1.
    assert ask(drawing, WHAT_IF) == [
        ("faster:a", 76, 4),
        ("faster:b", 77, 3),
        ("fused:a:2", 75, 5),
        ("fused:a:4", 75, 5),
        ("fused:a:8", 75, 5),
        ("infinite-cores", 50, 30),
        ("list-schedule", 50, 30),
        ("zero-gap", 70, 10),
    ]


def test_only_gaps_inside_a_group_are_saved(ask):
    drawing = "AIV_1: a1 0-10, a2 11-20, a3 22-30, a4 33-40"
    fused = "SELECT scenario, saved FROM pypto_what_if WHERE scenario GLOB 'fused:*'"
    assert sorted(ask(drawing, fused)) == [
        ("fused:a:2", 1 + 3),
        ("fused:a:4", 1 + 2 + 3),
        ("fused:a:8", 1 + 2 + 3),
    ]


def test_tasks_with_others_between_are_not_fused(ask):
    drawing = "AIV_1: a1 0-10, b1 11-20, a2 22-30"
    rows = ask(drawing, "SELECT scenario FROM pypto_what_if WHERE scenario GLOB 'fused:*'")
    assert rows == []


def test_large_tasks_are_not_fused(ask):
    drawing = "AIV_1: a1 0-10000, a2 10002-20002"
    rows = ask(drawing, "SELECT scenario FROM pypto_what_if WHERE scenario GLOB 'fused:*'")
    assert rows == []


def test_a_cycle_leaves_the_replay_alone(ask):
    # The backward edge is never followed in time, so the replay still works.
    drawing = "AIC_1: a1 0-10, b1 10-20\na1 -> b1 -> a1"
    assert [row[0] for row in ask(drawing, WHAT_IF)] == ["faster:a", "faster:b"]
