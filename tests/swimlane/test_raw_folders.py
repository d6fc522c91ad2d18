"""Which of a folder's files are read, whether they agree, and on what clock."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import perfetto_pypto as pp
from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane import Swimlane, read
from perfetto_pypto.swimlane.folder import files_of
from tests.paths import run_name, sample_folders
from tests.swimlane.raw_samples import BOOT, HEADER, PROFILE, core, execution, spans, write_run
from tests.swimlane.swimlane_samples import LANES, flow, found, missing, task, thread, write


def merged_events(mhz: int = 50, **changes: Any) -> list[dict[str, Any]]:
    """What PyPTO's script makes of the sample profile."""
    a, b, c = (BOOT + 100) / mhz, (BOOT + 600) / mhz, (BOOT + 700) / mhz
    lanes = [*LANES[:2], thread("AIC_1", 1002), thread("AIV_2", 1004)]
    return [
        *lanes,
        task("0-0-1-3-6(up)", 1002, a, b - a, taskId=1, **changes),
        task("0-0-3-3-7()", 1004, c, (BOOT + 800) / mhz - c, taskId=3),
        task("0-0-2-3-0(fake)", 1000, c - 1, 1, taskId=2),
        *flow(9, (1002, b - 0.0001), (1000, c - 1)),
        *flow(10, (1000, c - 0.0001), (1004, c)),
        {"name": "Ready", "pid": 1, "tid": 1, "ph": "C", "ts": b, "args": {"size": 2}},
    ]


def test_raw_and_merged_agree(tmp_path: Path) -> None:
    """The ticks are the profile's; label, hints and counters come from the merged file."""
    folder = write_run(tmp_path)
    write(folder, merged_events(**{"execution-hint": "Average: 1"}))
    run = read(folder)
    assert missing(run) == {}
    assert found(run) == {}
    assert (run.tasks.label[0], run.tasks.execution_hint[0]) == ("up", "Average: 1")
    assert run.tasks.root_index.tolist() == [3, 3, 3]
    assert [(one.name, one.ts.tolist()) for one in run.counters] == [("Ready", [10_000])]
    assert run.source.layout.endswith("dyn_topo.txt; agrees with merged_swimlane.json")
    assert run.source.clock_from == "factor of merged_swimlane.json"


def test_raw_and_merged_differ(tmp_path: Path) -> None:
    folder = write_run(tmp_path)
    events = merged_events()
    events[4]["dur"] += 1
    write(folder, [*events[:-3], events[-1]])
    run = read(folder)
    assert spans(run)[0][:3] == ("AIC_1", 0, 10_000)
    (finding,) = run.findings
    assert (finding.code, finding.count) == ("raw-and-merged-differ", 3)
    assert finding.examples == (
        "other times: 0-0-1 on AIC_1",
        "edge only in the topology: 0-0-2 on Fake Core_0 → 0-0-3 on AIV_2",
        "edge only in the topology: 0-0-1 on AIC_1 → 0-0-2 on Fake Core_0",
    )
    assert run.source.layout.endswith("differs from merged_swimlane.json")


