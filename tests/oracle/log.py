"""bubble_analysis.log: read it, and work its numbers out again by the log's own rules.

The rules (definitions: "log's own terms"): T0 is the earliest start over all lanes but the Fake
Core; a lane's tasks are taken in file order, each measured from the end of the one before (from
T0 for the first), whatever the times; a task is ready at the latest end of its direct
predecessors, an invented hub's invented end included, and not before T0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from tests.oracle import graph, reader
from tests.oracle.model import Lane, Run, engine_of

Number = Fraction | int


@dataclass(frozen=True)
class CoreWaits:
    """One lane's block: µs as printed in the log, ns where computed from a Run."""

    core_total_work: Number
    total_wait: Number
    wait_schedule: Number
    wait_predecessor: Number
    task_count: int = 0
    fake_task_count: int = 0


HEADER = re.compile(r"\[(.+)\] Execute task num:(\d+)(?:, Fake Task: (\d+))?")
FIGURES = ("Core Total Work Time", "Total Wait Time", "Wait Schedule Time", "Wait Predecessor Time")


def parse(text: str) -> dict[str, CoreWaits]:
    """The blocks of a log by lane name."""
    blocks: dict[str, CoreWaits] = {}
    pieces = re.split(r"^(?=\[)", text, flags=re.MULTILINE)
    for piece in pieces[1:]:
        header = HEADER.match(piece)
        assert header, piece
        work, total, schedule, predecessor = (figure(name, piece) for name in FIGURES)
        blocks[header.group(1)] = CoreWaits(
            core_total_work=work,
            total_wait=total,
            wait_schedule=schedule,
            wait_predecessor=predecessor,
            task_count=int(header.group(2)),
            fake_task_count=int(header.group(3) or 0),
        )
    return blocks


def figure(name: str, block: str) -> Fraction:
    """``    Wait Schedule Time: 2.3e-13`` → exactly that; may be negative."""
    found = re.search(rf"^\s*{name}: (\S+)\s*$", block, flags=re.MULTILINE)
    assert found, (name, block)
    return Fraction(found.group(1))


def lane_waits(
    spans: list[tuple[Number, Number, Number]], t0: Number, fake_task_count: int = 0
) -> CoreWaits:
    """One lane's block from (start, end, latest end of its predecessors) of each of its tasks."""
    previous = t0
    total_wait: Number = 0
    wait_schedule: Number = 0
    for start, end, predecessor_end in spans:
        ready = max(t0, predecessor_end)
        wait_schedule += start - max(previous, ready)
        total_wait += start - previous
        previous = end
    return CoreWaits(
        core_total_work=previous - t0,
        total_wait=total_wait,
        wait_schedule=wait_schedule,
        wait_predecessor=total_wait - wait_schedule,
        task_count=len(spans),
        fake_task_count=fake_task_count,
    )


def waits(
    lanes: list[str],
    lane_of: list[str],
    times: list[tuple[Number, Number]],
    direct: Mapping[int, list[int]],
    t0: Number | None = None,
) -> dict[str, CoreWaits]:
    """Every lane's block, from each slice's lane, (start, end) and direct predecessors."""
    fake = [Lane(lane, engine_of(lane)).is_fake_core for lane in lane_of]
    if t0 is None:
        t0 = min((start for (start, _), f in zip(times, fake, strict=True) if not f), default=0)
    own: dict[str, list[int]] = {lane: [] for lane in lanes}
    for index, lane in enumerate(lane_of):
        own[lane].append(index)
    return {
        lane: lane_waits(
            [
                (*times[v], max((times[u][1] for u in direct[v]), default=t0))
                for v in indices
                if not fake[v]
            ],
            t0,
            fake_task_count=sum(fake[v] for v in indices),
        )
        for lane, indices in own.items()
    }


def core_waits(run: Run) -> dict[str, CoreWaits]:
    """The blocks in ns, from a Run (in which no duration is negative)."""
    return waits(
        [lane.name for lane in run.lanes],
        [task.core for task in run.tasks],
        [(task.start, task.end) for task in run.tasks],
        graph.predecessors(run),
    )


def recompute(path: Path, t0: Number | None = None) -> dict[str, CoreWaits]:
    """The blocks in µs, from a merged swimlane file's own numbers, negative durations kept.

    ``t0`` is for runs whose first slice didn't make it into the merged file.
    """
    events = reader.load_events(path)
    slices = reader.task_events(events)
    pid = reader.machine_pid(events)
    names = reader.lane_names(events)
    direct: dict[int, list[int]] = {index: [] for index in range(len(slices))}
    for u, v in reader.resolve_flows(events):
        direct[v].append(u)
    return waits(
        list(dict.fromkeys(name for (p, _), name in names.items() if p == pid)),
        [names[pid, e["tid"]] for e in slices],
        [(Fraction(e["ts"]), reader.end_of(e)) for e in slices],
        direct,
        t0,
    )
