"""What-if as examples worked out by hand, and what must hold on any run."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings

from tests import oracle
from tests.oracle import Lane, Phase, Run, Task, engine_of, graph
from tests.oracle.graham import graham_bound
from tests.oracle.list_schedule import list_schedule
from tests.oracle.replay import record, replay
from tests.paths import run_name, sample_runs
from tests.strategies import runs, scheduled_runs


def draw(lanes: str, slices: str, edges: str = "", phases: list[Phase] | None = None) -> Run:
    """A run from ``a AIC_1 0-10, b AIC_1 12-20`` and ``a>b``; ``up1`` is of subgraph ``up``."""
    tasks = []
    for index, text in enumerate(slices.split(", ")):
        name, lane, span = text.split()
        start, end = span.split("-")
        engine = engine_of(lane)
        tasks.append(
            Task(
                id=index,
                name=name,
                core=lane,
                engine=engine,
                start=int(start),
                end=int(end),
                leaf_hash=name.rstrip("0123456789"),
                kind=Lane(lane, engine).kind,
            )
        )
    place = {task.name: task.id for task in tasks}
    return Run(
        lanes=[Lane(name, engine_of(name)) for name in lanes.split(", ")],
        tasks=tasks,
        edges={(place[u], place[v]) for u, v in (edge.split(">") for edge in edges.split())},
        phases=phases or [],
    )


def ends(run: Run, *, duration: dict[str, int] | None = None, no_lag: str = "") -> dict[str, int]:
    """When each task ends in the replay, by its name."""
    recording = record(run)
    assert recording
    place = {task.name: task.id for task in run.tasks}
    changed = {place[name]: ns for name, ns in (duration or {}).items()}
    replayed = replay(run, recording, changed, [place[name] for name in no_lag.split()])
    return {run.tasks[v].name: end for v, end in replayed.items()}


def lags(run: Run) -> dict[str, int]:
    recording = record(run)
    assert recording
    return {run.tasks[v].name: lag for v, lag in recording.lag.items()}


def what_if(run: Run, **arguments: object) -> dict[str, oracle.Value]:
    """The makespan of each scenario."""
    return scenarios(oracle.compute(run, **arguments))  # type: ignore[arg-type]


def scenarios(values: oracle.Values) -> dict[str, oracle.Value]:
    return {
        where[0]: value
        for (metric, where), value in values.items()
        if metric == "pypto_what_if_makespan"
    }


#          0         10        20        30
#   AIC_1  aaaaaaaaaa...............ccccc
#   AIV_1  ............bbbbbbbb..........       a > b > c
CHAIN = draw("AIC_1, AIV_1", "a AIC_1 0-10, b AIV_1 12-20, c AIC_1 25-30", "a>b b>c")


def test_replay_keeps_each_tasks_lag() -> None:
    assert lags(CHAIN) == {"a": 0, "b": 2, "c": 5}
    assert ends(CHAIN) == {"a": 10, "b": 20, "c": 30}
    assert ends(CHAIN, duration={"b": 4}) == {"a": 10, "b": 16, "c": 26}
    assert ends(CHAIN, no_lag="b c") == {"a": 10, "b": 18, "c": 23}


def test_a_task_waits_for_the_task_before_it_on_its_core() -> None:
    # b follows a on the core and c in the graph: it waits for the later of them.
    run = draw("AIC_1, AIC_2", "a AIC_1 0-10, b AIC_1 11-15, c AIC_2 0-8", "c>b")
    assert lags(run) == {"a": 0, "b": 1, "c": 0}
    assert ends(run, duration={"a": 5}) == {"a": 5, "b": 13, "c": 8}


def test_what_had_not_ended_is_not_waited_for() -> None:
    # b overlaps a on the core, and d started before its producer c ended: all from T0 = 0.
    run = draw("AIC_1, AIC_2, AIC_3", "a AIC_1 0-10, b AIC_1 9-15, c AIC_2 0-8, d AIC_3 7-9", "c>d")
    assert lags(run) == {"a": 0, "b": 9, "c": 0, "d": 7}
    assert ends(run, duration={"a": 1, "c": 1}) == {"a": 1, "b": 15, "c": 1, "d": 9}


def test_hubs_are_waited_for_at_the_end_of_the_last_task_behind_them() -> None:
    # Their own times don't count, nor those of the AI-CPU; no task lies behind z.
    run = draw(
        "AIC_1, AIC_2, AI-CPU_9, HUB_80",
        "a AIC_1 0-10, b AIC_2 0-6, c AIC_2 13-15, h AI-CPU_9 0-0, k HUB_80 99-99, z HUB_80 0-0",
        "a>h b>h h>k k>c z>c",
    )
    assert lags(run)["c"] == 3
    assert ends(run, duration={"a": 2})["c"] == 6 + 3 + 2


def test_a_hub_that_a_late_task_lies_behind_is_not_waited_for() -> None:
    run = draw("AIC_1, AIC_2, HUB_80", "a AIC_1 0-10, c AIC_2 8-9, h HUB_80 7-8", "a>h h>c")
    assert lags(run)["c"] == 8
    assert ends(run, duration={"a": 1})["c"] == 9


def test_tasks_that_waited_for_each_other_leave_no_replay() -> None:
    # Two tasks of no length at one time, through a hub each way round.
    run = draw("AIC_1, HUB_80", "a AIC_1 5-5, b AIC_1 5-5, h HUB_80 5-5", "b>h h>a")
    assert record(run) is None
    assert [scenario for scenario in what_if(run) if ":" in scenario] == []


def test_every_scenario() -> None:
    #          0         10        20        30
    #   AIC_1  uuuuuuuuuu.xxxxxxxxxx..uuuuu..uuuuu     up1, x, up2, up3
    run = draw("AIC_1", "up1 AIC_1 0-10, x AIC_1 11-21, up2 AIC_1 23-28, up3 AIC_1 30-35")
    assert what_if(run) == {
        "zero-gap": 30,
        "infinite-cores": 10,
        "list-schedule": 30,
        "faster:up": 35 - 1,  # 10 % of 10 is 1; of 5 it is less than 1 ns
        "faster:x": 35 - 1,
        "fused:up:2": 35 - 2,  # up3 follows up2; up1 and up2 have x between them
        "fused:up:4": 35 - 2,
        "fused:up:8": 35 - 2,
    }
    assert "fused:up:2" not in what_if(run, small_ns=5)  # the median is 5


def test_fused_groups_keep_the_gap_before_each_group() -> None:
    # Five tasks of 1 ns, gaps of 1, 2, 4 and 8: groups of two keep the 2 and the 8.
    run = draw("AIC_1", "u1 AIC_1 0-1, u2 AIC_1 2-3, u3 AIC_1 5-6, u4 AIC_1 10-11, u5 AIC_1 19-20")
    fused = {name: value for name, value in what_if(run).items() if name.startswith("fused")}
    assert fused == {"fused:u:2": 5 + 2 + 8, "fused:u:4": 5 + 8, "fused:u:8": 5}


def test_five_subgraphs_of_the_path_and_three_small_ones() -> None:
    # a to g, two tasks each, one after another on one core: all on the path; g takes no time.
    lengths = {"a": 3, "b": 9, "c": 5, "d": 5, "e": 5, "f": 7, "g": 0}
    slices, now = [], 0
    for name, length in lengths.items():
        for number in (1, 2):
            slices.append(f"{name}{number} AIC_1 {now}-{now + length}")
            now += length
    found = what_if(draw("AIC_1", ", ".join(slices)))
    assert {name for name in found if name.startswith("faster")} == {
        "faster:b",
        "faster:f",
        "faster:c",
        "faster:d",
        "faster:e",
    }
    assert {name for name in found if name.endswith(":2")} == {
        "fused:a:2",
        "fused:b:2",
        "fused:c:2",
    }


def test_list_schedule_takes_the_longest_way_first() -> None:
    # c heads the longest way (2 + 7); on one core a greedy first-come order would take a first.
    run = draw("AIC_1, AIV_1", "a AIC_1 0-4, b AIC_1 4-8, c AIC_1 8-10, d AIV_1 10-17", "c>d")
    assert list_schedule(run, {"AIC": 1, "AIV": 1}) == {
        0: (2, 6),
        1: (6, 10),
        2: (0, 2),
        3: (2, 9),
    }
    assert list_schedule(run, {"AIC": 3, "AIV": 1}) == {
        0: (0, 4),
        1: (0, 4),
        2: (0, 2),
        3: (2, 9),
    }


def test_list_schedule_passes_hubs_and_work_elsewhere_in_no_time() -> None:
    run = draw(
        "AIC_1, HUB_80, AI-CPU_9",
        "a AIC_1 0-4, h HUB_80 0-1, x AI-CPU_9 4-99, b AIC_1 99-101",
        "h>a a>x x>b",
    )
    assert list_schedule(run, {"AIC": 1}) == {0: (0, 4), 3: (4, 6)}


def test_tasks_of_no_length_need_an_idle_core_but_hold_none() -> None:
    # z starts only when a frees the core, ends at once, and c and b follow by their level.
    run = draw("AIC_1", "a AIC_1 0-4, z AIC_1 4-4, b AIC_1 4-5, c AIC_1 5-7", "a>z z>b z>c")
    assert list_schedule(run, {"AIC": 1}) == {0: (0, 4), 1: (4, 4), 2: (6, 7), 3: (4, 6)}


def test_what_a_task_of_no_length_frees_counts_among_the_ready_at_once() -> None:
    # z ends at 0, so b is ready at 0, and before a by its level, whichever engine z runs on.
    run = draw("AIC_1, AIV_1", "z AIV_1 0-0, a AIC_1 0-4, b AIC_1 4-14, y AIV_1 14-19", "z>b b>y")
    assert list_schedule(run, {"AIC": 1, "AIV": 1}) == {
        0: (0, 0),
        1: (10, 14),
        2: (0, 10),
        3: (10, 15),
    }


def test_graham_bound() -> None:
    # W/m is 15 on one AIC and 8/2 on two AIVs; the critical path is 23.
    job = oracle.job_of(CHAIN, {"AIV": 2})
    assert graham_bound(job) == 15 + 4 + (1 - Fraction(1, 2)) * 23


def test_aicpu_time_by_phase_and_around_the_tasks() -> None:
    phases = [
        Phase("AICPU-CTRL-0", "INIT", 0, 7),
        Phase("AICPU-CTRL-0", "BUILD", 7, 9, dev_task=0),
        Phase("AICPU-CTRL-0", "BUILD", 9, 14, dev_task=0),
        Phase("AICPU-CTRL-0", "BUILD", 20, 21, round=1, dev_task=0),
    ]
    values = oracle.compute(draw("AIC_1", "a AIC_1 10-40", phases=phases))
    aicpu = {key: value for key, value in values.items() if key[0].startswith("pypto_aicpu")}
    thread = "AICPU-CTRL-0"
    assert aicpu == {
        ("pypto_aicpu_time", (thread, "INIT", "0", "")): 7,
        ("pypto_aicpu_count", (thread, "INIT", "0", "")): 1,
        ("pypto_aicpu_time", (thread, "BUILD", "0", "0")): 7,
        ("pypto_aicpu_count", (thread, "BUILD", "0", "0")): 2,
        ("pypto_aicpu_time", (thread, "BUILD", "1", "0")): 1,
        ("pypto_aicpu_count", (thread, "BUILD", "1", "0")): 1,
        ("pypto_aicpu_overhead_head", ()): 10,
        ("pypto_aicpu_overhead_tail", ()): -19,
    }


def check_what_if(run: Run) -> None:
    """What holds on any run."""
    tasks = graph.core_tasks(run)
    recording = record(run)
    if recording:
        assert all(lag >= 0 for lag in recording.lag.values())
        assert replay(run, recording) == {task.id: task.end for task in tasks}
    values = oracle.compute(run)
    makespan = values["pypto_run_makespan", ()]
    lower_bound = values["pypto_run_lower_bound", ()]
    assert makespan is not None
    for scenario, value in scenarios(values).items():
        assert value is not None
        if scenario.startswith(("faster", "fused")):
            assert value <= makespan, scenario
        if scenario in ("list-schedule", "zero-gap"):
            assert lower_bound is not None
            assert value >= lower_bound, scenario
        assert values["pypto_what_if_saved", (scenario,)] == makespan - value
        if scenario.endswith((":4", ":8")) and scenario.startswith("fused"):
            leaf, _, size = scenario.rpartition(":")
            # A group of 4 saves every gap that its two groups of 2 save.
            smaller = values["pypto_what_if_makespan", (f"{leaf}:{int(size) // 2}",)]
            assert smaller is not None
            assert value <= smaller, scenario


@given(runs())
@settings(max_examples=300)
def test_any_run(run: Run) -> None:
    check_what_if(run)


@given(runs(cycles=True))
@settings(max_examples=100)
def test_any_run_with_a_cycle(run: Run) -> None:
    check_what_if(run)


@given(runs())
@settings(max_examples=300)
def test_drag_is_what_the_path_loses_without_the_task(run: Run) -> None:
    assert graph.drags(run) == drags_by_trial(run)


def drags_by_trial(run: Run) -> dict[int, int]:
    """Each task in turn takes no time: how much shorter does the critical path get?"""
    longest = graph.critical_path(run)
    assert longest is not None
    drag = {}
    for task in graph.core_tasks(run):
        weight = graph.weights(run)
        weight[task.id] = 0
        drag[task.id] = longest - max(graph.earliest_finishes(weight, run.edges) or [])
    return drag


@given(scheduled_runs())
@settings(max_examples=100)
def test_run_that_could_have_happened(run: Run) -> None:
    check_what_if(run)


@given(scheduled_runs())
@settings(max_examples=100)
def test_list_schedule_is_a_schedule(run: Run) -> None:
    """No core does two things at once, no task starts too early, and no core idles needlessly."""
    cores = oracle.job_of(run).cores
    placed = list_schedule(run, cores)
    assert placed is not None
    tasks = {task.id: task for task in graph.core_tasks(run)}
    assert placed.keys() == tasks.keys()
    before = graph.tasks_before(run)
    for v, (start, end) in placed.items():
        assert end - start == tasks[v].duration
        assert all(placed[u][1] <= start for u in before[v])
        at_once = [
            u
            for u, (s, e) in placed.items()
            if s <= start < e and tasks[u].engine == tasks[v].engine
        ]
        assert len(at_once) <= cores[tasks[v].engine]
    bound = graham_bound(oracle.job_of(run))
    assert bound is not None
    assert max(end for _, end in placed.values()) <= bound


@pytest.mark.parametrize("path", sample_runs(), ids=run_name)
def test_sample_run(path: Path) -> None:
    run = oracle.read_run(path)
    if not graph.core_tasks(run):
        assert what_if(run) == {}
        return
    check_what_if(run)
    if len(run.tasks) <= 200:
        assert graph.drags(run) == drags_by_trial(run)
