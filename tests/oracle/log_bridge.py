"""From the log's figures to ours: the log's walk along a lane, with one rule of ours after another.

A reason's amount is what the walk gives with the rules up to its own, minus what it gives with
those before. The log is taken to print exactly what its rules give.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import pairwise

from tests.oracle import graph
from tests.oracle.job import Job, Rows, length, total, union
from tests.oracle.log import CoreWaits, core_waits
from tests.oracle.model import Run, Task

#: Our rules, in the order in which they take the place of the log's.
RULES = ("early_start", "file_order", "hub", "overlap", "backward", "startup")
FIGURES = ("core_total_work", "total_wait", "wait_schedule", "wait_predecessor")


def printed(run: Run) -> dict[str, CoreWaits]:
    """What a log of the run prints of its cores, in ns."""
    waits = core_waits(run)
    return {lane.name: waits[lane.name] for lane in run.lanes if lane.kind == "task"}


def bridge(run: Run) -> Iterator[tuple[str, str, str, int]]:
    """(core, figure, reason, amount), without amounts of 0 but for those of `log`."""
    if not graph.core_tasks(run):
        return
    logged = printed(run)
    walks = [walk(run, RULES[:count]) for count in range(len(RULES) + 1)]
    for core, tasks in graph.by_core(run).items():
        found = reasons(run, tasks, [waits[core] for waits in walks])
        for figure, amounts in found.items():
            yield core, figure, "log", int(getattr(logged[core], figure))
            for reason, amount in amounts.items():
                if amount:
                    yield core, figure, reason, amount


def reasons(run: Run, tasks: list[Task], waits: list[tuple[int, int]]) -> dict[str, dict[str, int]]:
    """Figure -> reason -> amount, from a core's waits with none to all of our rules."""
    found: dict[str, dict[str, int]] = {figure: defaultdict(int) for figure in FIGURES}
    for rule, (before, after) in zip(RULES, pairwise(waits), strict=True):
        wait, schedule = after[0] - before[0], after[1] - before[1]
        found["wait_schedule"][rule] = schedule
        found["wait_predecessor"][rule] = wait - schedule
        if rule != "startup":  # our idle time has the start-up in it
            found["total_wait"][rule] = wait
            found["core_total_work"][rule] = wait
    # The log's span holds the sum of durations, ours the time with any task.
    busy = length(union(tasks))
    found["core_total_work"]["overlap"] -= total(task.duration for task in tasks) - busy
    t0, t1 = graph.first_start(run), graph.last_end(run)
    last = max((task.end for task in tasks), default=t0)
    for figure in ("total_wait", "core_total_work"):
        found[figure]["tail" if tasks else "idle"] = t1 - last
    return found


def walk(run: Run, ours: Collection[str]) -> dict[str, tuple[int, int]]:
    """All of each core's wait and what of it is the scheduler's, with some rules of ours."""
    t0 = graph.first_start(run)
    if "early_start" not in ours:
        fake = {lane.name for lane in run.lanes if lane.is_fake_core}
        t0 = min(task.start for task in run.tasks if task.core not in fake)
    if "hub" in ours:
        ready = graph.ready_times(run)
    else:
        ready = {
            v: max([t0, *(run.tasks[u].end for u in direct)])
            for v, direct in graph.predecessors(run).items()
        }
    waits = {}
    for core, tasks in graph.by_core(run).items():
        wait = schedule = 0
        previous = t0
        by_file = sorted(tasks, key=lambda task: task.id)
        for place, task in enumerate(tasks if "file_order" in ours else by_file):
            gap = task.start - previous
            late = max(0, ready[task.id] - previous)
            if "overlap" in ours:
                gap = max(0, gap)
            scheduled = max(0, gap - late) if "backward" in ours else gap - late
            if place > 0 or "startup" not in ours:
                wait += gap
                schedule += scheduled
            previous = max(previous, task.end) if "overlap" in ours else task.end
        waits[core] = wait, schedule
    return waits


def log_bridge_bundle(job: Job) -> Rows:
    sums: dict[tuple[str, str], list[int]] = defaultdict(list)
    for _, figure, reason, amount in bridge(job.run):
        sums[figure, reason].append(amount)
    return {
        key: {"time": total(amounts), "core_count": len(amounts)} for key, amounts in sums.items()
    }
