"""query_columns: types, absent values, many batches, errors."""

from __future__ import annotations

import numpy as np
import pytest

from perfetto_pypto.engine import open_trace, query_columns
from perfetto_pypto.errors import QueryError
from tests.engine.traces import ENGINES


@pytest.fixture(scope="module", params=ENGINES)
def tp(request):
    with open_trace(None, engine=request.param) as opened:
        yield opened


@pytest.mark.parametrize(
    ("sql", "dtype", "values"),
    [
        ("SELECT 1 AS x UNION ALL SELECT -2", np.int64, [1, -2]),
        ("SELECT 9223372036854775807 AS x", np.int64, [2**63 - 1]),
        ("SELECT 0.5 AS x UNION ALL SELECT -1.0", np.float64, [0.5, -1.0]),
        ("SELECT 'a' AS x UNION ALL SELECT '' UNION ALL SELECT '核'", list, ["a", "", "核"]),
        ("SELECT x'00ff' AS x", list, [b"\x00\xff"]),
        ("SELECT 1 AS x UNION ALL SELECT NULL", list, [1, None]),
        ("SELECT 1 AS x UNION ALL SELECT 2.5 UNION ALL SELECT 'c'", list, [1, 2.5, "c"]),
        ("SELECT NULL AS x", list, [None]),
        ("SELECT 1 AS x WHERE 0", list, []),
        ("SELECT CAST(x'ff41' AS TEXT) AS x", list, ["\ufffdA"]),
    ],
)
def test_a_column(tp, sql, dtype, values):
    column = query_columns(tp, sql)["x"]
    assert (list if isinstance(column, list) else column.dtype) == dtype
    assert list(column) == values


def test_columns_keep_the_order_of_the_query_and_do_not_mix(tp):
    columns = query_columns(tp, "SELECT 2 AS b, 'x' AS t, 1 AS a UNION ALL SELECT 4, NULL, 3")
    assert {name: list(column) for name, column in columns.items()} == {
        "b": [2, 4],
        "t": ["x", None],
        "a": [1, 3],
    }
    assert list(columns) == ["b", "t", "a"]


def test_many_batches(tp):
    columns = query_columns(
        tp,
        """
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
        SELECT i, iif(i % 2, i / 2.0, NULL) AS half, 'n' || i AS name FROM n
        """,
    )
    assert (columns["i"] == np.arange(100_000)).all()
    assert columns["half"] == [i / 2 if i % 2 else None for i in range(100_000)]
    assert columns["name"] == [f"n{i}" for i in range(100_000)]


def test_sql_without_a_select_has_no_columns(tp):
    assert query_columns(tp, "INCLUDE PERFETTO MODULE time.conversion") == {}


def test_two_columns_of_one_name(tp):
    with pytest.raises(QueryError, match=r"^two columns are named a; name one of them with AS$"):
        query_columns(tp, "SELECT 1 AS a, 2 AS a")


def test_an_error_names_the_place_with_a_caret(tp):
    with pytest.raises(QueryError) as caught:
        query_columns(tp, "SELECT 1,\n  nope")
    assert str(caught.value) == (
        'no such column: nope\n  File "stdin" line 2 col 3\n      nope\n      ^'
    )
