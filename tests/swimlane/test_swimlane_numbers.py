"""Columns of numbers: growing, numbering, finding equal rows."""

from array import array

import numpy as np
import pytest

from perfetto_pypto.swimlane.columns import Numbers, append, renumbered, repeats, shared


def test_keys_are_numbered_as_they_come() -> None:
    numbers: Numbers[str] = Numbers()
    assert numbers.of(["b", "a", "b"]) == [0, 1, 0]
    assert numbers.of(["c", "a"]) == [2, 1]
    assert list(numbers) == ["b", "a", "c"]


def test_a_column_grows() -> None:
    column = array("q", [1])
    append(column, [2, -(2**63)])
    append(column, [])
    assert column.tolist() == [1, 2, -(2**63)]


@pytest.mark.parametrize(
    ("values", "rows"),
    [
        ([], []),
        ([3], []),
        ([3, 1, 2], []),
        ([3, 1, 3, 2, 1, 1, 9], [0, 1, 2, 4, 5]),
        ([0.0, np.nan, -0.0, np.nan], [0, 2]),
    ],
)
def test_rows_that_share_their_value(values: list[float], rows: list[int]) -> None:
    assert shared(np.array(values)).tolist() == rows


def test_rows_that_repeat_earlier_ones() -> None:
    keys = [np.array([5, 5, 5, 7, 5]), np.array([1, 2, 1, 1, 1])]
    assert repeats(keys, lambda _: None).tolist() == [2, 4]
    assert repeats(keys, lambda row: row == 2).tolist() == [4]


def test_a_column_gets_other_numbers() -> None:
    assert renumbered(array("q", [1, 0, 1]), [7, 3]) == array("q", [3, 7, 3])
    assert renumbered(array("i"), []) == array("i")
