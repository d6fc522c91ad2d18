from __future__ import annotations

import sys

from tests.benchmarks.growth import Cost, best, chart, commands, table

OURS = ["convert --facts-only", "convert", "metrics"]


def test_the_floors_are_left_out_where_they_need_too_much_memory():
    assert list(commands(100_000, None, sys.executable)) == [*OURS, "orjson.loads"]
    assert list(commands(1_000_000, None, sys.executable)) == OURS


def test_each_figure_is_the_best_of_the_rounds():
    assert best([Cost(3.0, 4.0, 100.0), Cost(2.0, 5.0, 90.0)]) == Cost(2.0, 4.0, 90.0)


def test_ratios_are_of_wall_clock_seconds():
    results = {
        1_000: {
            "convert": Cost(2.0, 3.0, 150.0),
            "orjson.loads": Cost(0.5, 0.4, 30.0),
            "draw_swim_lane.py": Cost(4.0, 4.0, 100.0),
        },
        1_000_000: {"convert": Cost(90.0, 120.0, 2000.0)},
    }
    text = table(results, {1_000: 15.2, 1_000_000: 18.0})
    assert "the best of some rounds" in text
    assert "3 at 1,000 tasks; 1 at 1,000,000 tasks" in text
    assert [line for line in text.splitlines() if line.startswith("| 1,")] == [
        "| 1,000 | convert | 2.00 | 3.00 | 150 | 0.50 | 1.50 | 4.00 |",
        "| 1,000 | orjson.loads | 0.50 | 0.40 | 30 |  |  |  |",
        "| 1,000 | draw_swim_lane.py | 4.00 | 4.00 | 100 |  |  |  |",
        "| 1,000,000 | convert | 90.00 | 120.00 | 2000 |  |  |  |",
    ]
    drawing = chart(results)
    assert "wall-clock seconds" in drawing
    assert ">1,000,000</text>" in drawing
