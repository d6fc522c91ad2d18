"""The product's ``log_*`` figures against those that PyPTO printed into bubble_analysis.log.

The product's times are whole nanoseconds on the file's clock, the script's are float64 µs: every
stamp that goes into a figure may differ by `stamp_error`, and a figure by that for each of its
stamps, no more. Apart from that, what the log saw otherwise is known exactly:

* Of two tasks with one id, the merged file keeps the later one. If the lost one was the earliest
  of all (the simulator numbers the hubs of every batch as batch 0), the log's T0 is earlier by an
  amount that the raw profile tells. Of a lane that lost its own task nothing can be said.
* A negative duration counts as 0 in the product; the log goes on from the end before the start.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

import perfetto_pypto
from tests.oracle import Lane, engine_of, log, reader
from tests.oracle.profile import profile_start
from tests.paths import merged_file, run_name, sample_folders

FIGURES = ("core_total_work", "total_wait", "wait_schedule", "wait_predecessor")
#: Lanes that lost a task on the way from the profile to the merged file.
LOST = {("edge_dup_task", "AIC_1")}


class Merged:
    """A merged file's own numbers, in exact µs."""

    def __init__(self, path: Path) -> None:
        events = reader.load_events(path)
        names = reader.lane_names(events)
        self.slices = [
            (names[e["pid"], e["tid"]], Fraction(e["ts"]), Fraction(e["dur"]))
            for e in reader.task_events(events)
        ]

    @property
    def t0(self) -> Fraction:
        """The log's T0: the earliest start on any lane but the Fake Core."""
        return min(
            start for lane, start, _ in self.slices if not Lane(lane, engine_of(lane)).is_fake_core
        )

    def negative_durations(self, lane: str) -> tuple[int | Fraction, int | Fraction]:
        """How much time (ns) they take back on a lane: before its last task's end, and at it."""
        back = [max(Fraction(0), -duration) for name, _, duration in self.slices if name == lane]
        return sum(back[:-1]) * 1000, sum(back[-1:]) * 1000

    @property
    def float_error(self) -> Fraction:
        """How far (µs) float64 may be off for a stamp: half a step of the stamp itself, and half
        a step of the span for the subtraction and the sum that it goes through."""
        first = min(start for _, start, _ in self.slices)
        last = max(start + max(Fraction(0), duration) for _, start, duration in self.slices)
        return Fraction(math.ulp(last)) / 2 + Fraction(math.ulp(last - first))


def tick_error(clock_hz: int) -> Fraction:
    """How far (ns) a tick of the clock is from a whole nanosecond at most: 0 at 50 MHz."""
    ticks = (
        Fraction(tick * 10**9, clock_hz) for tick in range(clock_hz // math.gcd(clock_hz, 10**9))
    )
    return max(abs(reader.half_up(ns) - ns) for ns in ticks)


def logged_folders() -> Iterator[Path]:
    for folder in sample_folders():
        # An empty profile's log has no core in it.
        if (folder / "bubble_analysis.log").exists() and folder.name != "edge_empty_prof":
            yield folder


def product_figures(run: object) -> dict[str, dict[str, int]]:
    """Of each core: its task count and the log's figures, in ns."""
    found: dict[str, dict[str, int]] = {}
    wanted = ["pypto_core_task_count", *(f"pypto_core_log_{figure}" for figure in FIGURES)]
    for metric in perfetto_pypto.compute_metrics(run, metrics=wanted).metrics:
        column = metric.id.removeprefix("pypto_core_").removeprefix("log_")
        found.setdefault(metric.dimensions["core"], {})[column] = metric.value
    return found


@pytest.mark.parametrize("folder", list(logged_folders()), ids=run_name)
def test_log(folder: Path) -> None:
    path = merged_file(folder)
    assert path
    run = perfetto_pypto.read(path)
    printed = log.parse((folder / "bubble_analysis.log").read_text())
    computed = product_figures(run)
    lanes = {name for name in printed if engine_of(name) in ("AIC", "AIV", "AICORE")}
    assert computed.keys() == lanes
    merged, started = Merged(path), profile_start(folder)
    earlier = 0 if started is None else (merged.t0 - started) * 1000
    stamp_error = tick_error(run.source.clock_hz) + merged.float_error * 1000

    lost = {name for name in lanes if printed[name].task_count != computed[name]["task_count"]}
    assert lost == {name for run_of, name in LOST if run_of == folder.name}
    for name in sorted(lanes - lost):
        count = computed[name]["task_count"]
        before_last, at_last = merged.negative_durations(name)
        more_work = earlier - at_last if count else 0
        more_wait = earlier + before_last if count else 0
        off = {
            figure: getattr(printed[name], figure) * 1000 - computed[name][figure]
            for figure in FIGURES
        }
        # The first start and the last end; for waits, the start of each task and the end before.
        assert abs(off["core_total_work"] - more_work) <= 2 * stamp_error, name
        wait_error = 2 * count * stamp_error
        assert abs(off["total_wait"] - more_wait) <= wait_error, name
        # What the log waited longer, it waited either for the scheduler or for a predecessor.
        assert any(
            abs(off["wait_schedule"] - schedule) <= wait_error
            and abs(off["wait_predecessor"] - predecessor) <= wait_error
            for schedule, predecessor in ((0, more_wait), (more_wait, 0))
        ), (name, off)


#: Cores that the product itself can't reproduce, and why: see `pypto_log_check`.
OFF = {
    ("edge_dup_task", "AIC_1"): "task_count",
    ("edge_neg_dur", "AIC_1"): "negative_duration",
}


@pytest.mark.parametrize("folder", list(logged_folders()), ids=run_name)
def test_the_product_says_so(folder: Path) -> None:
    """With the log beside it: reproduced, or why not; a lost start is what the profile tells."""
    path = merged_file(folder)
    assert path
    checked = perfetto_pypto.compute_metrics(path).log
    assert {
        (folder.name, core.core): core.status for core in checked if core.status != "reproduced"
    } == {key: status for key, status in OFF.items() if key[0] == folder.name}
    merged, started = Merged(path), profile_start(folder)
    lost = 0 if started is None else max((merged.t0 - started) * 1000, 0)
    for core in checked:
        amounts = [figure.reasons.get("lost_start", 0) for figure in core.figures.values()]
        is_used = core.figures["core_total_work"].reproduced > 0
        assert amounts[0] == amounts[1] == amounts[2] + amounts[3]
        assert abs(-amounts[0] - (lost if is_used else 0)) <= 2
        for figure in core.figures.values():
            assert figure.printed + sum(figure.reasons.values()) == figure.ours


def test_ticks_and_nanoseconds() -> None:
    # 20 ns a tick; 5/9 ns a tick: 4 ticks are 2 2/9 ns, 8 ticks 4 4/9 ns.
    assert tick_error(50_000_000) == 0
    assert tick_error(1_800_000_000) == Fraction(4, 9)
