"""pypto.run, pypto.summary, pypto.finding: the run in one row, its facts and findings."""

from __future__ import annotations

from perfetto_pypto.swimlane.model import Finding


def test_the_run_in_one_row(ask):
    drawing = """
        AIC_1: a 0-10, b 12-20
        AIV_1: c 25-40
        HUB_1: h 11-12
        a -> h -> c
        b -> c
    """
    assert ask(drawing, "SELECT * FROM pypto_run_stats") == [
        (40, 3, 1, 3, 0, 25, 25.0, 40 / 25, 33 / 25, 33, None)
    ]


def test_the_busiest_engine_bounds_what_dependencies_do_not(ask):
    sql = "SELECT critical_path, lower_bound FROM pypto_run_stats"
    assert ask("AIC_1: a 0-10, b 10-20\nAIC_2: c 0-15", sql) == [(15, 17.5)]


def test_facts_of_the_run(ask):
    sql = "SELECT text, number FROM pypto_run_fact WHERE key IN ('format', 'small_task_ns')"
    assert ask("AIC_1: a 0-1", sql) == [("drawing", None), (None, 10000)]


def test_findings_of_the_conversion_travel_with_the_trace(ask):
    findings = (
        Finding("duplicate-dependency", "info", "kept once", 3, ("a -> b", "c -> d")),
        Finding("unsorted-tasks", "info", "sorted", 1),
    )
    sql = "SELECT * FROM pypto_finding"
    assert ask("AIC_1: a 0-1", sql, findings=findings) == [
        ("duplicate-dependency", "info", "kept once", 3, "a -> b; c -> d"),
        ("unsorted-tasks", "info", "sorted", 1, ""),
    ]


def test_a_run_without_tasks_has_no_row(ask):
    assert ask("AIC_1:", "SELECT * FROM pypto_run_stats") == []
