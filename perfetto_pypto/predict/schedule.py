"""List scheduling: what a scheduler that never idles beside ready work would need."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from perfetto_pypto.predict.graph import longest
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
    to the end (the lowest id among equals). Nodes without an engine (hubs, off-core tasks) take
    no core and no time.

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
    followers: dict[int, list[int]] = defaultdict(list)
    waiting = np.bincount(dst, minlength=len(duration)).tolist()
    for u, v in zip(src.tolist(), dst.tolist(), strict=True):
        followers[u].append(v)
    length, priority = duration.tolist(), (-tail).tolist()
    idle = dict(cores)
    ready: dict[str, list[tuple[int, int]]] = {name: [] for name in cores}
    running: list[tuple[int, int]] = []

    def release(nodes: list[int]) -> None:
        while nodes:
            node = nodes.pop()
            where = engine[node]
            if where is not None:
                heapq.heappush(ready[where], (priority[node], node))
                continue
            nodes += finished(node)

    def finished(node: int) -> list[int]:
        free = []
        for follower in followers[node]:
            waiting[follower] -= 1
            if waiting[follower] == 0:
                free.append(follower)
        return free

    release([node for node, count in enumerate(waiting) if count == 0])
    now = 0
    while True:
        for name, queue in ready.items():
            while queue and idle[name]:
                _, node = heapq.heappop(queue)
                idle[name] -= 1
                heapq.heappush(running, (now + length[node], node))
        if not running:
            return now
        now = running[0][0]
        while running and running[0][0] == now:
            _, node = heapq.heappop(running)
            idle[engine[node] or ""] += 1
            release(finished(node))
