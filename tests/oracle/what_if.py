"""What the run would take if: each scenario's makespan and what it saves."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import groupby

from tests.oracle import graph
from tests.oracle.job import Job, Rows, percentile
from tests.oracle.list_schedule import list_schedule
from tests.oracle.model import Task
from tests.oracle.replay import record, replay

FASTER_SUBGRAPHS = 5
FUSED_SUBGRAPHS = 3
GROUP_SIZES = (2, 4, 8)


def what_if_bundle(job: Job) -> Rows:
    makespan = job.makespan
    if makespan is None:
        return {}
    predicted: dict[str, int | None] = {
        "zero-gap": graph.zero_gap_makespan(job.run),
        "infinite-cores": graph.critical_path(job.run),
        "list-schedule": list_schedule_makespan(job),
        **replayed_makespans(job),
    }
    return {
        (scenario,): {"makespan": value, "saved": makespan - value}
        for scenario, value in predicted.items()
        if value is not None
    }


def list_schedule_makespan(job: Job) -> int | None:
    placed = list_schedule(job.run, job.cores)
    return None if placed is None else max(end for _, end in placed.values())


def replayed_makespans(job: Job) -> dict[str, int]:
    recording = record(job.run)
    if recording is None:
        return {}
    t0 = graph.first_start(job.run)
    found = {}
    for leaf in most_time_on_the_path(job):
        faster = {t.id: t.duration - t.duration // 10 for t in job.tasks if t.subgraph == leaf}
        found[f"faster:{leaf}"] = max(replay(job.run, recording, faster).values()) - t0
    for leaf in most_small_tasks(job):
        for size in GROUP_SIZES:
            fused = saved_gaps(job, leaf, size)
            ends = replay(job.run, recording, without_lag=fused)
            found[f"fused:{leaf}:{size}"] = max(ends.values()) - t0
    return found


def most_time_on_the_path(job: Job) -> list[str]:
    """The subgraphs with the most time on the observed path."""
    time: Counter[str] = Counter()
    for step in graph.observed_path(job.run):
        task = job.run.tasks[step.task]
        time[task.subgraph] += task.duration
    ranked = sorted(time, key=lambda leaf: (-time[leaf], leaf))
    return [leaf for leaf in ranked if time[leaf] > 0][:FASTER_SUBGRAPHS]


def most_small_tasks(job: Job) -> list[str]:
    """The small subgraphs with the most tasks, of those that leave something to fuse."""
    tasks: dict[str, list[Task]] = {}
    for task in job.tasks:
        tasks.setdefault(task.subgraph, []).append(task)
    small = [
        leaf
        for leaf, own in tasks.items()
        if percentile([task.duration for task in own], Fraction(1, 2)) < job.small_ns
        and any(len(run) >= 2 for run in sequences(job, leaf))
    ]
    return sorted(small, key=lambda leaf: (-len(tasks[leaf]), leaf))[:FUSED_SUBGRAPHS]


def sequences(job: Job, leaf: str) -> list[list[Task]]:
    """Tasks of the subgraph that follow each other on a core, no other task between them."""
    return [
        list(own)
        for tasks in graph.by_core(job.run).values()
        for subgraph, own in groupby(tasks, key=lambda task: task.subgraph)
        if subgraph == leaf
    ]


def saved_gaps(job: Job, leaf: str, size: int) -> list[int]:
    """The tasks whose lag goes when sequences are fused in groups: all but each group's first."""
    return [
        task.id
        for own in sequences(job, leaf)
        for place, task in enumerate(own)
        if place % size != 0
    ]
