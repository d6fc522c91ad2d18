"""What every bundle starts from: the run with its core counts, and a little exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from tests.oracle import graph
from tests.oracle.model import Run, Task

Value = Fraction | int | None
Row = dict[str, Value]
Rows = dict[tuple[str, ...], Row]
Values = dict[tuple[str, tuple[str, ...]], Value]


@dataclass(frozen=True)
class Job:
    """A run, the number of cores of each engine, and the small-task threshold."""

    run: Run
    cores: dict[str, int]
    small_ns: int

    @cached_property
    def tasks(self) -> list[Task]:
        return graph.core_tasks(self.run)

    @cached_property
    def makespan(self) -> int | None:
        return graph.last_end(self.run) - graph.first_start(self.run) if self.tasks else None

    @property
    def work(self) -> int:
        return total(task.duration for task in self.tasks)

    @property
    def work_per_core(self) -> dict[str, Fraction]:
        """W_k / m_k of each engine."""
        return {
            engine: Fraction(total(t.duration for t in self.tasks if t.engine == engine), m)
            for engine, m in self.cores.items()
        }


def job_of(run: Run, cores: Mapping[str, int] | None = None, small_ns: int = 10_000) -> Job:
    """The run with the cores that its lanes show, or those given for an engine."""
    counts: dict[str, int] = {}
    for lane in run.lanes:
        if lane.kind == "task":
            counts[lane.engine] = counts.get(lane.engine, 0) + 1
    counts.update(cores or {})
    return Job(run, {engine: m for engine, m in counts.items() if m > 0}, small_ns)


def total(numbers: Iterable[int]) -> int:
    return sum(numbers)


def ratio(part: Fraction | int | None, whole: Fraction | int | None) -> Fraction | None:
    """part / whole; absent where either is absent or the whole is 0."""
    if part is None or whole is None or whole == 0:
        return None
    return Fraction(part) / whole


def mean(numbers: Iterable[Fraction | int]) -> Fraction | None:
    listed = [Fraction(number) for number in numbers]
    return ratio(sum(listed, Fraction(0)), len(listed))


def percentile(numbers: list[int], p: Fraction) -> Fraction:
    """Linear interpolation at p·(n − 1)."""
    place = p * (len(numbers) - 1)
    low = int(place)
    high = min(low + 1, len(numbers) - 1)
    ordered = sorted(numbers)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def union(tasks: Iterable[Task]) -> list[tuple[int, int]]:
    """The time covered by the tasks as intervals that neither touch nor overlap."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted((task.start, task.end) for task in tasks if task.duration > 0):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def length(intervals: Iterable[tuple[int, int]]) -> int:
    return sum(end - start for start, end in intervals)


def clamp(value: int, low: int, high: int) -> int:
    return max(low, min(value, high))
