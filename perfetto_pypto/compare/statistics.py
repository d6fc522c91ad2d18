"""Is a difference more than noise? An exact rank test, small enough to be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import comb

from perfetto_pypto.compare.model import Change, Sample
from perfetto_pypto.metrics.model import Value

#: Chance of a false alarm that is accepted, where the runs are enough to reach it.
LEVEL = Fraction(1, 20)

#: Relative difference below which a time or ratio counts as the same.
NEGLIGIBLE = 0.001


def rank_test(base: Sequence[float], new: Sequence[float]) -> Fraction:
    """The Mann-Whitney test, two-sided and exact, ties included.

    Returns:
        The share of all ways to deal the values out to the two sides that differ as clearly as
        these do, doubled: the chance of such a result if both sides were equal.
    """
    pooled = Counter([*base, *new])
    ties = tuple(pooled[value] for value in sorted(pooled))
    rank = dict(zip(sorted(pooled), _doubled_ranks(ties), strict=True))
    observed = sum(rank[value] for value in new)
    sums = _rank_sums(ties, len(new))
    low = sum(count for total, count in sums.items() if total <= observed)
    high = sum(count for total, count in sums.items() if total >= observed)
    return min(Fraction(1), Fraction(2 * min(low, high), comb(len(base) + len(new), len(new))))


def _doubled_ranks(ties: tuple[int, ...]) -> list[int]:
    """Twice the mean rank of each value, which is whole, given how often each occurs."""
    ranks, below = [], 0
    for count in ties:
        ranks.append(2 * below + count + 1)
        below += count
    return ranks


@cache
def _rank_sums(ties: tuple[int, ...], size: int) -> Counter[int]:
    """In how many ways do ``size`` of the values have each sum of ranks?"""
    ways: list[Counter[int]] = [Counter({0: 1}), *(Counter() for _ in range(size))]
    for rank, count in zip(_doubled_ranks(ties), ties, strict=True):
        for _ in range(count):
            for chosen in range(size, 0, -1):
                for total, number in ways[chosen - 1].items():
                    ways[chosen][total + rank] += number
    return ways[size]


def level(base: int, new: int) -> Fraction:
    """The p that is significant with so many runs a side.

    5 %. Fewer runs than 4 + 4 can't get there: then the clearest result that they can give,
    every run of one side beyond every run of the other.
    """
    return max(LEVEL, Fraction(2, comb(base + new, new)))


def judge(
    identifier: str,
    dimensions: dict[str, str],
    unit: str,
    polarity: str,
    base: Sequence[Value],
    new: Sequence[Value],
) -> Change:
    """Compares a metric's values, one per run on each side."""
    before, after = Sample(list(base)), Sample(list(new))
    old, now = before.median, after.median
    difference = None if old is None or now is None else now - old
    ratio = difference / abs(old) if difference is not None and old else None
    p: Fraction | None = None
    if difference is not None and len(before.present) + len(after.present) > 2:
        p = rank_test(before.present, after.present)
    if old is None or now is None:
        verdict = "absent" if old is now else "new" if old is None else "gone"
    elif not difference or (unit != "COUNT" and ratio is not None and abs(ratio) < NEGLIGIBLE):
        verdict = "same"
    elif p is not None and p > level(len(before.present), len(after.present)):
        verdict = "not significant"
    elif polarity not in ("HIGHER_IS_BETTER", "LOWER_IS_BETTER"):
        verdict = "changed"
    else:
        verdict = "better" if (difference > 0) == (polarity == "HIGHER_IS_BETTER") else "worse"
    return Change(
        identifier,
        dimensions,
        unit,
        polarity,
        before,
        after,
        difference,
        ratio,
        None if p is None else float(p),
        verdict,
    )
