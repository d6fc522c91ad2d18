"""Random runs for property tests, and their way into the product's model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product

import numpy as np
from hypothesis import strategies as st

from perfetto_pypto.swimlane.model import (
    Core,
    Dependencies,
    LogCore,
    Phases,
    Source,
    Strings,
    Swimlane,
    SyncEvents,
    Tasks,
)
from tests.oracle import Lane, Phase, Run, Task, engine_of
from tests.oracle.log_bridge import printed

#: The span over which tasks are strewn (ns): narrow ones give ties, wide ones real gaps.
SPANS = (8, 60, 3_000, 40_000, 5_000_000)
#: Durations on the edge of being small.
SMALL_EDGES = (9_999, 10_000, 10_001)
HUB_LANES = ("Fake Core_0", "HUB_80")
OFF_CORE_LANES = ("AI-CPU_74", "Something else")
#: (seq, func, op, root index, psg id, label, leaf hash) of a task; few, so that they repeat.
IDENTITIES = list(
    product(
        (0, 1, 2),
        (0, 1),
        (0, 1, 9),
        (-1, 4),
        (-1, 0, 2),
        ("", "up", "down", "up (2)"),
        (None, "9685100714974560904", "77", "-3"),
    )
)


IDENTITY = st.integers(0, len(IDENTITIES) - 1)


@st.composite
def lanes(draw: st.DrawFn) -> list[Lane]:
    """1 to 4 cores of one or two engines, a hub lane or two, maybe an off-core lane."""
    names = [f"AIC_{n + 1}" for n in range(draw(st.integers(0, 4)))]
    names += [f"AIV_{n + 25}" for n in range(draw(st.integers(0 if names else 1, 4)))]
    names += HUB_LANES[: draw(st.integers(1, 2))]
    names += OFF_CORE_LANES[: draw(st.sampled_from((0, 0, 1, 2)))]
    return [Lane(name, engine_of(name)) for name in names]


@st.composite
def slices(draw: st.DrawFn, lane: Lane, span: int) -> Task:
    """One slice on a lane, its id still open: anywhere, of any length from 0 on."""
    start = draw(st.integers(0, span))
    if lane.kind == "hub":
        duration = draw(st.sampled_from((0, 1, 1000)))
    else:
        longest = max(2, span // 3)
        drawn = draw(st.integers(-len(SMALL_EDGES), longest))
        duration = SMALL_EDGES[drawn] if drawn < 0 else drawn
    seq, func, op, root_index, psg_id, label, leaf_hash = IDENTITIES[draw(IDENTITY)]
    return Task(
        id=-1,
        name=f"{seq}-{func}-{op}-{root_index}-{psg_id}({label})",
        core=lane.name,
        engine=lane.engine,
        start=start,
        end=start + duration,
        seq=seq,
        func=func,
        op=op,
        leaf_hash=leaf_hash,
        label=label,
        root_index=root_index,
        psg_id=psg_id,
        kind=lane.kind,
    )


@st.composite
def dag_edges(draw: st.DrawFn, tasks: list[Task]) -> set[tuple[int, int]]:
    """Edges of a DAG: by start, so that most go forward in time, or in any order whatever."""
    place = sorted(range(len(tasks)), key=lambda index: tasks[index].start)
    if draw(st.booleans()):
        place = draw(st.permutations(place))
    node = st.integers(0, len(tasks) - 1)
    count = draw(st.integers(0, 2 * len(tasks)))
    pairs = [(draw(node), draw(node)) for _ in range(count)]
    return {(place[min(a, b)], place[max(a, b)]) for a, b in pairs if a != b}


@st.composite
def aicpu_phases(draw: st.DrawFn) -> list[Phase]:
    """None, or a few phases one after the other on the control thread and a scheduler's."""
    phases = []
    for thread in ("AICPU-CTRL-0", "AICPU-SCHED-1"):
        now = draw(st.sampled_from((0, 0, 700)))
        for length in draw(st.lists(st.integers(0, 5_000), max_size=3)):
            name = draw(st.sampled_from(("BEGIN", "DEV_TASK_BUILD")))
            dev_task = draw(st.sampled_from((None, 0, 12)))
            phases.append(Phase(thread, name, now, now + length, draw(st.integers(0, 1)), dev_task))
            now += length
    return phases


@st.composite
def runs(draw: st.DrawFn, *, cycles: bool = False) -> Run:
    """Any run whatever: overlaps, ties, idle cores, hub chains, consumers before producers.

    At least one task runs on a core. ``cycles`` turns one of its edges round and keeps both.
    """
    available = draw(lanes())
    span = draw(st.sampled_from(SPANS))
    cores = [lane for lane in available if lane.kind == "task"]
    others = [lane for lane in available if lane.kind != "task"]
    any_lane = st.sampled_from(cores * 2 + others)
    chosen = [draw(st.sampled_from(cores))]
    chosen += [draw(any_lane) for _ in range(draw(st.integers(0, 39)))]
    tasks = draw(st.permutations([draw(slices(lane, span)) for lane in chosen]))
    edges = draw(dag_edges(tasks))
    if cycles and edges:
        u, v = draw(st.sampled_from(sorted(edges)))
        edges.add((v, u))
    return from_zero(available, tasks, edges, draw(aicpu_phases()))


