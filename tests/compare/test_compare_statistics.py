"""When is a difference more than noise?"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfetto_pypto.compare.statistics import judge, level, rank_test


def test_every_new_run_beats_every_base_run():
    # 20 ways to choose 3 of 6 values; this is the clearest, and so is its mirror image.
    assert rank_test([10, 11, 12], [7, 8, 9]) == Fraction(2, 20)
    assert rank_test([10, 11, 12, 13], [6, 7, 8, 9]) == Fraction(2, 70)


def test_sides_that_overlap():
    # Chosen by chance, 3 of 6 values have a sum of ranks as low as 1 + 2 + 4 in 2 of 20 cases.
    assert rank_test([9, 11, 12], [7, 8, 10]) == Fraction(4, 20)
    assert rank_test([1, 3], [2, 4]) == Fraction(4, 6)


def test_equal_values_share_their_rank():
    assert rank_test([5, 5], [5, 5]) == 1
    assert rank_test([5, 5, 6], [4, 4, 5]) == Fraction(2 * 3, 20)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=5), st.data())
def test_it_counts_what_enumeration_counts(base, data):
    new = data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=5))
    pooled = sorted([*base, *new])

    def doubled_ranks(values):
        return sum(2 * pooled.index(value) + pooled.count(value) + 1 for value in values)

    observed = doubled_ranks(new)
    sums = [doubled_ranks(chosen) for chosen in combinations(pooled, len(new))]
    low, high = sum(s <= observed for s in sums), sum(s >= observed for s in sums)
    assert rank_test(base, new) == min(Fraction(1), Fraction(2 * min(low, high), len(sums)))


@pytest.mark.parametrize(
    ("base", "new", "expected"),
    [(2, 2, Fraction(1, 3)), (3, 3, Fraction(1, 10)), (4, 4, Fraction(1, 20)), (1, 1, 1)],
)
def test_what_counts_as_significant_with_so_many_runs(base, new, expected):
    assert level(base, new) == expected


def verdict(base, new, *, unit="TIME_NANOS", polarity="LOWER_IS_BETTER"):
    return judge("pypto_x", {}, unit, polarity, base, new).verdict


@pytest.mark.parametrize(
    ("base", "new", "expected"),
    [
        ([100], [90], "better"),
        ([100], [110], "worse"),
        ([100], [100], "same"),
        ([100_000], [100_050], "same"),
        ([100_000], [100_200], "worse"),
        ([100, 101, 102], [90, 91, 92], "better"),
        ([100, 101, 102], [90, 91, 101], "not significant"),
        ([100, 104, 90], [101, 103, 95], "not significant"),
        ([100, 101, 102, 103], [90, 91, 92, 101], "not significant"),
        ([100, 101, 102, 103, 104], [90, 91, 92, 93, 101], "better"),
        ([None], [5], "new"),
        ([5], [None], "gone"),
        ([None], [None], "absent"),
        ([0], [5], "worse"),
    ],
)
def test_the_verdict_on_a_time(base, new, expected):
    assert verdict(base, new) == expected


def test_polarity_decides_what_is_better():
    assert verdict([0.5], [0.6], unit="ratio", polarity="HIGHER_IS_BETTER") == "better"
    assert verdict([0.5], [0.4], unit="ratio", polarity="HIGHER_IS_BETTER") == "worse"
    assert verdict([5], [6], unit="COUNT", polarity="NOT_APPLICABLE") == "changed"
    assert verdict([20_000], [20_001], unit="COUNT", polarity="NOT_APPLICABLE") == "changed"


def test_medians_are_compared():
    change = judge("pypto_x", {}, "TIME_NANOS", "LOWER_IS_BETTER", [100, 90, 200], [50, 60, None])
    assert (change.base.median, change.new.median) == (100, 55)
    assert (change.difference, change.ratio) == (-45, -0.45)
    assert change.base.spread == 1.1
    assert change.p == 0.2
