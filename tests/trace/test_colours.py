"""Colours as the Perfetto UI will compute them."""

from __future__ import annotations

import pytest

from perfetto_pypto.trace import colours


# (hue, lightness) read in the UI itself: its colorizer was asked in a browser.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dependency wait ~2572", (70, 78)),
        ("scheduling wait ~144", (12, 76)),
        ("no more work ~3206", (254, 78)),
        ("busy ~9", (131, 56)),
    ],
)
def test_colour_is_the_hash_of_the_correlation_id(text, expected):
    assert colours.colour(text) == expected


def test_gaps_are_pale_and_tasks_dark():
    gaps = (colours.DEPENDENCY_WAIT, colours.SCHEDULING_WAIT, colours.NO_MORE_WORK, colours.RUN)
    assert min(colours.colour(gap)[1] for gap in gaps) >= 76
    hashes = [str(11453517318661125466 + i) for i in range(200)]
    tasks = [colours.colour(colours.task_colour_id(h)) for h in hashes]
    assert max(lightness for _, lightness in tasks) <= 58
    # Red is the colour of errors.
    assert all(35 < hue < 345 for hue, _ in tasks)


def test_one_colour_per_subgraph():
    assert colours.task_colour_id("9685100714974560904") == "9685100714974560904"
    assert colours.task_colour_id("14") == colours.task_colour_id("14")
