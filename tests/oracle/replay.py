"""The run once more with other durations: same cores, same order on them, same hesitation.

What a task waited for is kept: those of its predecessors that had ended when it started, and the
task before it on its core. The time from then to its start is its lag: whatever the scheduler
needed, it needs again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from tests.oracle import graph
from tests.oracle.model import Run


@dataclass(frozen=True)
class Recording:
    """The run as it is replayed.

    kept: of each task and each hub that follows a task, what it waits for.
    lag:  of each task, ns between the end of all that and its start.
    order: tasks and hubs, each after all that it waits for.
    """

    kept: dict[int, set[int]]
    lag: dict[int, int]
    order: list[int]


def through_ends(run: Run) -> dict[int, int]:
    """X(h): when the last task behind a hub or off-core node ended; absent where there is none."""
    before = graph.tasks_before(run)
    return {
        node.id: max(run.tasks[u].end for u in before[node.id])
        for node in run.tasks
        if node.kind != "task" and before[node.id]
    }


def record(run: Run) -> Recording | None:
    """What the run's tasks waited for; None where they waited for each other in a circle."""
    t0 = graph.first_start(run)
    direct = graph.predecessors(run)
    ended = through_ends(run)
    ended |= {task.id: task.end for task in graph.core_tasks(run)}
    previous = {v.id: u for tasks in graph.by_core(run).values() for u, v in pairwise(tasks)}

    kept: dict[int, set[int]] = {}
    lag = {}
    for node in run.tasks:
        if node.kind == "task":
            kept[node.id] = {
                u
                for u in direct[node.id]
                if u in ended
                and ended[u] <= node.start
                and (run.tasks[u].kind != "task" or graph.order(run.tasks[u]) < graph.order(node))
            }
            on_core = previous.get(node.id)
            if on_core and on_core.end <= node.start:
                kept[node.id].add(on_core.id)
            lag[node.id] = node.start - max((ended[u] for u in kept[node.id]), default=t0)
        elif node.id in ended:
            kept[node.id] = {u for u in direct[node.id] if u in ended}

    edges = {(u, v) for v, before in kept.items() for u in before}
    order = graph.topological_order(len(run.tasks), edges)
    return None if order is None else Recording(kept, lag, [v for v in order if v in kept])


def replay(
    run: Run,
    recording: Recording,
    durations: Mapping[int, int] | None = None,
    without_lag: Iterable[int] = (),
) -> dict[int, int]:
    """When each task ends with other durations of some tasks, and no lag of others."""
    t0 = graph.first_start(run)
    duration = {task.id: task.duration for task in graph.core_tasks(run)} | dict(durations or {})
    lag = recording.lag | dict.fromkeys(without_lag, 0)
    end: dict[int, int] = {}
    for v in recording.order:
        latest = max((end[u] for u in recording.kept[v]), default=t0)
        # A hub takes no time.
        end[v] = latest + lag[v] + duration[v] if v in duration else latest
    return {task.id: end[task.id] for task in graph.core_tasks(run)}
