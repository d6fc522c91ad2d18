"""Tasks with many executions, and with none."""

from pathlib import Path

import perfetto_pypto as pp
from tests.swimlane.simpler_samples import (
    Json,
    deps,
    edges,
    numbers,
    on,
    read_records,
    records,
    texts,
)
from tests.swimlane.swimlane_samples import found, missing

#: t1 on both cube cores, then t2 on one and t3 on both vector cores.
SPMD = [
    [0, 1, 1, 1000, 1100],
    [1, 1, 1, 1000, 1150],
    [0, 2, 2, 1160, 1170],
    [2, 3, 1, 1160, 1200],
    [3, 3, 1, 1170, 1200],
]


def graph(*pairs: tuple[int, int]) -> Json:
    kernels = {"t1": [7, -1, -1], "t2": [8, -1, -1], "t3": [-1, 9, -1], "t4": [-1, -1, -1]}
    return deps(list(pairs), **kernels)


def test_a_hub_joins_the_executions_of_one_task(tmp_path: Path) -> None:
    run = read_records(tmp_path, records(SPMD), graph((1, 2), (1, 3)))
    assert texts(run.tasks.token) == ["t1", "t1", "t2", "t3", "t3", "t4", "t1"]
    assert on(run) == ["AIC_0", "AIC_1", "AIC_0", "AIV_2", "AIV_3", "HUB_0", "HUB_0"]
    # All executions lead to the hub, and from it to all executions of what depends on the task.
    assert edges(run) == [(6, 2), (6, 3), (6, 4), (0, 6), (1, 6)]
    assert numbers(run.tasks.start)[6] == numbers(run.tasks.end)[6] == 3000
    assert found(run) == {"joined-executions": 1}
    assert missing(run) == {}


def test_it_is_ready_when_the_last_execution_has_ended(tmp_path: Path) -> None:
    run = read_records(tmp_path, records(SPMD), graph((1, 2), (1, 3)))
    with pp.open_trace(run) as tp:
        rows = tp.query(
            """
            INCLUDE PERFETTO MODULE pypto.dependency;
            SELECT t.task, t.core, r.ready_ts, r.ready_by FROM pypto_ready AS r
            JOIN pypto_task AS t USING (id)
            """
        )
        assert [(row.task, row.core, row.ready_ts, row.ready_by) for row in rows] == [
            ("t1", "AIC_0", 0, None),
            ("t1", "AIC_1", 0, None),
            ("t2", "AIC_0", 3000, 1),
            ("t3", "AIV_2", 3000, 1),
            ("t3", "AIV_3", 3000, 1),
        ]


def test_edges_do_not_multiply(tmp_path: Path) -> None:
    """48 executions before 48 are 96 edges, not 2304."""
    rows = [[core, 1, 1, 1000, 1100] for core in range(48)]
    rows += [[core, 2, 2, 1200, 1300] for core in range(48)]
    metadata = {"clock_freq_hz": 50_000_000, "core_types": ["aiv"] * 48}
    value = records(rows, metadata=metadata)
    run = read_records(tmp_path, value, deps([(1, 2)], t1=[-1, 7, -1], t2=[-1, 8, -1]))
    assert len(run.dependencies) == 96
    assert len(run.tasks) == 97


def test_a_task_without_a_kernel_is_a_hub(tmp_path: Path) -> None:
    run = read_records(tmp_path, records(SPMD[2:4]), graph((2, 4), (4, 3)))
    assert texts(run.tasks.token) == ["t2", "t3", "t4"]
    assert edges(run) == [(2, 1), (0, 2)]
    assert numbers(run.tasks.start) == [0, 0, 200]
    assert found(run) == {}


def test_hubs_stand_where_the_last_before_them_ended(tmp_path: Path) -> None:
    idle = [-1, -1, -1]
    pairs = [(2, 10), (10, 11), (11, 12), (12, 10), (20, 21), (2, 20)]
    kernels = {"t2": [8, -1, -1], "t10": idle, "t11": idle, "t12": idle, "t20": idle, "t21": idle}
    run = read_records(tmp_path, records([SPMD[2]]), deps(pairs, **kernels))
    at = dict(zip(texts(run.tasks.token), numbers(run.tasks.start), strict=True))
    # t20 and t21 follow t2; t10, t11, t12 are a cycle, which has no order.
    assert at == {"t2": 0, "t10": 200, "t11": 0, "t12": 0, "t20": 200, "t21": 200}


def test_a_task_that_should_have_run_is_named(tmp_path: Path) -> None:
    run = read_records(tmp_path, records(SPMD[2:3]), graph((2, 3), (77, 2)))
    assert found(run) == {"unexecuted-task": 2}
    assert run.findings[0].examples == ("t3", "t77")


def test_duplicate_and_self_edges(tmp_path: Path) -> None:
    run = read_records(tmp_path, records(SPMD), graph((1, 2), (1, 2), (2, 2), (2, 3)))
    assert edges(run) == [(6, 2), (2, 3), (2, 4), (0, 6), (1, 6)]
    assert found(run) == {
        "duplicate-dependency": 1,
        "self-dependency": 1,
        "joined-executions": 1,
    }
    assert missing(run) == {}
