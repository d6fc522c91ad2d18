"""Lanes: what overlaps never shares a track."""

from __future__ import annotations

import pytest

from perfetto_pypto.trace.writer import lanes


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([(0, 10), (10, 20)], [0, 0]),
        ([(0, 10), (5, 7), (7, 9), (10, 12)], [0, 1, 1, 0]),
        # Without length: touching is fine, inside another is not.
        ([(0, 10), (10, 10), (10, 20), (20, 20)], [0, 0, 0, 0]),
        ([(0, 10), (5, 5), (5, 5)], [0, 1, 1]),
        ([], []),
    ],
)
def test_lanes(spans, expected):
    assert lanes(iter(spans)) == expected
