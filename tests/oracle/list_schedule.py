"""List scheduling, highest level first: what a scheduler that knows the graph may reach."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heappop, heappush

from tests.oracle import graph
from tests.oracle.model import Run


def list_schedule(run: Run, cores: Mapping[str, int]) -> dict[int, tuple[int, int]] | None:
    """Start and end of each task; None where the graph has a cycle.

    Whenever a core is idle, it takes the ready task of its engine with the longest way to the end
    of the graph. Hubs and off-core nodes end when all before them has.
    """
    level = graph.tails(run)
    if level is None:
        return None
    missing = {v: len(before) for v, before in graph.predecessors(run).items()}
    after: dict[int, list[int]] = {v: [] for v in missing}
    for u, v in run.edges:
        after[u].append(v)
    ready: dict[str, list[tuple[int, int]]] = {engine: [] for engine in cores}  # (-level, id)
    running: list[tuple[int, int]] = []  # (end, id)
    idle = dict(cores)
    placed: dict[int, tuple[int, int]] = {}

    def all_before_has_ended(v: int) -> None:
        if run.tasks[v].kind == "task":
            heappush(ready[run.tasks[v].engine], (-level[v], v))
        else:
            end(v)

    def end(v: int) -> None:
        for w in after[v]:
            missing[w] -= 1
            if missing[w] == 0:
                all_before_has_ended(w)

    for v in [v for v, count in missing.items() if count == 0]:
        all_before_has_ended(v)
    now = 0
    while any(ready.values()) or running:
        while free := [engine for engine in cores if ready[engine] and idle[engine] > 0]:
            engine = min(free, key=lambda engine: ready[engine][0])
            _, v = heappop(ready[engine])
            placed[v] = (now, now + run.tasks[v].duration)
            if run.tasks[v].duration == 0:
                end(v)
            else:
                idle[engine] -= 1
                heappush(running, (placed[v][1], v))
        if running:
            now = running[0][0]
        while running and running[0][0] == now:
            _, v = heappop(running)
            idle[run.tasks[v].engine] += 1
            end(v)
    return placed
