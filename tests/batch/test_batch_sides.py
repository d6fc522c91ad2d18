"""`compare` and `check` over data sets: medians over repeats."""

from __future__ import annotations

import shutil

import pytest

import perfetto_pypto as pp
from perfetto_pypto.dataset.stored import medians_of
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
    assert (
        medians_of(data / "one").metrics == pp.compute_metrics(TRACES / "softmax_stitch8").metrics
    )


def test_what_is_no_repeat_has_no_median(run, data):
    done = run("check", data / "mixed", "--max", "pypto_run_makespan=1ms")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"error: {data}/mixed: matmul_long_k and softmax_stitch1 have no subgraph in common, so "
        "they are no repeats of one run; make a data set for each operator\n"
    )
    done = run("check", data / "one", "--max", "pypto_run_makespan=1ms", "--cores", "AIC=24")
    assert done.returncode == 2
    assert done.stderr == (
        f"error: {data}/one: is a data set with numbers of its own; give --cores and "
        "--small-task to batch\n"
    )
