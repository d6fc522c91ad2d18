"""pypto.subgraph: tasks that run the same code."""

from __future__ import annotations


def test_one_row_per_subgraph_and_engine(ask):
    rows = ask(
        """
        AIC_1: a1 0-10, a2 10-30
        AIC_2: a3 0-40
        AIV_1: b1 40-50
        a3 -> b1
        """,
        """
        SELECT leaf_hash, engine, label, task_count, total, mean, median, p90, min, max,
          time_share, core_count, critical_path_time
        FROM pypto_subgraph_stats
        """,
    )
    assert rows == [
        ("a", "AIC", "a", 3, 70, 70 / 3, 20.0, 36.0, 10, 40, 70 / 80, 2, 40),
        ("b", "AIV", "b", 1, 10, 10.0, 10.0, 10.0, 10, 10, 10 / 80, 1, 10),
    ]


def test_many_small_means_two_a_core(ask):
    drawing = """
        AIV_1: a1 0-10, a2 10-20, b1 20-30
        AIV_2: a3 0-10, a4 10-20
    """
    sql = "SELECT leaf_hash, is_small, is_many_small FROM pypto_subgraph_stats"
    assert ask(drawing, sql) == [("a", 1, 1), ("b", 1, 0)]
    assert ask(drawing, sql, small_task_ns=10) == [("a", 0, 0), ("b", 0, 0)]