@st.composite
def scheduled_runs(draw: st.DrawFn) -> Run:
    """A run that could have happened: a list schedule with delays, nothing starts too early."""
    run = draw(runs())
    order: list[int] = []
    rest = {task.id for task in run.tasks}
    while rest:  # producers first, else in file order
        free = min(v for v in rest if not any(u in rest for u, w in run.edges if w == v))
        order.append(free)
        rest.remove(free)
    lane_free: dict[str, int] = {}
    tasks = list(run.tasks)
    for v in order:
        task = tasks[v]
        ready = max((tasks[u].end for u, w in run.edges if w == v), default=0)
        if task.kind == "hub":
            tasks[v] = replace(task, start=ready, end=ready)
            continue
        delay = draw(st.sampled_from((0, 0, 1, 20, 3_000)))
        start = max(ready, lane_free.get(task.core, 0)) + delay
        tasks[v] = replace(task, start=start, end=start + task.duration)
        lane_free[task.core] = start + task.duration
    return from_zero(run.lanes, tasks, run.edges, run.phases)


def from_zero(
    run_lanes: list[Lane], tasks: list[Task], edges: set[tuple[int, int]], phases: list[Phase]
) -> Run:
    """Numbers the tasks and moves everything so that the earliest event is at 0."""
    zero = min([task.start for task in tasks] + [phase.start for phase in phases])
    return Run(
        lanes=run_lanes,
        tasks=[
            replace(task, id=index, start=task.start - zero, end=task.end - zero)
            for index, task in enumerate(tasks)
        ],
        edges=edges,
        phases=[replace(p, start=p.start - zero, end=p.end - zero) for p in phases],
    )


def to_swimlane(run: Run, cores: Mapping[str, int] | None = None) -> Swimlane:
    """The run in the product's model, with a log of it."""
    counts: dict[str, int] = {}
    for lane in run.lanes:
        if lane.kind == "task":
            counts[lane.engine] = counts.get(lane.engine, 0) + 1
    counts.update(cores or {})
    place = {lane.name: index for index, lane in enumerate(run.lanes)}
    edges = sorted(run.edges, key=lambda edge: (edge[1], edge[0]))
    absent = [None] * len(run.tasks)

    def int64(value: Callable[[Task], int]) -> np.ndarray:
        return np.array([value(task) for task in run.tasks], dtype=np.int64)

    return Swimlane(
        name="random",
        source=Source(
            path="random",
            format="pypto-merged",
            layout="random",
            clock_hz=1_000_000_000,
            clock_from="made up",
            origin_us="0",
            core_counts=counts,
            core_counts_from="--cores" if cores else "lanes seen",
        ),
        cores=[Core(lane.name, lane.engine, number(lane.name)) for lane in run.lanes],
        tasks=Tasks(
            core=np.array([place[task.core] for task in run.tasks], dtype=np.int32),
            start=int64(lambda task: task.start),
            end=int64(lambda task: task.end),
            seq=int64(lambda task: task.seq),
            func=int64(lambda task: task.func),
            op=int64(lambda task: task.op),
            task_id=int64(lambda task: task.op),
            root_index=int64(lambda task: task.root_index),
            psg_id=int64(lambda task: task.psg_id),
            call_op_magic=int64(lambda _: -1),
            wrap_id=int64(lambda _: -1),
            root_hash=Strings.of(absent),
            leaf_hash=Strings.of(task.leaf_hash for task in run.tasks),
            label=Strings.of(task.label or None for task in run.tasks),
            hash_order=Strings.of(absent),
            execution_hint=Strings.of(absent),
            inputs=Strings.of(absent),
            outputs=Strings.of(absent),
            extra=Strings.of(absent),
        ),
        dependencies=Dependencies(
            src=np.array([u for u, _ in edges], dtype=np.int32),
            dst=np.array([v for _, v in edges], dtype=np.int32),
        ),
        counters=[],
        phases=phases_of(run),
        sync_events=SyncEvents(
            task=np.array([], dtype=np.int32),
            ts=np.array([], dtype=np.int64),
            type=Strings.of([]),
            event_id=np.array([], dtype=np.int64),
        ),
        findings=[],
        present={
            "tasks": len(run.tasks),
            "dependencies": len(run.edges),
            "counters": 0,
            "phases": len(run.phases),
            "sync_events": 0,
        },
        log=log_of(run),
    )


def log_of(run: Run) -> list[LogCore]:
    """A log of the run, printed without rounding."""
    return [
        LogCore(
            core=core,
            task_count=waits.task_count,
            core_total_work=int(waits.core_total_work),
            total_wait=int(waits.total_wait),
            wait_schedule=int(waits.wait_schedule),
            wait_predecessor=int(waits.wait_predecessor),
        )
        for core, waits in printed(run).items()
    ]


def phases_of(run: Run) -> Phases:
    return Phases(
        thread=Strings.of(phase.thread for phase in run.phases),
        name=Strings.of(phase.name for phase in run.phases),
        start=np.array([phase.start for phase in run.phases], dtype=np.int64),
        end=np.array([phase.end for phase in run.phases], dtype=np.int64),
        round=np.array([phase.round for phase in run.phases], dtype=np.int64),
        dev_task=np.array(
            [-1 if phase.dev_task is None else phase.dev_task for phase in run.phases],
            dtype=np.int64,
        ),
    )


def number(lane_name: str) -> int:
    """The n of ``AIC_<n>``; 0 for a lane without one."""
    digits = lane_name.rpartition("_")[2]
    return int(digits) if digits.isdigit() else 0
