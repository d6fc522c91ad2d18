"""Longest paths in a graph given as arrays, wave by wave."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perfetto_pypto.swimlane.model import Int64s


@dataclass(frozen=True, slots=True)
class Waves:
    """The nodes of an acyclic graph in waves: those of one depend on earlier ones only.

    order:   the nodes, wave by wave; their place here is what the other columns speak of
    place:   the place of each node
    starts:  the first place of each wave, and the end of the last
    before:  the places of all nodes' predecessors, node by node
    bounds:  where those of each place begin in ``before``, and the end of the last
    """

    order: Int64s
    place: Int64s
    starts: list[int]
    before: Int64s
    bounds: Int64s

    def follow(self, times: Int64s) -> None:
        """Turns durations into finishes: each node starts when all its predecessors have finished.

        Args:
            times: of each place, n or n x k for k variants at once; the first start is 0.
        """
        edges = self.bounds[self.starts].tolist()
        for wave in range(1, len(self.starts) - 1):
            first, end = self.starts[wave], self.starts[wave + 1]
            ends = times.take(self.before[edges[wave] : edges[wave + 1]], axis=0)
            each = self.bounds[first:end] - edges[wave]
            times[first:end] += np.maximum.reduceat(ends, each, axis=0)


def waves(src: Int64s, dst: Int64s, count: int) -> Waves | None:
    """Arranges a graph; None when its edges form a cycle.

    Args:
        src: producers of the edges, nodes 0 … count-1; duplicates do no harm.
        dst: their consumers.
        count: the nodes.
    """
    out_dst, out_bounds = group(dst, src, count)
    waiting = np.bincount(dst, minlength=count)
    wave = np.flatnonzero(waiting == 0)
    found = []
    while len(wave):
        found.append(wave)
        followers = out_dst[_ranges(out_bounds, wave)]
        np.subtract.at(waiting, followers, 1)
        wave = np.unique(followers[waiting[followers] == 0])
    order = np.concatenate(found) if found else np.zeros(0, dtype=np.int64)
    if len(order) < count:
        return None
    place = np.empty(count, dtype=np.int64)
    place[order] = np.arange(count)
    before, bounds = group(place[src], place[dst], count)
    starts = np.cumsum([0, *map(len, found)]).tolist()
    return Waves(order, place, starts, before, bounds)


def longest(src: Int64s, dst: Int64s, duration: Int64s) -> Int64s | None:
    """Finish of each node that starts as soon as all its predecessors have finished.

    Args:
        src: producers of the edges, nodes 0 … n-1; duplicates do no harm.
        dst: their consumers.
        duration: n durations, or n x k for k variants at once.

    Returns:
        n (or n x k) finishes, the first start being 0; None when the edges form a cycle.
    """
    graph = waves(src, dst, len(duration))
    if graph is None:
        return None
    finish = duration[graph.order]
    graph.follow(finish)
    by_node: Int64s = finish[graph.place]
    return by_node


def group(values: Int64s, keys: Int64s, count: int) -> tuple[Int64s, Int64s]:
    """The values sorted by key, and where those of each key 0 … count-1 begin."""
    # Each key and its place as one number: these are sorted several times as fast as by argsort.
    bits = len(keys).bit_length()
    order = np.sort(keys << bits | np.arange(len(keys))) & (1 << bits) - 1
    return values[order], np.append(0, np.cumsum(np.bincount(keys, minlength=count)))


def _ranges(bounds: Int64s, nodes: Int64s) -> Int64s:
    """The indices bounds[i] … bounds[i + 1] - 1 of all nodes i, one after the other."""
    starts, sizes = bounds[nodes], bounds[nodes + 1] - bounds[nodes]
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - sizes), sizes) + np.arange(total)
