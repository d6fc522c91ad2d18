"""Every metric of the definitions' table, bundle by bundle.

A bundle is a function from a Job to ``{dimension values: {column: value}}``; add one to
``BUNDLES`` and ``compute`` knows it. Integers and Fractions throughout: nothing is rounded.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise

from tests.oracle import graph
from tests.oracle.aicpu import aicpu_bundle, aicpu_overhead_bundle
from tests.oracle.job import (
    Job,
    Row,
    Rows,
    Values,
    clamp,
    job_of,
    length,
    mean,
    percentile,
    ratio,
    total,
    union,
)
from tests.oracle.log import core_waits
from tests.oracle.log_bridge import log_bridge_bundle
from tests.oracle.model import Run, Task
from tests.oracle.what_if import what_if_bundle


def run_bundle(job: Job) -> Rows:
    run, work = job.run, job.work
    critical_path = graph.critical_path(run) if job.tasks else None
    lower_bound = None
    if critical_path is not None:
        lower_bound = max([Fraction(critical_path), *job.work_per_core.values()])
    control = [p for p in run.phases if p.thread.startswith("AICPU-CTRL")]
    control_time = total(p.end - p.start for p in control) if control else None
    return {
        (): {
            "makespan": job.makespan,
            "task_count": len(job.tasks),
            "hub_count": sum(task.kind == "hub" for task in run.tasks),
            "dependency_count": len(run.edges),
            "backward_dependency_count": len(graph.backward_dependencies(run)),
            "critical_path": critical_path,
            "lower_bound": lower_bound,
            "headroom": ratio(job.makespan, lower_bound),
            "average_parallelism": ratio(work, critical_path),
            "zero_gap_makespan": zero_gap(job),
            "control_overhead": None
            if control_time is None
            else ratio(control_time, control_time + work),
        }
    }


def zero_gap(job: Job) -> int | None:
    """Absent too where the dependencies alone have a cycle, like all that needs a DAG."""
    return graph.zero_gap_makespan(job.run) if job.tasks else None


def core_bundle(job: Job) -> Rows:
    rows: Rows = {}
    waits = core_waits(job.run)
    ready = graph.ready_times(job.run) if job.tasks else {}
    engine = {lane.name: lane.engine for lane in job.run.lanes}
    for core, tasks in graph.by_core(job.run).items():
        row: Row = core_split(job, tasks, ready) if tasks else idle_core(job)
        row["task_count"] = len(tasks)
        row["log_core_total_work"] = waits[core].core_total_work
        row["log_total_wait"] = waits[core].total_wait
        row["log_wait_schedule"] = waits[core].wait_schedule
        row["log_wait_predecessor"] = waits[core].wait_predecessor
        rows[core, engine[core]] = row
    return rows


def idle_core(job: Job) -> Row:
    parts = ("busy", "startup", "wait_predecessor", "wait_schedule", "tail", "overlap")
    return {**dict.fromkeys(parts, 0), "idle": job.makespan}


def core_split(job: Job, tasks: list[Task], ready: dict[int, int]) -> Row:
    wait_predecessor = wait_schedule = 0
    latest = tasks[0].end
    for task in tasks[1:]:
        gap = max(0, task.start - latest)
        predecessor = clamp(ready[task.id] - latest, 0, gap)
        wait_predecessor += predecessor
        wait_schedule += gap - predecessor
        latest = max(latest, task.end)
    busy = length(union(tasks))
    return {
        "busy": busy,
        "startup": tasks[0].start - graph.first_start(job.run),
        "wait_predecessor": wait_predecessor,
        "wait_schedule": wait_schedule,
        "tail": graph.last_end(job.run) - latest,
        "idle": 0,
        "overlap": total(task.duration for task in tasks) - busy,
    }


def engine_bundle(job: Job) -> Rows:
    cores = core_bundle(job)
    states = {engine: engine_state(job, engine) for engine in job.cores}
    replayed = zero_gap(job)
    groups = {engine: [engine] for engine in job.cores}
    groups["all"] = list(job.cores)
    rows: Rows = {}
    for name, engines in groups.items():
        used = [
            {column: value or 0 for column, value in row.items()}
            for (_, engine), row in cores.items()
            if engine in engines and row["task_count"]
        ]
        tasks = [task for task in job.tasks if task.engine in engines]
        small = [task for task in tasks if task.duration < job.small_ns]
        m = total(job.cores[engine] for engine in engines)
        work = total(task.duration for task in tasks)
        busy = sum(row["busy"] for row in used)
        waiting = sum(row["wait_schedule"] for row in used)
        utilization = ratio(busy, None if job.makespan is None else m * job.makespan)
        most = max((row["busy"] for row in used), default=None)
        least = min((row["busy"] for row in used), default=None)
        average = mean(row["busy"] for row in used)
        imbalance = ratio(most, average)
        skill = [
            (row["log_core_total_work"] - row["log_total_wait"], row) for row in used
        ]  # AicoreTime in the log's own terms
        rows[(name,)] = {
            "core_count": m,
            "used_core_count": len(used),
            "task_count": len(tasks),
            "busy": busy,
            "utilization": utilization,
            "bubble_ratio": None if utilization is None else 1 - utilization,
            "schedule_bubble_ratio": ratio(waiting, busy + waiting),
            "skill_bubble_rate": mean(
                Fraction(row["log_wait_schedule"]) / (time + row["log_wait_schedule"])
                for time, row in skill
                if time + row["log_wait_schedule"] != 0
            ),
            "skill_core_utilization": mean(
                Fraction(time) / (time + row["log_total_wait"])
                for time, row in skill
                if time + row["log_total_wait"] != 0
            ),
            "aicore_time_spread": None
            if most is None or least is None
            else ratio(most - least, most),
            "aicore_time_imbalance": None if imbalance is None else imbalance - 1,
            "small_task_count": len(small),
            "small_task_share": ratio(len(small), len(tasks)),
            "small_task_time_share": ratio(total(task.duration for task in small), work),
            **{
                part: None
                if job.makespan is None
                else total(states[engine][part] for engine in engines)
                for part in ("starved", "blocked", "drained")
            },
            "load_balance": ratio(average, most),
            "serialization": ratio(most, replayed),
            "dispatch": ratio(replayed, job.makespan),
        }
    return rows


def engine_state(job: Job, engine: str) -> dict[str, int]:
    """starved, blocked and drained core time of an engine, stretch by stretch.

    Between two of the instants at which something starts, ends or gets ready, nothing changes.
    """
    state = {"starved": 0, "blocked": 0, "drained": 0}
    if not job.tasks:
        return state
    t0, t1 = graph.first_start(job.run), graph.last_end(job.run)
    ready = graph.ready_times(job.run)
    tasks = [task for task in job.tasks if task.engine == engine]
    running = [
        interval
        for own in graph.by_core(job.run).values()
        for interval in union(task for task in own if task.engine == engine)
    ]
    waiting = [(ready[t.id], t.start) for t in tasks if ready[t.id] < t.start]
    last = max((task.start for task in tasks), default=t0)

    count_running, count_waiting = counter(running), counter(waiting)
    instants = sorted({t0, t1, last, *(t for pair in running + waiting for t in pair)})
    for now, following in pairwise(instants):
        idle = job.cores[engine] - count_running(now)
        if now >= last:
            state["drained"] += idle * (following - now)
        else:
            starved = min(idle, count_waiting(now))
            state["starved"] += starved * (following - now)
            state["blocked"] += (idle - starved) * (following - now)
    return state


def counter(intervals: list[tuple[int, int]]) -> Callable[[int], int]:
    """How many of the intervals cover the instant t, ends excluded."""
    starts = sorted(start for start, _ in intervals)
    ends = sorted(end for _, end in intervals)
    return lambda t: bisect_right(starts, t) - bisect_right(ends, t)


def subgraph_bundle(job: Job) -> Rows:
    groups: dict[tuple[str, str], list[Task]] = defaultdict(list)
    for task in job.tasks:
        groups[task.subgraph, task.engine].append(task)
    on_path = {step.task for step in graph.observed_path(job.run)} if job.tasks else set()
    rows: Rows = {}
    for (leaf, engine), tasks in groups.items():
        label = min((task.label for task in tasks if task.label), default="")
        durations = [task.duration for task in tasks]
        rows[leaf, engine, label] = {
            "task_count": len(tasks),
            "total": sum(durations),
            "mean": mean(durations),
            "median": percentile(durations, Fraction(1, 2)),
            "p90": percentile(durations, Fraction(9, 10)),
            "min": min(durations),
            "max": max(durations),
            "time_share": ratio(sum(durations), job.work),
            "core_count": len({task.core for task in tasks}),
            "critical_path_time": total(t.duration for t in tasks if t.id in on_path),
        }
    return rows


def stitch_bundle(job: Job) -> Rows:
    groups: dict[int, list[Task]] = defaultdict(list)
    for task in job.tasks:
        groups[task.seq].append(task)
    start = {seq: min(task.start for task in tasks) for seq, tasks in groups.items()}
    end = {seq: max(task.end for task in tasks) for seq, tasks in groups.items()}
    ordered = sorted(groups, key=lambda seq: (start[seq], seq))
    following: Mapping[int, int] = dict(pairwise(ordered))
    rows: Rows = {}
    for seq in ordered:
        tasks = groups[seq]
        span = end[seq] - start[seq]
        covered = sum(
            length(union(task for task in tasks if task.core == core))
            for core in {task.core for task in tasks}
        )
        rows[(str(seq),)] = {
            "task_count": len(tasks),
            "span": span,
            "gap_to_next": start[following[seq]] - end[seq] if seq in following else None,
            "utilization": ratio(covered, sum(job.cores.values()) * span),
        }
    return rows


def observed_path_bundle(job: Job) -> Rows:
    if not job.tasks:
        return {}
    path = graph.observed_path(job.run)
    computed = total(job.run.tasks[step.task].duration for step in path)
    rows: Rows = {("compute",): {"time": computed, "step_count": len(path)}}
    for kind in ("data_wait", "core_wait", "front"):
        gaps = [step.gap for step in path if step.kind == kind]
        if gaps:
            rows[(kind,)] = {"time": sum(gaps), "step_count": len(gaps)}
    return rows


BUNDLES: dict[str, Callable[[Job], Rows]] = {
    "pypto_run": run_bundle,
    "pypto_engine": engine_bundle,
    "pypto_core": core_bundle,
    "pypto_subgraph": subgraph_bundle,
    "pypto_stitch": stitch_bundle,
    "pypto_observed_path": observed_path_bundle,
    "pypto_what_if": what_if_bundle,
    "pypto_aicpu": aicpu_bundle,
    "pypto_aicpu_overhead": aicpu_overhead_bundle,
    "pypto_log_bridge": log_bridge_bundle,
}


def compute(run: Run, cores: Mapping[str, int] | None = None, small_ns: int = 10_000) -> Values:
    """Every metric of the run: ``{(metric id, dimension values): value}``; None is "absent".

    Args:
        run: the run.
        cores: cores of an engine, for the engines whose lanes in the file don't tell.
        small_ns: tasks shorter than this are small.
    """
    job = job_of(run, cores, small_ns)
    return {
        (f"{bundle}_{column}", dimensions): value
        for bundle, rows_of in BUNDLES.items()
        for dimensions, row in rows_of(job).items()
        for column, value in row.items()
    }