@pytest.mark.parametrize("broken", [PROFILE, "merged_swimlane.json"])
def test_one_of_both_may_be_broken(tmp_path: Path, broken: str) -> None:
    folder = write_run(tmp_path)
    write(folder, merged_events())
    text = (folder / broken).read_text()
    (folder / broken).write_text(text[: len(text) // 2])
    run = read(folder)
    assert len(run.tasks) == 3
    assert found(run) == {"unreadable-file": 1}


def test_the_merged_file_where_the_profile_has_no_topology(tmp_path: Path) -> None:
    folder = write_run(tmp_path, topology=None)
    write(folder, merged_events())
    assert (read(folder).source.format, len(read(folder).dependencies)) == ("pypto-merged", 2)


def test_the_newest_of_several_runs(tmp_path: Path) -> None:
    for name in ("output_20260102_090000", "output_20260102_100000", "output_20251231_110000"):
        write_run(tmp_path / name)
    (tmp_path / "output_20270101_000000").mkdir()  # empty
    run = read(tmp_path)
    assert run.name == "output_20260102_100000"
    assert found(run) == {"several-runs": 2}
    for name in ("output_20251231_110000", "20251231_110000"):
        assert read(tmp_path, run=name).name == "output_20251231_110000"
    with pytest.raises(InputError, match=r"holds no run 'x'; --run takes one of its folders: "):
        read(tmp_path, run="x")
    with pytest.raises(InputError, match="holds no folder to choose a run from; leave out --run"):
        read(tmp_path / "output_20260102_100000", run="x")


def test_the_simulator_s_files_in_two_folders(tmp_path: Path) -> None:
    cores = [core(0, "AIC", execution(1, 1800, 3600, completeSeq=0))]
    write_run(tmp_path / "CostModelSimulationOutput", cores, None, "_simulate.swim.json")
    (tmp_path / "dyn_topo.txt").write_text(f"{HEADER}\n0,1,0,5,1,1,7,1,0,\n")
    for folder in (tmp_path, tmp_path / "CostModelSimulationOutput"):
        run = read(folder)
        assert (run.name, found(run)) == (tmp_path.name, {})
        assert run.source.layout == "simulator; _simulate.swim.json, dyn_topo.txt"


STAMPS = [
    {"coreType": "AICPU-CTRL", "freq": 1000, "tasks": [{"name": "BEGIN_0", "end": BOOT + 700}]}
]


def test_a_device_profile_alone_says_that_its_clock_is_assumed(tmp_path: Path) -> None:
    source = read(write_run(tmp_path)).source
    assert (source.clock_hz, source.clock_from[:7]) == (50_000_000, "assumed")


def test_the_users_clock(tmp_path: Path) -> None:
    run = read(write_run(tmp_path), clock_mhz=1000)
    assert (run.source.clock_hz, run.source.clock_from) == (1_000_000_000, "--clock")
    starts, ends = run.tasks.start.tolist(), run.tasks.end.tolist()
    assert [e - s for s, e in zip(starts, ends, strict=True)] == [500, 100, 1000]


def test_the_clock_of_the_aicpu_s_stamps_and_a_merged_file_20_times_wrong(tmp_path: Path) -> None:
    folder = write_run(tmp_path, machine_trace_perf_data_0=STAMPS)
    write(folder, merged_events(50))
    run = read(folder)
    assert run.source.clock_hz == 1_000_000_000
    assert run.source.clock_from == "freq of the AICPU's stamps"
    finding = next(one for one in run.findings if one.code == "suspected-clock")
    assert finding.examples == ("factor of merged_swimlane.json: 50 MHz",)


def test_a_merged_file_of_undivided_cycles(tmp_path: Path) -> None:
    folder = write_run(tmp_path)
    events = merged_events(1)
    write(folder, events)
    run = read(folder)
    assert run.source.clock_hz == 50_000_000
    assert found(run)["suspected-clock"] == 1


def test_an_uptime_of_years_is_suspicious(tmp_path: Path) -> None:
    run = read(write_run(tmp_path, [core(0, "AIC", execution(1, 100 * BOOT, 100 * BOOT + 9))]))
    (finding,) = [one for one in run.findings if one.code == "suspected-clock"]
    assert finding.examples == ("the counter would have run 8 years",)


@pytest.mark.parametrize("mhz", [50, 1000])
def test_the_users_clock_for_a_merged_file(tmp_path: Path, mhz: int) -> None:
    run = read(write(tmp_path, merged_events(50)), clock_mhz=mhz)
    durations = (run.tasks.end - run.tasks.start).tolist()
    assert durations == [10_000 * 50 // mhz, 2000 * 50 // mhz, 1000 * 50 // mhz]
    assert run.source.clock_hz == mhz * 1_000_000


BOTH = [
    folder
    for folder in sample_folders()
    if (files := files_of(folder)).profile and (files.dynamic or files.static)
]
#: PyPTO's script lost one of two executions with one id; an empty profile gives no run.
LOST = {"edge_dup_task"}
EMPTY = {"edge_empty_prof"}


def values(metrics: Any) -> dict[Any, Any]:
    """Every metric but the pipes', which no merged file has; labels aside, which need a program."""
    return {
        (one.id, *sorted((k, v) for k, v in one.dimensions.items() if k != "label")): one.value
        for one in metrics.metrics
        if one.bundle != "pypto_pipe"
    }


def facts(run: Swimlane) -> tuple[list[Any], list[Any]]:
    """All that metrics are made of, whatever the order of the file."""
    t = run.tasks
    rows = [(*span, t.leaf_hash[row]) for row, span in enumerate(spans(run))]
    edges = zip(run.dependencies.src.tolist(), run.dependencies.dst.tolist(), strict=True)
    return sorted(rows, key=str), sorted(((rows[src], rows[dst]) for src, dst in edges), key=str)


#: Above this, facts are compared in place of metrics: it takes a second in place of ten.
MANY_TASKS = 1000


@pytest.mark.parametrize("folder", BOTH, ids=run_name)
def test_raw_files_give_the_metrics_of_the_merged_file(folder: Path) -> None:
    files = files_of(folder)
    assert files.profile is not None
    assert files.merged is not None
    if folder.name in EMPTY:
        with pytest.raises(InputError):
            read(folder)
        return
    raw, merged, both = read(files.profile), read(files.merged), read(folder)
    assert missing(raw) == {}
    assert missing(both) == {}
    differs = found(both).get("raw-and-merged-differ", 0)
    assert differs == (1 if folder.name in LOST else 0)
    if not differs:
        assert facts(raw) == facts(merged)
        if len(raw.tasks) > MANY_TASKS:
            return
        assert values(pp.compute_metrics(raw)) == values(pp.compute_metrics(merged))
