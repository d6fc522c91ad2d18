"""The writer: what overlaps never shares a track."""

from __future__ import annotations

import numpy as np
import pytest

from perfetto_pypto.trace import layout
from perfetto_pypto.trace.writer import Part, TraceWriter, lanes


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
    start, end = np.array(spans, dtype=np.int64).reshape(-1, 2).T
    assert lanes(start, end).tolist() == expected


@pytest.mark.parametrize("spans", [[(0, 10), (9, 12)], [(5, 9), (0, 5)], [(4, 3)]])
def test_slices_that_the_importer_would_bend_are_refused(spans):
    writer = TraceWriter(Part.FACTS)
    writer.track(layout.group(7, "AIC_1", 0))
    start, end = np.array(spans).T
    events = [writer.event("a", "task")] * len(spans)
    with pytest.raises(ValueError, match="slices of AIC_1 overlap"):
        writer.slices(7, "task", start, end, events)


def test_a_later_call_goes_on_where_the_first_ended():
    writer = TraceWriter(Part.FACTS)
    writer.track(layout.group(7, "AIC_1", 0))
    event = [writer.event("a", "task")]
    writer.slices(7, "task", np.array([0]), np.array([10]), event)
    writer.slices(7, "task", np.array([10]), np.array([20]), event)
    with pytest.raises(ValueError, match="slices of AIC_1 overlap"):
        writer.slices(7, "task", np.array([19]), np.array([30]), event)
