"""Longest paths in a graph given as arrays, wave by wave."""

from __future__ import annotations

import numpy as np

from perfetto_pypto.swimlane.model import Int64s


def longest(src: Int64s, dst: Int64s, weight: Int64s) -> Int64s | None:
    """Finish of each node that starts as soon as all its predecessors have finished.

    Args:
        src: producers of the edges, nodes 0 … n-1; duplicates do no harm.
        dst: their consumers.
        weight: n durations, or n x k for k variants at once.

    Returns:
        n (or n x k) finishes, the first start being 0; None when the edges form a cycle.
    """
    count = len(weight)
    order = np.argsort(dst, kind="stable")
    in_src, in_bounds = src[order], _bounds(dst[order], count)
    order = np.argsort(src, kind="stable")
    out_dst, out_bounds = dst[order], _bounds(src[order], count)
    waiting = np.diff(in_bounds)
    finish = np.array(weight)
    wave = np.flatnonzero(waiting == 0)
    done = len(wave)
    while len(wave):
        followers = out_dst[_ranges(out_bounds, wave)]
        released, arrivals = np.unique(followers, return_counts=True)
        waiting[released] -= arrivals
        wave = released[waiting[released] == 0]
        if len(wave):
            sizes = in_bounds[wave + 1] - in_bounds[wave]
            starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
            before = finish[in_src[_ranges(in_bounds, wave)]]
            finish[wave] += np.maximum.reduceat(before, starts, axis=0)
        done += len(wave)
    return finish if done == count else None


def _bounds(sorted_keys: Int64s, count: int) -> Int64s:
    return np.searchsorted(sorted_keys, np.arange(count + 1))


def _ranges(bounds: Int64s, nodes: Int64s) -> Int64s:
    """The indices bounds[i] … bounds[i + 1] - 1 of all nodes i, one after the other."""
    starts, sizes = bounds[nodes], bounds[nodes + 1] - bounds[nodes]
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - sizes), sizes) + np.arange(total)
