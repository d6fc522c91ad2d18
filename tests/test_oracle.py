"""The definitions as examples: small drawings with exact numbers, worked out by hand.

In the drawings a column is a nanosecond.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings

from tests import oracle
from tests.oracle import Lane, Phase, Run, Task, engine_of, graph
from tests.strategies import runs, scheduled_runs

Slice = tuple[str, int, int]


def draw(
    lanes: str,
    slices: dict[str, Slice],
    edges: str = "",
    seqs: dict[str, int] | None = None,
    phases: list[Phase] | None = None,
) -> Run:
    """A run from ``{"a": ("AIC_1", 0, 10)}`` and ``"a>b b>c"``; ids follow the given order."""
    place = {name: index for index, name in enumerate(slices)}
    tasks = [
        Task(
            id=place[name],
            name=name,
            core=lane,
            engine=engine_of(lane),
            start=start,
            end=end,
            seq=(seqs or {}).get(name, 0),
            leaf_hash=name.rstrip("0123456789"),
            label=name,
            kind=Lane(lane, engine_of(lane)).kind,
        )
        for name, (lane, start, end) in slices.items()
    ]
    pairs = [edge.split(">") for edge in edges.split()]
    return Run(
        lanes=[Lane(name, engine_of(name)) for name in lanes.split(", ")],
        tasks=tasks,
        edges={(place[u], place[v]) for u, v in pairs},
        phases=phases or [],
    )


def row(run: Run, bundle: str, *where: str, **arguments: object) -> dict[str, oracle.Value]:
    """One row of a bundle: column → value."""
    values = oracle.compute(run, **arguments)  # type: ignore[arg-type]
    return {
        metric.removeprefix(bundle + "_"): value
        for (metric, dimensions), value in values.items()
        if metric.startswith(bundle + "_") and dimensions == where
    }


def some(row_of: dict[str, oracle.Value], columns: str) -> list[oracle.Value]:
    return [row_of[column] for column in columns.split()]


#          0         10        20        30
#   AIC_1  aaaaaaaaaa...............ccccc
#   AIV_1  ............bbbbbbbb..........       a > b > c
CHAIN = draw(
    "AIC_1, AIV_1",
    {"a": ("AIC_1", 0, 10), "b": ("AIV_1", 12, 20), "c": ("AIC_1", 25, 30)},
    "a>b b>c",
)
SPLIT = "busy startup wait_predecessor wait_schedule tail idle"
STATES = "busy starved blocked drained"


def test_core_time_split() -> None:
    # c could start when b ended at 20, 10 after a; it started 5 later.
    assert some(row(CHAIN, "pypto_core", "AIC_1", "AIC"), SPLIT) == [15, 0, 10, 5, 0, 0]
    assert some(row(CHAIN, "pypto_core", "AIV_1", "AIV"), SPLIT) == [8, 12, 0, 0, 10, 0]


def test_engine_state() -> None:
    # AIC: busy 0-10 and 25-30; idle 10-20 while c waits for b (blocked), 20-25 while c is ready.
    assert some(row(CHAIN, "pypto_engine", "AIC"), STATES) == [15, 5, 10, 0]
    # AIV: idle 0-10 (b blocked), 10-12 (b ready), and from 20 on it has no more work.
    assert some(row(CHAIN, "pypto_engine", "AIV"), STATES) == [8, 2, 10, 10]
    assert some(row(CHAIN, "pypto_engine", "all"), STATES) == [23, 7, 20, 10]


def test_headline_figures() -> None:
    columns = "core_count used_core_count task_count utilization bubble_ratio schedule_bubble_ratio"
    assert some(row(CHAIN, "pypto_engine", "all"), columns) == [
        2,
        2,
        3,
        Fraction(23, 60),
        Fraction(37, 60),
        Fraction(5, 23 + 5),
    ]
    # Busy 15 and 8, mean 11.5.
    assert some(row(CHAIN, "pypto_engine", "all"), "aicore_time_spread aicore_time_imbalance") == [
        Fraction(7, 15),
        Fraction(7, 23),
    ]


def test_figures_in_the_logs_own_terms() -> None:
    columns = "log_core_total_work log_total_wait log_wait_schedule log_wait_predecessor"
    assert some(row(CHAIN, "pypto_core", "AIC_1", "AIC"), columns) == [30, 15, 5, 10]
    assert some(row(CHAIN, "pypto_core", "AIV_1", "AIV"), columns) == [20, 12, 2, 10]
    whole = row(CHAIN, "pypto_engine", "all")
    assert whole["skill_bubble_rate"] == (Fraction(5, 15 + 5) + Fraction(2, 8 + 2)) / 2
    assert whole["skill_core_utilization"] == (Fraction(15, 30) + Fraction(8, 20)) / 2


def test_run_figures() -> None:
    columns = "makespan critical_path lower_bound headroom average_parallelism zero_gap_makespan"
    assert some(row(CHAIN, "pypto_run"), columns) == [30, 23, 23, Fraction(30, 23), 1, 23]


def test_efficiency_tree() -> None:
    factors = some(row(CHAIN, "pypto_engine", "all"), "load_balance serialization dispatch")
    assert factors == [Fraction(23, 30), Fraction(15, 23), Fraction(23, 30)]
    assert factors[0] * factors[1] * factors[2] == Fraction(23, 60)  # type: ignore[operator]


def test_observed_path() -> None:
    # c waited 5 after b, b waited 2 after a, a is the first: 23 of work + 7 of waiting = 30.
    assert row(CHAIN, "pypto_observed_path", "compute") == {"time": 23, "step_count": 3}
    assert row(CHAIN, "pypto_observed_path", "data_wait") == {"time": 7, "step_count": 2}
    assert row(CHAIN, "pypto_observed_path", "core_wait") == {}
    assert row(CHAIN, "pypto_observed_path", "front") == {"time": 0, "step_count": 1}


def test_given_core_counts_replace_the_lanes_seen() -> None:
    all_cores = row(CHAIN, "pypto_engine", "all", cores={"AIC": 4})
    assert some(all_cores, "core_count utilization") == [5, Fraction(23, 5 * 30)]
    assert some(all_cores, STATES) == [23, 7, 20 + 3 * 25, 10 + 3 * 5]


def test_idle_core_and_overlap() -> None:
    #          0         10        20
    #   AIC_1  aaaaaaaaaa.....ccccc
    #             bbbb
    #   AIC_2
    run = draw(
        "AIC_1, AIC_2", {"a": ("AIC_1", 0, 10), "b": ("AIC_1", 3, 7), "c": ("AIC_1", 15, 20)}
    )
    core = row(run, "pypto_core", "AIC_1", "AIC")
    # The gap counts from 10, the latest end so far, not from the end of b; c was ready at 0.
    assert some(core, SPLIT + " overlap") == [15, 0, 0, 5, 0, 0, 4]
    assert some(row(run, "pypto_core", "AIC_2", "AIC"), SPLIT) == [0, 0, 0, 0, 0, 20]
    # The log takes the end of b, the task before in the file, and counts the overlap as -7.
    assert some(core, "log_total_wait log_wait_schedule") == [-7 + 8, -7 + 8]


def test_readiness_passes_through_hubs_but_stops_at_the_ai_cpu() -> None:
    #               0         10        20
    #   AIC_1       aaaaaaaaaa........cc
    #   Fake Core_0                h k             a > h > k > c: hubs, placed anywhere
    #   AI-CPU_9    .....xxxxxxxxxx                    x > k
    run = draw(
        "AIC_1, Fake Core_0, AI-CPU_9",
        {
            "a": ("AIC_1", 0, 10),
            "c": ("AIC_1", 18, 20),
            "h": ("Fake Core_0", 17, 18),
            "k": ("Fake Core_0", 17, 18),
            "x": ("AI-CPU_9", 5, 15),
        },
        "a>h h>k k>c x>k",
    )
    assert graph.real_predecessors(run)[1] == {0, 4}
    assert graph.tasks_before(run)[1] == {0}
    assert some(row(run, "pypto_core", "AIC_1", "AIC"), SPLIT) == [12, 0, 5, 3, 0, 0]
    # The log believes in the hub's invented end, and sees no wait for the scheduler.
    assert row(run, "pypto_core", "AIC_1", "AIC")["log_wait_schedule"] == 0
    counts = "task_count hub_count dependency_count critical_path"
    assert some(row(run, "pypto_run"), counts) == [2, 2, 4, 12]


def test_backward_dependency() -> None:
    #          0         10
    #   AIC_1  aaaaaaaaaa
    #   AIV_1  ........bbbbbbb       a > b: b started 2 before a ended
    run = draw("AIC_1, AIV_1", {"a": ("AIC_1", 0, 10), "b": ("AIV_1", 8, 15)}, "a>b")
    assert row(run, "pypto_run")["backward_dependency_count"] == 1
    assert row(run, "pypto_run")["critical_path"] == 17
    # It is never followed in time: b is at the front, 8 after T0.
    assert row(run, "pypto_observed_path", "front") == {"time": 8, "step_count": 1}
    # Nothing counts as ready before a's end, when b runs already.
    assert some(row(run, "pypto_engine", "AIV"), STATES) == [7, 0, 8, 0]


def test_observed_path_prefers_data_over_the_core_where_both_end_together() -> None:
    #          0         10
    #   AIC_1  aaaaaaaaaa..cccc
    #   AIV_1  bbbbbbbbbb            b > c
    run = draw(
        "AIC_1, AIV_1",
        {"a": ("AIC_1", 0, 10), "b": ("AIV_1", 0, 10), "c": ("AIC_1", 12, 16)},
        "b>c",
    )
    assert [(step.task, step.kind, step.gap) for step in graph.observed_path(run)] == [
        (2, "data_wait", 2),
        (1, "front", 0),
    ]
    without_edge = replace(run, edges=set())
    assert [(step.task, step.kind, step.gap) for step in graph.observed_path(without_edge)] == [
        (2, "core_wait", 2),
        (0, "front", 0),
    ]


def test_slack_and_drag() -> None:
    #        a 4 ──► b 9 ──► d 2
    #          └───► c 6 ────┘
    run = draw(
        "AIC_1, AIC_2",
        {
            "a": ("AIC_1", 0, 4),
            "b": ("AIC_1", 4, 13),
            "c": ("AIC_2", 4, 10),
            "d": ("AIC_1", 13, 15),
        },
        "a>b a>c b>d c>d",
    )
    assert graph.slacks(run) == [0, 0, 3, 0]
    # Without b, c is the longest way: only 3 of b's 9 ns are won.
    assert graph.drags(run) == {0: 4, 1: 3, 2: 0, 3: 2}


def test_what_a_cycle_leaves() -> None:
    run = replace(CHAIN, edges={(0, 1), (1, 2), (2, 0)})
    columns = "critical_path lower_bound headroom average_parallelism zero_gap_makespan"
    assert some(row(run, "pypto_run"), columns) == [None] * 5
    assert row(run, "pypto_engine", "all")["dispatch"] is None
    assert row(run, "pypto_run")["makespan"] == 30


def test_order_on_a_core_against_the_dependencies_leaves_no_replay() -> None:
    # b runs before a on the same core although a > b: no order satisfies both.
    run = draw("AIC_1", {"a": ("AIC_1", 10, 20), "b": ("AIC_1", 0, 5)}, "a>b")
    assert some(row(run, "pypto_run"), "critical_path zero_gap_makespan") == [15, None]


def test_small_tasks() -> None:
    slices = {"a": ("AIC_1", 0, 9_999), "b": ("AIC_1", 10_000, 20_000)}
    columns = "small_task_count small_task_share small_task_time_share"
    small = some(row(draw("AIC_1", slices), "pypto_engine", "AIC"), columns)
    assert small == [1, Fraction(1, 2), Fraction(9_999, 19_999)]


def test_isomorphic_subgraphs() -> None:
    run = draw(
        "AIC_1, AIC_2",
        {
            "up1": ("AIC_1", 0, 1),
            "up2": ("AIC_2", 0, 2),
            "up3": ("AIC_1", 2, 6),
            "up4": ("AIC_1", 6, 14),
            "x": ("AIC_2", 5, 10),
        },
    )
    assert row(run, "pypto_subgraph", "up", "AIC", "up1") == {
        "task_count": 4,
        "total": 15,
        "mean": Fraction(15, 4),
        "median": 3,
        "p90": Fraction(68, 10),  # 0.7 of the way from 4 to 8
        "min": 1,
        "max": 8,
        "time_share": Fraction(15, 20),
        "core_count": 2,
        # Back along AIC_1, as nothing depends on anything: up4, up3, up1.
        "critical_path_time": 8 + 4 + 1,
    }


def test_a_task_without_leaf_hash_is_known_by_its_root_and_subgraph() -> None:
    task = replace(CHAIN.tasks[0], leaf_hash=None, root_index=-1, psg_id=11, label="")
    values = oracle.compute(replace(CHAIN, tasks=[task, *CHAIN.tasks[1:]]))
    assert values["pypto_subgraph_total", ("-1-11", "AIC", "")] == 10


def test_stitch_batches() -> None:
    #          0         10        20
    #   AIC_1  aaaaaaaaaa  cccc  d        a, b: batch 7; c: batch 3; d: batch 5
    #   AIC_2  bbbb
    run = draw(
        "AIC_1, AIC_2",
        {
            "a": ("AIC_1", 0, 10),
            "b": ("AIC_2", 0, 4),
            "c": ("AIC_1", 12, 16),
            "d": ("AIC_1", 18, 18),
        },
        seqs={"a": 7, "b": 7, "c": 3, "d": 5},
    )
    columns = "task_count span gap_to_next utilization"
    assert some(row(run, "pypto_stitch", "7"), columns) == [2, 10, 2, Fraction(14, 20)]
    assert some(row(run, "pypto_stitch", "3"), columns) == [1, 4, 2, Fraction(1, 2)]
    assert some(row(run, "pypto_stitch", "5"), columns) == [1, 0, None, None]


def test_control_overhead_needs_the_aicpu_view() -> None:
    assert row(CHAIN, "pypto_run")["control_overhead"] is None
    phases = [Phase("AICPU-CTRL-0", "INIT", 0, 27), Phase("AICPU-SCHED-1", "INIT", 0, 9)]
    run = replace(CHAIN, phases=phases)
    assert row(run, "pypto_run")["control_overhead"] == Fraction(27, 27 + 23)


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        ("AIC_1", "AIC"),
        ("AIV_48", "AIV"),
        ("AICORE_0", "AICORE"),
        ("AI-CPU_74", "AI-CPU"),
        ("HUB_80", "HUB"),
        ("Fake Core_0", "HUB"),
        ("AICPU_1", "OTHER"),
        ("AIC_x", "OTHER"),
    ],
)
def test_engine_of_a_lane(name: str, engine: str) -> None:
    assert engine_of(name) == engine


@given(runs())
@settings(max_examples=500)
def test_identities_hold_on_any_run(run: Run) -> None:
    assert oracle.identities(oracle.compute(run)) == []


@given(scheduled_runs())
@settings(max_examples=200)
def test_bounds_hold_on_a_run_that_could_have_happened(run: Run) -> None:
    values = row(run, "pypto_run")
    assert values["backward_dependency_count"] == 0
    assert values["lower_bound"] <= values["makespan"]  # type: ignore[operator]
    if values["zero_gap_makespan"] is not None:
        assert values["lower_bound"] <= values["zero_gap_makespan"] <= values["makespan"]  # type: ignore[operator]


@given(runs())
@settings(max_examples=200)
def test_engine_state_tick_by_tick(run: Run) -> None:
    """The same state in the plainest way: look at every nanosecond of a run squeezed into few."""
    run = replace(
        run,
        tasks=[
            replace(task, start=task.start % 20, end=task.start % 20 + task.duration % 9)
            for task in run.tasks
        ],
    )
    ready = graph.ready_times(run)
    for engine in {lane.engine for lane in run.lanes if lane.kind == "task"}:
        tasks = [task for task in graph.core_tasks(run) if task.engine == engine]
        cores = {lane.name for lane in run.lanes if lane.engine == engine}
        state = dict.fromkeys(STATES.split(), 0)
        for now in range(graph.first_start(run), graph.last_end(run)):
            running = {task.core for task in tasks if task.start <= now < task.end}
            waiting = [task for task in tasks if ready[task.id] <= now < task.start]
            idle = len(cores - running)
            state["busy"] += len(running)
            if any(task.start > now for task in tasks):
                state["starved"] += min(idle, len(waiting))
                state["blocked"] += idle - min(idle, len(waiting))
            else:
                state["drained"] += idle
        values = row(run, "pypto_engine", engine)
        assert {part: values[part] for part in state} == state
