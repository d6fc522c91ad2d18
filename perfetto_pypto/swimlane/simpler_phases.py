"""The schedulers' and orchestrators' phases, and the queue depths that they note."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from msgspec import Struct

from perfetto_pypto.swimlane.findings import EXAMPLES, Findings
from perfetto_pypto.swimlane.model import Counter, Doubles, Int64s, Phases
from perfetto_pypto.swimlane.simpler import phases_of
from perfetto_pypto.swimlane.simpler_clock import Clock, Stamps
from perfetto_pypto.swimlane.simpler_input import integers

SCHEDULER, ORCHESTRATOR = "AICPU-SCHED", "AICPU-CTRL"

#: The ready queues, in the order in which a phase notes their depths.
QUEUES = ("AIC", "AIV", "MIX")
QUEUE_COUNTER = "shared_ready_queue"
#: Only these phases look into the queues; the others write zeros.
_LOOKING = frozenset({"complete", "dispatch"})


class Phase(Struct, gc=False):
    """A phase of a thread, in cycles or µs; ``records``: a thread with an object of its own."""

    kind: str | None = None
    phase: str | None = None
    start_cycles: int | None = None
    end_cycles: int | None = None
    start_time_us: float | None = None
    end_time_us: float | None = None
    shared_at_end: list[int] | None = None
    records: list[Phase] | None = None


Thread = list[Phase] | Phase


@dataclass(frozen=True, slots=True)
class RawPhases:
    """Phases on the file's clock; ``present`` counts those in the file.

    depth_row, depths: rows that note queue depths, and these
    """

    present: int
    thread: list[str]
    name: list[str]
    start: Stamps
    end: Stamps
    depth_row: Int64s
    depths: list[list[int]]

    @property
    def stamps(self) -> list[Stamps]:
        """All times."""
        return [self.start, self.end]

    @property
    def counter_values(self) -> int:
        """How many values the counters hold together."""
        return len(self.depths) * len(QUEUES)

    def build(self, clock: Clock) -> Phases:
        """The model's phases."""
        return phases_of(self.thread, self.name, clock.ns(self.start), clock.ns(self.end))

    def counters(self, clock: Clock) -> list[Counter]:
        """The ready queues' depths, as noted at the ends of phases."""
        ts = clock.ns(self.end)[self.depth_row]
        order = np.argsort(ts, kind="stable")
        return [
            Counter(
                f"{QUEUE_COUNTER} {queue}",
                ts[order],
                np.array([float(depth[index]) for depth in self.depths])[order],
            )
            for index, queue in enumerate(QUEUES)
            if self.depths
        ]


def read_phases(
    schedulers: Sequence[Thread],
    orchestrators: Sequence[Thread],
    clock: Clock,
    findings: Findings,
) -> RawPhases:
    """Takes the phases of all threads; those without a possible time are dropped."""
    rows = [
        (f"{part}-{number}", phase.kind or phase.phase or default, phase)
        for part, threads, default in (
            (SCHEDULER, schedulers, "unknown"),
            (ORCHESTRATOR, orchestrators, "orch_submit"),
        )
        for number, thread in enumerate(_threads(threads))
        for phase in thread
    ]
    start, end = _stamps([phase for *_, phase in rows], clock)
    good = clock.possible(start) & clock.possible(end)
    bad = [
        f"{name} on {thread}" for (thread, name, _), one in zip(rows, good, strict=True) if not one
    ]
    findings.add("impossible-phase", len(bad), bad[:EXAMPLES])
    kept = [row for row, one in zip(rows, good.tolist(), strict=True) if one]
    start, end = start[good], end[good]
    back = np.flatnonzero(end < start)
    findings.add("negative-duration", len(back), [kept[row][1] for row in back[:EXAMPLES]])
    noted = [
        (row, phase.shared_at_end)
        for row, (_, name, phase) in enumerate(kept)
        if name in _LOOKING and phase.shared_at_end and len(phase.shared_at_end) == len(QUEUES)
    ]
    return RawPhases(
        len(rows),
        [thread for thread, *_ in kept],
        [name for _, name, _ in kept],
        start,
        end,
        np.array([row for row, _ in noted], dtype=np.int64),
        [depths for _, depths in noted],
    )


def _threads(threads: Sequence[Thread]) -> list[list[Phase]]:
    """One list a thread, be it a list, an object with records, or phases without a thread."""
    lists: list[list[Phase]] = []
    loose: list[Phase] = []
    for thread in threads:
        if isinstance(thread, list):
            lists.append(thread)
        elif thread.records is not None:
            lists.append(thread.records)
        else:
            loose.append(thread)
    return [*lists, loose] if loose else lists


def _stamps(phases: list[Phase], clock: Clock) -> tuple[Stamps, Stamps]:
    if clock.in_cycles:
        return (
            integers([phase.start_cycles or 0 for phase in phases]),
            integers([phase.end_cycles or 0 for phase in phases]),
        )
    return (
        _micros([phase.start_time_us for phase in phases]),
        _micros([phase.end_time_us for phase in phases]),
    )


def _micros(values: list[float | None]) -> Doubles:
    return np.array([np.nan if one is None else one for one in values], dtype=np.float64)
