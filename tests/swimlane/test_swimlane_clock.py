"""Stamps to nanoseconds: every number here is a counter tick divided as PyPTO divides it."""

from pathlib import Path

import numpy as np
import pytest

from perfetto_pypto.swimlane.clock import Timeline, infer_mhz
from tests.swimlane.swimlane_samples import count, found, read_events, task

BOOT_DAYS = 119_173_286_362_261  # ticks at 50 MHz: 2.4e12 µs, where a float64 step is 0.0005 µs


def test_device_stamps_become_exact_multiples_of_20_ns(tmp_path: Path) -> None:
    ticks = [(BOOT_DAYS, BOOT_DAYS + 321), (BOOT_DAYS + 321, BOOT_DAYS + 326)]
    first, second = (
        task(f"0-0-{op}-9-0()", 1002, start / 50, end / 50 - start / 50)
        for op, (start, end) in enumerate(ticks)
    )
    assert second["dur"] == 0.10009765625  # not 0.1: the float64 steps
    run = read_events(tmp_path, first, second)
    assert run.tasks.start.tolist() == [0, 6420]
    assert run.tasks.end.tolist() == [6420, 6520]
    assert run.source.origin_us == "2383465727245.22"
    assert found(run) == {}


def test_simulator_cycles_are_rounded_to_the_nearest_ns(tmp_path: Path) -> None:
    run = read_events(
        tmp_path,
        task("0-0-0-9-0()", 1002, 3623 / 1800, 3632 / 1800 - 3623 / 1800),
        task("0-0-1-9-0()", 1002, 3632 / 1800, 3633 / 1800 - 3632 / 1800),
    )
    assert run.source.clock_hz == 1_800_000_000
    assert run.source.origin_us == "2.012777777777778"
    assert run.tasks.start.tolist() == [0, 5]
    assert run.tasks.end.tolist() == [5, 6]  # 10 cycles are 5.56 ns


@pytest.mark.parametrize(
    ("mhz", "ticks"),
    [
        (50, [3, 7]),
        (1000, [3, 7]),
        (1800, [3, 7]),
        (50, [BOOT_DAYS, BOOT_DAYS + 3]),
        (1000, [2_383_465_727_245_221, 2_383_465_727_245_228, 2_383_465_727_251_643]),
    ],
)
def test_the_coarsest_clock_that_fits_is_taken(mhz: int, ticks: list[int]) -> None:
    assert infer_mhz([np.array(ticks) / mhz]) == mhz


def test_a_clock_that_float64_cannot_show_is_not_claimed() -> None:
    late = 2_383_465_727_245 * 1800
    assert infer_mhz([(np.arange(100) * 7 + late) / 1800]) == 0


def test_no_known_clock_rounds_to_ns(tmp_path: Path) -> None:
    run = read_events(
        tmp_path,
        task("0-0-0-9-0()", 1002, 10.00012, 1.0),
        task("0-0-1-9-0()", 1002, 11.00052, 0.5),
    )
    assert run.source.clock_hz == 0
    assert run.source.clock_from == "no known clock fits the stamps"
    assert run.source.origin_us == "10.0"
    assert run.tasks.start.tolist() == [0, 1001]
    assert run.tasks.end.tolist() == [1000, 1501]


def test_the_earliest_event_of_any_kind_is_the_zero(tmp_path: Path) -> None:
    run = read_events(
        tmp_path, task("0-0-0-9-0()", 1002, 10.0, 1.0), count("ReadyCount_AIC", 9.98, size=1)
    )
    assert run.source.origin_us == "9.98"
    assert run.tasks.start.tolist() == [20]
    assert run.counters[0].ts.tolist() == [0]


def test_a_stamp_off_the_ticks_is_rounded_and_never_negative() -> None:
    timeline = Timeline.of(50, [np.array([1.0]), np.array([0.9994])])
    assert timeline.origin == 49
    assert timeline.ns(np.array([0.9994, 1.0])).tolist() == [19, 20]


def test_whole_microseconds_everywhere_may_be_cycles(tmp_path: Path) -> None:
    tasks = [task(f"0-0-{op}-9-0()", 1002, 10 * op, 7) for op in range(10)]
    assert found(read_events(tmp_path, *tasks)) == {"maybe-cycles": 1}
