"""What the dependencies say: readiness, critical path, slack, drag, replay, observed path."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from tests.oracle.model import Run, Task

Edges = set[tuple[int, int]]


def core_tasks(run: Run) -> list[Task]:
    """Tasks in the sense of the definitions: on a core; no hubs, no off-core work."""
    return [task for task in run.tasks if task.kind == "task"]


def first_start(run: Run) -> int:
    return min(task.start for task in core_tasks(run))


def last_end(run: Run) -> int:
    return max(task.end for task in core_tasks(run))


def order(task: Task) -> tuple[int, int, int]:
    """The order in which tasks are looked at: by start, then end, then place in the file."""
    return (task.start, task.end, task.id)


def by_core(run: Run) -> dict[str, list[Task]]:
    """Each core of the run with its tasks in order; idle cores have none."""
    cores: dict[str, list[Task]] = {lane.name: [] for lane in run.lanes if lane.kind == "task"}
    for task in sorted(core_tasks(run), key=order):
        cores[task.core].append(task)
    return cores


def predecessors(run: Run) -> dict[int, list[int]]:
    direct: dict[int, list[int]] = {task.id: [] for task in run.tasks}
    for u, v in sorted(run.edges):
        direct[v].append(u)
    return direct


def nearest(run: Run, passed: set[str]) -> dict[int, set[int]]:
    """For each node: walk the edges back through nodes of the ``passed`` kinds only.

    Gives the first nodes of another kind on each way.
    """
    direct = predecessors(run)
    found: dict[int, set[int]] = {}
    for task in run.tasks:
        found[task.id] = set()
        seen: set[int] = set()
        stack = list(direct[task.id])
        while stack:
            u = stack.pop()
            if u in seen:
                continue
            seen.add(u)
            if run.tasks[u].kind in passed:
                stack += direct[u]
            else:
                found[task.id].add(u)
    return found


def real_predecessors(run: Run) -> dict[int, set[int]]:
    """near(v): who has to end before v may start, hubs looked through."""
    return nearest(run, {"hub"})


def tasks_before(run: Run) -> dict[int, set[int]]:
    """The same for tasks on cores only: hubs and off-core work looked through."""
    return nearest(run, {"hub", "off_core"})


def ready_times(run: Run) -> dict[int, int]:
    """ready(v) of each task on a core."""
    t0 = first_start(run)
    near = real_predecessors(run)
    return {
        task.id: max([t0, *(run.tasks[u].end for u in near[task.id])]) for task in core_tasks(run)
    }


def backward_dependencies(run: Run) -> Edges:
    """Pairs of tasks whose consumer starts before its producer ends."""
    before = tasks_before(run)
    return {(u, v.id) for v in core_tasks(run) for u in before[v.id] if v.start < run.tasks[u].end}


def topological_order(nodes: int, edges: Edges) -> list[int] | None:
    """The nodes, producers first; None where the graph has a cycle."""
    waiting_for = [0] * nodes
    successors: dict[int, list[int]] = defaultdict(list)
    for u, v in edges:
        waiting_for[v] += 1
        successors[u].append(v)
    free = [v for v in range(nodes) if waiting_for[v] == 0]
    done = []
    while free:
        u = free.pop()
        done.append(u)
        for v in successors[u]:
            waiting_for[v] -= 1
            if waiting_for[v] == 0:
                free.append(v)
    return done if len(done) == nodes else None


def weights(run: Run) -> list[int]:
    """D of the tasks; hubs and off-core work weigh nothing."""
    return [task.duration if task.kind == "task" else 0 for task in run.tasks]


def earliest_finishes(weight: list[int], edges: Edges) -> list[int] | None:
    """EF(v) = weight(v) + the latest EF of v's predecessors; None where there is a cycle."""
    topological = topological_order(len(weight), edges)
    if topological is None:
        return None
    direct: dict[int, list[int]] = defaultdict(list)
    for u, v in edges:
        direct[v].append(u)
    finish = [0] * len(weight)
    for v in topological:
        finish[v] = weight[v] + max((finish[u] for u in direct[v]), default=0)
    return finish


def critical_path(run: Run) -> int | None:
    finish = earliest_finishes(weights(run), run.edges)
    return None if finish is None else max(finish, default=0)


def tails(run: Run) -> list[int] | None:
    """Of each node: the longest way from it on, itself included.

    That is the longest way up to it in the graph turned round.
    """
    return earliest_finishes(weights(run), {(v, u) for u, v in run.edges})


def slacks(run: Run) -> list[int] | None:
    """Of each node: how much later it may finish without a longer critical path.

    The longest way through v is the longest one up to v plus the longest one from v on.
    """
    weight = weights(run)
    up_to = earliest_finishes(weight, run.edges)
    from_on = tails(run)
    if up_to is None or from_on is None:
        return None
    longest = max(up_to, default=0)
    return [longest - (up_to[v] + from_on[v] - weight[v]) for v in range(len(weight))]


def ancestors(run: Run) -> list[int] | None:
    """Of each node: all that comes before it, as a set of bits; None where there is a cycle."""
    topological = topological_order(len(run.tasks), run.edges)
    if topological is None:
        return None
    direct = predecessors(run)
    before = [0] * len(run.tasks)
    for v in topological:
        for u in direct[v]:
            before[v] |= before[u] | 1 << u
    return before


def drags(run: Run) -> dict[int, int] | None:
    """Of each task: how much shorter the critical path gets if the task takes no time.

    Nothing off the path; on it, its duration, but no more than the smallest slack among the tasks
    that can run parallel to it (neither before nor after it in the graph).
    """
    slack, before = slacks(run), ancestors(run)
    if slack is None or before is None:
        return None
    drag = {}
    by_slack = sorted((task.id for task in core_tasks(run)), key=lambda v: slack[v])
    for task in core_tasks(run):
        v = task.id
        parallel = (
            slack[u]
            for u in by_slack
            if u != v and not before[u] >> v & 1 and not before[v] >> u & 1
        )
        drag[v] = min(task.duration, next(parallel, task.duration)) if slack[v] == 0 else 0
    return drag


def zero_gap_makespan(
    run: Run, duration: Callable[[Task], int] = lambda task: task.duration
) -> int | None:
    """T_zg: every task starts as soon as its predecessors and the task before it on its core ended.

    Same placement, same order on each core. None where the two orders contradict each other.
    """
    edges = set(run.edges)
    for tasks in by_core(run).values():
        edges |= {(a.id, b.id) for a, b in pairwise(tasks)}
    weight = [duration(task) if task.kind == "task" else 0 for task in run.tasks]
    finish = earliest_finishes(weight, edges)
    return None if finish is None else max(finish, default=0)


@dataclass(frozen=True)
class Step:
    """One task of the observed path and the gap before it."""

    task: int
    kind: str
    gap: int


def observed_path(run: Run) -> list[Step]:
    """From the last-ending task back to the first one, latest task first."""
    before = tasks_before(run)
    cores = by_core(run)
    v = max(core_tasks(run), key=lambda task: (task.end, task.start, task.id))
    path = []
    while True:
        best = None
        for u in {run.tasks[u] for u in before[v.id]} | set(cores[v.core]):
            if order(u) < order(v) and u.end <= v.start:
                is_data = u.id in before[v.id]
                rank = (u.end, is_data, -u.id)
                if best is None or rank > best[0]:
                    best = (rank, u, "data_wait" if is_data else "core_wait")
        if best is None:
            path.append(Step(v.id, "front", v.start - first_start(run)))
            return path
        path.append(Step(v.id, best[2], v.start - best[1].end))
        v = best[1]
