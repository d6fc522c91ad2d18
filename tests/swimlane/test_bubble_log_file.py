"""bubble_analysis.log beside a run: what is read of it; a damaged one never fails the run."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from perfetto_pypto.swimlane import LogCore, Swimlane, read
from perfetto_pypto.swimlane.bubble_log import parse
from tests.swimlane.raw_samples import write_run
from tests.swimlane.swimlane_samples import LANES, found, task, write

LOG = """\
Top 10 tasks in waiting schedule
    Task:3, label:0-0-3-3-7(x), wait:                 2.0


[Fake Core_0] Execute task num:0, Fake Task: 1
    Core Total Work Time: 0.0
    Total Wait Time: 0
    Wait Schedule Time: 0
    Wait Predecessor Time: 0
    Top 3 tasks in waiting schedule time
[AIC_1] Execute task num:2
    Core Total Work Time: 12.5
    Total Wait Time: 2.4
    Wait Schedule Time: -0.25000000001
    Wait Predecessor Time: 2.3e-13
    Top 3 tasks in waiting schedule time
    Task:3, label:0-0-3-3-7(x), wait:                     2.0
[AIV_3] Execute task num:0
    Core Total Work Time: 0
    Total Wait Time: 0
    Wait Schedule Time: 0
    Wait Predecessor Time: 0
"""
CORES = [LogCore("AIC_1", 2, 12_500, 2_400, -250, 0), LogCore("AIV_3", 0, 0, 0, 0, 0)]


def beside_a_run(folder: Path, log: bytes, name: str = "bubble_analysis.log") -> Swimlane:
    path = write(folder, [*LANES, task("0-0-0-4-7(up)", 1002, 100, 5)])
    (folder / name).write_bytes(log)
    return read(path)


def problems(run: Swimlane) -> tuple[str, ...]:
    return next(one.examples for one in run.findings if one.code == "damaged-log")


def test_its_cores():
    assert parse(LOG) == (CORES, [])


def test_beside_a_merged_file_and_in_a_folder(tmp_path):
    run = beside_a_run(tmp_path, LOG.encode())
    assert (run.log, found(run)) == (CORES, {})
    assert read(tmp_path).log == CORES


def test_beside_raw_files(tmp_path):
    folder = write_run(tmp_path / "output_1")
    (folder / "bubble_analysis.log").write_text(LOG)
    assert read(folder).log == CORES
    assert read(tmp_path).log == CORES
    assert read(folder / "tilefwk_L1_prof_data.json").log == CORES


def test_packed(tmp_path):
    packed = gzip.compress(LOG.encode())
    assert beside_a_run(tmp_path, packed, "bubble_analysis.log.gz").log == CORES


def test_not_of_a_file_with_another_name(tmp_path):
    """It may be of any of the files there."""
    beside_a_run(tmp_path, LOG.encode())
    other = (tmp_path / "merged_swimlane.json").rename(tmp_path / "yesterday.json")
    assert read(other).log == ()


def test_no_log(tmp_path):
    run = read(write(tmp_path, [*LANES, task("0-0-0-4-7(up)", 1002, 100, 5)]))
    assert (run.log, found(run)) == ((), {})


@pytest.mark.parametrize(
    ("right", "wrong", "problem"),
    [
        ("    Total Wait Time: 2.4\n", "", "line 11: [AIC_1] has no Total Wait Time"),
        ("2.4", "many", "line 11: [AIC_1] has no possible Total Wait Time: 'many'"),
        ("2.4", "nan", "line 11: [AIC_1] has no possible Total Wait Time: 'nan'"),
        ("2.4", "-inf", "line 11: [AIC_1] has no possible Total Wait Time: '-inf'"),
        ("2.4", "1e300", "line 11: [AIC_1] has no possible Total Wait Time: '1e300'"),
        ("2.4", "", "line 11: [AIC_1] has no possible Total Wait Time: ''"),
    ],
)
def test_a_damaged_core_is_left_out(tmp_path, right, wrong, problem):
    run = beside_a_run(tmp_path, LOG.replace(right, wrong).encode())
    assert run.log == CORES[1:]
    assert problems(run) == (problem,)


def test_a_core_twice(tmp_path):
    run = beside_a_run(tmp_path, (LOG + LOG[LOG.index("[AIV_3]") :]).encode())
    assert run.log == CORES
    assert problems(run) == ("line 23: [AIV_3] stands there twice",)


@pytest.mark.parametrize(
    ("log", "problem"),
    [
        (b"", "no core in it"),
        (b"\x00\xff\xfe\n[AIC_1] Execute", "no core in it"),
        (gzip.compress(LOG.encode())[:-30], "the gzip data are cut off"),
        (LOG.encode("utf-16"), "no core in it"),
    ],
)
def test_nothing_to_read(tmp_path, log, problem):
    run = beside_a_run(tmp_path, log)
    assert not run.log
    assert problems(run) == (problem,)
    assert len(run.tasks) == 1


def test_a_log_that_is_cut(tmp_path):
    run = beside_a_run(tmp_path, LOG.encode()[:-40])
    assert run.log == CORES[:1]
    assert problems(run) == ("line 18: [AIV_3] has no Wait Schedule Time",)
