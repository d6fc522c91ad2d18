"""What raw files add to the trace: pipes below their cores, source lines on the slices."""

from __future__ import annotations

import json
from pathlib import Path

import perfetto_pypto as pp
from perfetto_pypto.report.query import run_query
from tests.swimlane.raw_samples import HEADER, PROGRAM, SIMULATED, core, execution, write_run
from tests.swimlane.swimlane_samples import (
    LANES,
    count,
    found,
    phase,
    process,
    read_events,
    task,
    thread,
)

TOPOLOGY = f"{HEADER}\n0,1,0,55,10001,1,77,1,0,\n0,2,0,55,10003,1,88,1,0,\n"


def operation(start: int, end: int, text: str = "7 COPY_IN 1") -> dict[str, object]:
    return {"execStart": 1800 * start, "execEnd": 1800 * end, "tileOp": text}


def run_with_pipes(folder: Path) -> pp.swimlane.model.Swimlane:
    """Two AIC cores over 10 µs; MTE_IN of the first is busy from 0 to 3 and from 4 to 5 µs."""
    cores = [
        core(0, "AIC", execution(1, 0, 18_000, completeSeq=0)),
        core(1, "AIC", execution(2, 0, 9_000)),
    ]
    pipes = [
        {
            "blockIdx": 0,
            "coreType": "AIC",
            "pipeLogs": {
                "MTE_IN": [operation(0, 2), operation(1, 3), operation(4, 5)],
                "CUBE": [operation(5, 9, "8 A_MUL_B 2")],
            },
        },
        {"blockIdx": 1, "coreType": "AIC", "pipeLogs": {"CUBE": [operation(1, 2)]}},
    ]
    write_run(folder, cores, TOPOLOGY, SIMULATED, program=PROGRAM)
    (folder / "_simulate.pipe.swim.json").write_text(json.dumps(pipes))
    return pp.read(folder)


def test_pipe_utilization(tmp_path: Path) -> None:
    """Overlapping operations of a pipe count once; the share is that of all cores' time."""
    metrics = pp.compute_metrics(run_with_pipes(tmp_path))
    assert metrics.rows("pypto_pipe") == [
        {"engine": "AIC", "pipe": "CUBE", "busy": 5000, "share": 0.25, "op_count": 2},
        {"engine": "AIC", "pipe": "MTE_IN", "busy": 4000, "share": 0.2, "op_count": 3},
    ]


def test_pipes_lie_below_their_core_and_are_no_tasks(tmp_path: Path) -> None:
    with pp.open_trace(run_with_pipes(tmp_path)) as tp:
        rows = run_query(
            tp,
            """
            SELECT DISTINCT core.name AS core, pipe.name AS pipe
            FROM slice AS s
            JOIN track AS pipe ON s.track_id = pipe.id
            JOIN track AS core ON pipe.parent_id = core.id
            WHERE s.category = 'pipe' ORDER BY 1, 2
            """,
        )
        tasks = run_query(tp, "SELECT count() AS n FROM pypto_task")
        ops = run_query(tp, "SELECT op FROM pypto_pipe_op WHERE pipe = 'CUBE' ORDER BY ts")
    assert list(zip(rows["core"], rows["pipe"], strict=True)) == [
        ("AIC_1", "CUBE"),
        ("AIC_1", "MTE_IN"),
        ("AIC_2", "CUBE"),
    ]
    assert list(tasks["n"]) == [2]
    assert list(ops["op"]) == ["COPY_IN", "A_MUL_B"]


def test_no_rows_without_a_log_of_the_pipes(tmp_path: Path) -> None:
    metrics = pp.compute_metrics(pp.read(write_run(tmp_path)))
    assert metrics.rows("pypto_pipe") == []


def test_source_lines_are_arguments_of_the_slices(tmp_path: Path) -> None:
    with pp.open_trace(run_with_pipes(tmp_path)) as tp:
        rows = run_query(
            tp,
            "SELECT extract_arg(arg_set_id, 'debug.source_line') AS line FROM slice"
            " WHERE category = 'task' ORDER BY line",
        )
    assert list(rows["line"]) == ["kernel.py:42", "kernel.py:50"]


def test_memory_counters_of_early_merged_files(tmp_path: Path) -> None:
    """Their args key names the unit, and becomes part of the counter's name."""
    run = read_events(
        tmp_path,
        task("0-0-0-9-0()", 1002, 1.0, 1.0),
        count("Ideal_Mem_Usage(Task)", 1.0, **{"/byte": 4096}),
        count("OOO_Mem_Usage(UB)", 2.0, **{"/byte": 512}),
    )
    assert [(one.name, one.value.tolist()) for one in run.counters] == [
        ("Ideal_Mem_Usage(Task) /byte", [4096.0]),
        ("OOO_Mem_Usage(UB) /byte", [512.0]),
    ]
    assert "2026-03 or earlier" in run.source.layout


def test_an_aicpu_view_on_another_scale_makes_the_clock_suspicious(tmp_path: Path) -> None:
    """A counter of 1000 MHz divided by 50: 20 times too long, the AICPU's stamps are right."""
    view = [process("AICPU View", 0), thread("AICPU-CTRL-0", 0, 0)]
    lanes = [*view, phase("INIT_0", 0, 1e9 / 20, 5.0), *LANES]
    run = read_events(tmp_path, task("0-0-0-9-0()", 1002, 1e9, 40.0), lanes=lanes)
    assert found(run) == {"suspected-clock": 1}
    assert run.findings[0].examples == (
        "tasks are at 1e+09 µs, the AICPU's phases at 5e+07 µs: 20 times",
    )
