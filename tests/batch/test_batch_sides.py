"""`compare` and `check` over data sets: medians over repeats."""

from __future__ import annotations

import json
import shutil

import pytest

import perfetto_pypto as pp
from perfetto_pypto.dataset import chosen
from perfetto_pypto.dataset.stored import medians_of, runs_of
from tests.paths import TRACES


def makespan(source):
    return pp.compute_metrics(source).rows("pypto_run")[0]["makespan"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Data sets: ``softmax``: three runs; ``tiny``: one of its kind; ``mixed``: both."""
    folder = tmp_path_factory.mktemp("data")
    softmax = [TRACES / f"softmax_stitch{number}" for number in (1, 8, 512)]
    pp.batch(softmax, folder / "softmax", jobs=1)
    pp.batch([TRACES / "softmax_stitch8"], folder / "one", jobs=1)
    shutil.copytree(folder / "softmax", folder / "mixed")
    pp.batch([TRACES / "matmul_long_k"], folder / "mixed", jobs=1)
    return folder


def test_compare_takes_all_runs_of_a_data_set(data):
    values = sorted(makespan(TRACES / f"softmax_stitch{number}") for number in (1, 8, 512))
    change = pp.compare_runs([data / "softmax"], [data / "one"]).makespan
    assert sorted(change.base.values) == values
    assert change.base.median == values[1]
    assert change.new.values == [makespan(TRACES / "softmax_stitch8")]


def test_a_stored_run_compares_as_itself(data):
    stored = pp.compare_runs([data / "one"], [TRACES / "softmax_stitch1"])
    direct = pp.compare_runs([TRACES / "softmax_stitch8"], [TRACES / "softmax_stitch1"])
    assert stored.sections == direct.sections
    assert stored.explanations == direct.explanations


def test_check_holds_medians_to_limits(run, data):
    middle = sorted(makespan(TRACES / f"softmax_stitch{number}") for number in (1, 8, 512))[1]
    done = run("check", data / "softmax", "--max", f"pypto_run_makespan={middle}ns")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("softmax (median of 3 runs)\nok  pypto_run_makespan")
    done = run("check", data / "softmax", "--max", f"pypto_run_makespan={middle - 1}ns")
    assert done.returncode == 1


def test_medians_of_one_run_are_its_values(data):
    one = medians_of(chosen(data / "one"))
    assert one.metrics == pp.compute_metrics(TRACES / "softmax_stitch8").metrics
    assert one.input.name == "softmax_stitch8"


def test_what_is_no_repeat_has_no_median(run, data):
    for command in [
        ["check", data / "mixed", "--max", "pypto_run_makespan=1ms"],
        ["compare", data / "mixed", data / "one"],
    ]:
        done = run(*command)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            f"error: {data}/mixed: matmul_long_k and softmax_stitch1 have no subgraph in common, "
            f"so they are no repeats of one run; choose by name: {data}/mixed/softmax_stitch1\n"
        )


def test_a_data_set_has_numbers_of_its_own(run, data):
    limit = ["--max", "pypto_run_makespan=1ms"]
    for option in (["--cores", "AIC=24"], ["--clock", "50MHz"], ["--small-task", "5us"]):
        done = run("check", data / "one", *limit, *option)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            f"error: {data}/one: is a data set with numbers of its own; give --cores, --clock and "
            "--small-task to batch\n"
        )
    done = run("metrics", data / "one")
    assert done.stderr == (
        f"error: {data}/one: means runs of a data set, which are measured already; use compare, "
        "check, or a reader of Parquet\n"
    )


def names(choice):
    return [run.input.name for run in runs_of(chosen(choice))]


def test_runs_by_name(data):
    assert names(data / "mixed" / "matmul_long_k") == ["matmul_long_k"]
    assert names(data / "mixed" / "softmax_*1") == ["softmax_stitch1"]
    stitched = ["softmax_stitch1", "softmax_stitch512", "softmax_stitch8"]
    assert names(data / "mixed" / "softmax_*") == stitched
    assert chosen(data / "mixed" / "metrics") is None  # it is there
    assert chosen(data / "softmax_stitch1") is None


def test_runs_below_a_folder_where_no_run_has_that_name(data, tmp_path):
    for place in ("old/output_1", "old/output_2", "new/output_1"):
        shutil.copytree(TRACES / "matmul_long_k", tmp_path / place)
    pp.batch([tmp_path], data / "nights", jobs=1)
    assert names(data / "nights" / "old") == ["output_1", "output_2"]
    assert names(data / "nights" / "n?w") == ["output_1"]
    assert names(data / "nights" / "old" / "output_2") == ["output_2"]
    assert names(data / "nights" / "output_1") == ["output_1", "output_1"]


def test_compare_and_check_take_names(run, data):
    mixed = data / "mixed"
    done = run("compare", mixed, mixed, "--run", "softmax_stitch8", "--format", "json")
    assert json.loads(done.stdout)["makespan"]["verdict"] == "same"
    done = run("compare", mixed / "softmax_stitch1", mixed / "softmax_*", "--format", "json")
    comparison = json.loads(done.stdout)
    assert [len(comparison[side]["runs"]) for side in ("base", "new")] == [1, 3]
    done = run("check", mixed / "softmax_*", "--max", "pypto_run_makespan=1ms")
    assert done.stdout.startswith("softmax_* (median of 3 runs)\nok  pypto_run_makespan")
    done = run("check", mixed / "soft", "--max", "pypto_run_makespan=1ms")
    assert (done.returncode, done.stderr) == (
        2,
        f"error: {mixed}: holds no run 'soft'; choose of matmul_long_k, softmax_stitch1, "
        "softmax_stitch512, softmax_stitch8\n",
    )
