"""What a file holds beside its tasks and dependencies: AICPU phases, counters, sync events."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perfetto_pypto.swimlane.clock import Timeline, possible
from perfetto_pypto.swimlane.collect import Collector, doubles, integers
from perfetto_pypto.swimlane.columns import repeats
from perfetto_pypto.swimlane.findings import EXAMPLES
from perfetto_pypto.swimlane.hints import parse_phase
from perfetto_pypto.swimlane.lanes import AICPU_VIEW
from perfetto_pypto.swimlane.model import (
    Counter,
    Doubles,
    Int32s,
    Int64s,
    Phases,
    Strings,
    SyncEvents,
)

#: The args key of a counter that has one value; others are part of the counter's name.
_PLAIN_KEY = "size"


def aicpu_pids(raw: Collector) -> set[int]:
    """The processes whose slices are AICPU phases."""
    return {pid for pid, name in raw.processes.items() if name == AICPU_VIEW}


@dataclass(frozen=True, slots=True)
class RawCounter:
    """A counter in µs, in time order."""

    name: str
    ts_us: Doubles
    value: Doubles

    def build(self, timeline: Timeline) -> Counter:
        """The model's counter."""
        return Counter(self.name, timeline.ns(self.ts_us), self.value)


@dataclass(frozen=True, slots=True)
class RawPhases:
    """AICPU phases in µs; ``present`` counts those in the file."""

    present: int
    thread: Strings
    names: list[str]
    start_us: Doubles
    end_us: Doubles

    def build(self, timeline: Timeline) -> Phases:
        """The model's phases."""
        parsed = [parse_phase(name) for name in self.names]
        start = timeline.ns(self.start_us)
        return Phases(
            thread=self.thread,
            name=Strings.of(phase.name for phase in parsed),
            start=start,
            end=np.maximum(start, timeline.ns(self.end_us)),
            round=np.array([phase.round for phase in parsed], dtype=np.int64),
            dev_task=np.array([phase.dev_task for phase in parsed], dtype=np.int64),
        )


@dataclass(frozen=True, slots=True)
class RawSync:
    """Sync events in µs; ``task`` is a dense task id."""

    task: Int32s
    time_us: Doubles
    type: Strings
    event_id: Int64s

    def build(self, timeline: Timeline) -> SyncEvents:
        """The model's sync events."""
        return SyncEvents(self.task, timeline.ns(self.time_us), self.type, self.event_id)


def choose_phases(raw: Collector, is_phase: NDArray[np.bool_]) -> RawPhases:
    """The AICPU phases: those of a second merge and those without a possible time are dropped."""
    slices, findings = raw.slices, raw.findings
    lane, start, dur = integers(slices.lane), doubles(slices.ts), doubles(slices.dur)
    rows = np.flatnonzero(is_phase)
    present = len(rows)
    good = possible(start[rows]) & possible(start[rows] + dur[rows])
    bad = rows[~good]
    findings.add("impossible-phase", len(bad), [slices.name(int(r)) for r in bad[:EXAMPLES]])
    rows = rows[good]
    twice = repeats(
        [start[rows], dur[rows], lane[rows]], lambda row: slices.identity(int(rows[row]))
    )
    findings.add(
        "duplicate-phase", len(twice), [slices.name(int(r)) for r in rows[twice[:EXAMPLES]]]
    )
    rows = np.delete(rows, twice)
    negative = rows[dur[rows] < 0]
    findings.add(
        "negative-duration", len(negative), [slices.name(int(r)) for r in negative[:EXAMPLES]]
    )
    names = [raw.threads.get(key) or f"thread {key[1]}" for key in raw.lanes]
    return RawPhases(
        present,
        Strings.of(names[number] for number in lane[rows]),
        [slices.name(int(row)) for row in rows],
        start[rows],
        start[rows] + dur[rows],
    )


def choose_counters(raw: Collector) -> list[RawCounter]:
    """The counters that have a value at a possible time, each in time order."""
    counts = raw.counts
    number, ts, value = integers(counts.number), doubles(counts.ts), doubles(counts.value)
    good = possible(ts) & np.isfinite(value)
    counters = []
    for (track, key), one in counts.series.items():
        name = track if key == _PLAIN_KEY else f"{track} {key}"
        raw.findings.add("impossible-counter", int(np.sum((number == one) & ~good)), [name])
        rows = np.flatnonzero((number == one) & good)
        rows = rows[np.argsort(ts[rows], kind="stable")]
        if len(rows):
            counters.append(RawCounter(name, ts[rows], value[rows]))
    return counters


def choose_sync(raw: Collector, rows: Int64s) -> RawSync:
    """The sync events of kept tasks that have a possible time."""
    task_of = {int(row): task for task, row in enumerate(rows)} if raw.slices.sync else {}
    times = np.array([sync.time_us for sync in raw.slices.sync], dtype=np.float64)
    kept = [
        sync
        for sync, good in zip(raw.slices.sync, possible(times), strict=True)
        if good and sync.row in task_of
    ]
    raw.findings.add("impossible-sync-event", len(raw.slices.sync) - len(kept))
    return RawSync(
        np.array([task_of[sync.row] for sync in kept], dtype=np.int32),
        np.array([sync.time_us for sync in kept], dtype=np.float64),
        Strings.of(sync.type for sync in kept),
        np.array([sync.event_id for sync in kept], dtype=np.int64),
    )
