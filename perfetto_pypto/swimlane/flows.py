"""The file's flow events to dependencies between tasks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perfetto_pypto.swimlane import edges
from perfetto_pypto.swimlane.choice import Flows, resolve
from perfetto_pypto.swimlane.clock import Timeline, possible
from perfetto_pypto.swimlane.collect import Collector, doubles, integers
from perfetto_pypto.swimlane.findings import EXAMPLES
from perfetto_pypto.swimlane.model import Dependencies, Int64s
from perfetto_pypto.swimlane.tasks import Kept

#: How long before its producer's end PyPTO starts a flow (µs): since 2026-01, before, never.
OFFSETS_US = (0.0001, 0.1, 0.0)
#: How far a flow may miss its task (µs): files rewritten with fewer digits are 1 ns off.
_TOLERANCE_US = 0.002


@dataclass(frozen=True, slots=True)
class Edges:
    """The dependencies; ``present`` counts the flows in the file, whole or not.

    offset_us: the one of ``OFFSETS_US`` that the file uses; None without flows
    """

    dependencies: Dependencies
    present: int
    offset_us: float | None


def connect(raw: Collector, kept: Kept, timeline: Timeline) -> Edges:
    """Finds the tasks of each flow; what can't be used is counted in the findings."""
    findings = raw.findings
    starts, ends, lone = _pairs(integers(raw.starts.id), integers(raw.ends.id))
    findings.add("lone-flow", lone)
    src_lane, src_us = integers(raw.starts.lane)[starts], doubles(raw.starts.ts)[starts]
    dst_lane, dst_us = integers(raw.ends.lane)[ends], doubles(raw.ends.ts)[ends]
    good = possible(src_us) & possible(dst_us)
    src_us, dst_us = np.where(good, src_us, 0.0), np.where(good, dst_us, 0.0)
    src_lane, dst_lane = np.where(good, src_lane, -1), np.where(good, dst_lane, -1)

    producers = edges.group(kept.lane, timeline.units(kept.end_us))
    consumers = edges.group(kept.lane, timeline.units(kept.start_us))
    tolerance = int(_TOLERANCE_US * timeline.units_per_us)
    tries: list[Int64s] = []
    for offset in OFFSETS_US:
        time = timeline.units(src_us + offset)
        tries.append(edges.nearest(producers, src_lane, time, tolerance))
        if np.all(tries[-1] >= 0):
            break
    best = int(np.argmax([np.count_nonzero(groups >= 0) for groups in tries]))
    found = resolve(
        Flows(
            producers,
            tries[best],
            consumers,
            edges.nearest(consumers, dst_lane, timeline.units(dst_us), tolerance),
        ),
        integers(raw.slices.seq)[kept.rows],
        integers(raw.slices.func)[kept.rows],
    )
    whole = (found.src >= 0) & (found.dst >= 0)
    lost = np.flatnonzero(~whole)
    findings.add(
        "unresolved-dependency",
        len(lost),
        [f"flow {raw.starts.id[int(starts[row])]}" for row in lost[:EXAMPLES]],
    )
    _report(raw, kept, "ambiguous-dependency", found.src[found.guessed], found.dst[found.guessed])
    own = whole & (found.src == found.dst)
    _report(raw, kept, "self-dependency", found.src[own], found.dst[own])
    src, dst = found.src[whole & ~own], found.dst[whole & ~own]
    first, repeated = edges.distinct(src, dst)
    _report(raw, kept, "duplicate-dependency", src[repeated], dst[repeated])
    return Edges(
        Dependencies(src[first].astype(np.int32), dst[first].astype(np.int32)),
        len(starts) + lone,
        OFFSETS_US[best] if len(starts) else None,
    )


def _pairs(start_ids: Int64s, end_ids: Int64s) -> tuple[Int64s, Int64s, int]:
    """Rows of s and f events of one id, in the order of s, and the number of events left over."""
    known, starts = np.unique(start_ids, return_index=True)
    ended, ends = np.unique(end_ids, return_index=True)
    _, left, right = np.intersect1d(known, ended, assume_unique=True, return_indices=True)
    starts, ends = starts[left], ends[right]
    order = np.argsort(starts)
    lone = len(start_ids) + len(end_ids) - 2 * len(starts)
    return starts[order], ends[order], lone


def _report(raw: Collector, kept: Kept, code: str, src: Int64s, dst: Int64s) -> None:
    names = [
        f"{raw.slices.name(int(kept.rows[a]))} → {raw.slices.name(int(kept.rows[b]))}"
        for a, b in zip(src[:EXAMPLES], dst[:EXAMPLES], strict=True)
    ]
    raw.findings.add(code, len(src), names)
