"""Flows to dependencies: which task ends where a flow starts, and which starts where it ends.

PyPTO draws an edge from just before its producer's end to its consumer's start, so (lane, time)
names both. Where several tasks of a lane share that time (hubs, tasks of no length), PyPTO's order
helps: it writes the flows of one producer together, producers in the order of their slices, and
both tasks of an edge belong to one device task (seq).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfetto_pypto.swimlane.model import Int64s

Bools = NDArray[np.bool_]


class Groups(NamedTuple):
    """Tasks that share lane and time, sorted by (lane, time); members in file order."""

    lane: Int64s
    time: Int64s
    begin: Int64s
    end: Int64s
    members: Int64s

    def of(self, group: int) -> list[int]:
        """The tasks of one group."""
        return [int(task) for task in self.members[self.begin[group] : self.end[group]]]


class Resolved(NamedTuple):
    """Per flow its tasks (-1: none) and whether one of them is a guess."""

    src: Int64s
    dst: Int64s
    guessed: Bools


def group(lane: Int64s, time: Int64s) -> Groups:
    """Groups tasks (rows) by lane and time."""
    members = np.lexsort((time, lane))
    lanes, times = lane[members], time[members]
    new = np.ones(len(members), dtype=bool)
    new[1:] = (lanes[1:] != lanes[:-1]) | (times[1:] != times[:-1])
    begin = np.flatnonzero(new)
    return Groups(lanes[begin], times[begin], begin, np.append(begin[1:], len(members)), members)


def nearest(groups: Groups, lane: Int64s, time: Int64s, tolerance: int) -> Int64s:
    """The group of the same lane that is nearest in time; -1 beyond the tolerance."""
    found = np.full(len(lane), -1, dtype=np.int64)
    if not len(lane):
        return found
    order = np.argsort(lane, kind="stable")
    lanes, starts = np.unique(lane[order], return_index=True)
    for one, rows in zip(lanes, np.split(order, starts[1:]), strict=True):
        low, high = np.searchsorted(groups.lane, [one, one + 1])
        if low == high:
            continue
        times = groups.time[low:high]
        after = np.clip(np.searchsorted(times, time[rows]), 0, high - low - 1)
        before = np.maximum(after - 1, 0)
        nearer = np.abs(times[before] - time[rows]) <= np.abs(times[after] - time[rows])
        best = np.where(nearer, before, after)
        near = np.abs(times[best] - time[rows]) <= tolerance
        found[rows[near]] = low + best[near]
    return found


def resolve(
    producers: Groups, src_group: Int64s, consumers: Groups, dst_group: Int64s, seq: Int64s
) -> Resolved:
    """Chooses one producer and one consumer for each flow (rows, in file order)."""
    src, src_open = _only(producers, src_group)
    dst, dst_open = _only(consumers, dst_group)
    known = (src_group >= 0) & (dst_group >= 0)
    guessed = np.zeros(len(src), dtype=bool)
    low, high = _bounds(src, len(seq))
    last = -1
    taken: dict[tuple[int, int], int] = {}
    for flow in np.flatnonzero(known & (src_open | dst_open)):
        sources = producers.of(src_group[flow])
        targets = consumers.of(dst_group[flow])
        target_seqs = {int(seq[task]) for task in targets}
        fit = [
            task
            for task in sources
            if max(low[flow], last) <= task <= high[flow] and int(seq[task]) in target_seqs
        ] or sources
        src[flow] = fit[0]
        if src_open[flow]:
            last = fit[0]
        same = [task for task in targets if seq[task] == seq[fit[0]]] or targets
        turn = taken.get((fit[0], int(dst_group[flow])), 0)
        taken[fit[0], int(dst_group[flow])] = turn + 1
        dst[flow] = same[turn % len(same)]
        guessed[flow] = len(fit) > 1 or len(same) > 1
    src[~known] = dst[~known] = -1
    return Resolved(src, dst, guessed)


def _only(groups: Groups, group_of: Int64s) -> tuple[Int64s, Bools]:
    """The task of each flow's group (-1: none, or a choice), and which flows have a choice."""
    size = (groups.end - groups.begin)[group_of]
    task = np.where((group_of >= 0) & (size == 1), groups.members[groups.begin[group_of]], -1)
    return task, (group_of >= 0) & (size > 1)


def _bounds(src: Int64s, count: int) -> tuple[Int64s, Int64s]:
    """The producers possible for each flow by PyPTO's order, if the file keeps that order."""
    certain = src[src >= 0]
    if bool(np.any(certain[1:] < certain[:-1])):
        return np.zeros_like(src), np.full_like(src, count)
    low = np.maximum.accumulate(src)
    high = np.minimum.accumulate(np.where(src < 0, count, src)[::-1])[::-1]
    return low, high


def distinct(src: Int64s, dst: Int64s) -> tuple[Int64s, Int64s]:
    """Rows of distinct edges, sorted by (dst, src), and the rows that repeat an earlier edge."""
    order = np.lexsort((src, dst))
    repeats = np.zeros(len(order), dtype=bool)
    repeats[1:] = (src[order][1:] == src[order][:-1]) & (dst[order][1:] == dst[order][:-1])
    return order[~repeats], order[repeats]
