"""List scheduling: what a scheduler that never idles beside ready work would need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

import numpy as np

from perfetto_pypto.predict.graph import group, longest
from perfetto_pypto.swimlane.model import Int64s


def list_schedule(
    src: Int64s,
    dst: Int64s,
    duration: Int64s,
    engine: Sequence[str | None],
    cores: Mapping[str, int],
) -> int | None:
    """Makespan (ns) of list scheduling, highest level first.

    Whenever a core of an engine is idle, it starts the engine's ready task with the longest way
    to the end (the lowest id among equals); over all engines, the one with the longest way goes
    first. Nodes without an engine (hubs, off-core tasks) take no core and no time.

    Args:
        src: producers of the direct dependencies.
        dst: their consumers.
        duration: ns per node, 0 for those without an engine.
        engine: engine per node, None for those that need no core.
        cores: cores per engine.

    Returns:
        The makespan; None when the dependencies form a cycle.
    """
    tail = longest(dst, src, duration)
    if tail is None:
        return None
    count = len(duration)
    # Numbered by level from here on; node `count` comes before those that wait for nothing.
    by_level = np.argsort(-tail, kind="stable")
    number_of = np.empty(count, dtype=np.int64)
    number_of[by_level] = np.arange(count)
    src, dst = number_of[src], number_of[dst]
    first = np.flatnonzero(np.bincount(dst, minlength=count) == 0)
    src, dst = np.append(src, np.full(len(first), count)), np.append(dst, first)
    after, bounds = group(dst, src, count + 1)
    followers, at = after.tolist(), bounds.tolist()
    waiting = np.bincount(dst, minlength=count).tolist()
    length = duration[by_level].tolist()
    place_of = {name: place for place, name in enumerate(cores)}
    where = [-1 if (name := engine[node]) is None else place_of[name] for node in by_level.tolist()]
    idle = list(cores.values())
    # Heaps of plain integers: a node's number; its end and number in one.
    ready: list[list[int]] = [[] for _ in cores]
    running: list[int] = []
    bits = count.bit_length()
    mask = (1 << bits) - 1
    done = [count]
    places = range(len(idle))
    now = 0
    while True:
        for node in done:  # it grows by those that take no time
            for follower in followers[at[node] : at[node + 1]]:
                waiting[follower] -= 1
                if not waiting[follower]:
                    place = where[follower]
                    if place < 0:
                        done.append(follower)
                    else:
                        heappush(ready[place], follower)
        done.clear()
        while True:
            node = count
            for place in places:
                queue = ready[place]
                if queue and queue[0] < node and idle[place]:
                    node = queue[0]
            if node == count:
                break
            place = where[node]
            heappop(ready[place])
            if not length[node]:  # what it releases may go before the others
                done.append(node)
                break
            idle[place] -= 1
            heappush(running, now + length[node] << bits | node)
        if done:
            continue
        if not running:
            return now
        now = running[0] >> bits
        end = now + 1 << bits
        while running and running[0] < end:
            node = heappop(running) & mask
            idle[where[node]] += 1
            done.append(node)
