"""Finds the tasks at the ends of flows by lane and time.

PyPTO draws an edge from just before its producer's end to its consumer's start, so (lane, time)
names both. ``choice`` decides where several tasks of a lane share that time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from perfetto_pypto.swimlane.model import Int64s


class Groups(NamedTuple):
    """Tasks that share lane and time, sorted by (lane, time); members in file order."""

    lane: Int64s
    time: Int64s
    begin: Int64s
    end: Int64s
    members: Int64s

    def of(self, group: int) -> Int64s:
        """The tasks of one group."""
        return self.members[self.begin[group] : self.end[group]]

    def size(self, group: int) -> int:
        """How many they are."""
        return int(self.end[group] - self.begin[group])


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
    # numpy sorts numbers of 16 bits, which lanes mostly are, ten times as fast as longer ones
    order = np.argsort(lane.astype(np.min_scalar_type(-1 - lane.max())), kind="stable")
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


def distinct(src: Int64s, dst: Int64s) -> tuple[Int64s, Int64s]:
    """Rows of distinct edges, sorted by (dst, src), and the rows that repeat an earlier edge."""
    edge = (dst << 32) + src  # dense ids: a lexsort of both would take three times as long
    order = np.argsort(edge)
    repeats = np.zeros(len(order), dtype=bool)
    repeats[1:] = edge[order][1:] == edge[order][:-1]
    return order[~repeats], order[repeats]
