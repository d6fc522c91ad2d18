"""A file per bundle, a folder per run; complete or not there."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from perfetto_pypto.errors import InputError
from perfetto_pypto.metrics import Metrics
from perfetto_pypto.report.csv import write_csv


def named(metrics: Metrics, name: str) -> Metrics:
    return dataclasses.replace(metrics, input=dataclasses.replace(metrics.input, name=name))


def files(folder: Path) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


def test_one_run(part, tmp_path):
    write_csv([part], tmp_path / "out")
    assert files(tmp_path) == ["out/pypto_observed_path.csv", "out/pypto_run.csv"]
    assert (tmp_path / "out" / "pypto_run.csv").read_text() == "makespan,task_count\n15000,2\n"
    assert (tmp_path / "out" / "pypto_observed_path.csv").read_text() == (
        "kind,time,step_count\ncompute,11000,2\ndata_wait,4000,1\nfront,0,1\n"
    )


def test_an_absent_value_is_empty(metrics, tmp_path):
    write_csv([metrics], tmp_path)
    head, row = (tmp_path / "pypto_run.csv").read_text().splitlines()
    assert dict(zip(head.split(","), row.split(","), strict=True))["control_overhead"] == ""


def test_several_runs_have_a_folder_each(part, tmp_path):
    write_csv([named(part, name) for name in ("a", "b c", "a", "../../etc")], tmp_path / "out")
    folders = sorted(folder.name for folder in (tmp_path / "out").iterdir())
    assert folders == ["_.._etc", "a", "a~2", "b_c"]


def test_files_are_replaced_and_others_stay(part, tmp_path):
    (tmp_path / "pypto_run.csv").write_text("old")
    (tmp_path / "notes.txt").write_text("mine")
    write_csv([part], tmp_path)
    assert files(tmp_path) == ["notes.txt", "pypto_observed_path.csv", "pypto_run.csv"]
    assert (tmp_path / "pypto_run.csv").read_text().startswith("makespan")


def test_a_folder_that_cannot_be_written(part, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file: can't be written \(File exists\); choose"):
        write_csv([part], tmp_path / "file")
    with pytest.raises(InputError, match=r"can't be written \(No such file or directory\)"):
        write_csv([part], tmp_path / "no" / "out")
    assert files(tmp_path) == ["file"]
