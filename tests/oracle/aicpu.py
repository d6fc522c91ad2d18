"""What the control processor did: time by phase, and how much of it lies outside the tasks."""

from __future__ import annotations

from tests.oracle import graph
from tests.oracle.job import Job, Rows


def aicpu_bundle(job: Job) -> Rows:
    rows: Rows = {}
    for phase in job.run.phases:
        dev_task = "" if phase.dev_task is None else str(phase.dev_task)
        key = (phase.thread, phase.name, str(phase.round), dev_task)
        row = rows.setdefault(key, {"time": 0, "count": 0})
        row["time"] = (row["time"] or 0) + phase.end - phase.start
        row["count"] = (row["count"] or 0) + 1
    return rows


def aicpu_overhead_bundle(job: Job) -> Rows:
    """From the first phase to the first task, and from the last task to the last phase's end."""
    phases = job.run.phases
    if not phases or not job.tasks:
        return {(): {"head": None, "tail": None}}
    return {
        (): {
            "head": graph.first_start(job.run) - min(phase.start for phase in phases),
            "tail": max(phase.end for phase in phases) - graph.last_end(job.run),
        }
    }
