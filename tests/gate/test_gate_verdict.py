"""What passes, what fails, and what can't be compared."""

from __future__ import annotations

import msgspec
import pytest

import perfetto_pypto as pp
from perfetto_pypto.report.json import to_json
from tests.drawing import swimlane

GOOD = "AIV_1: a1 0-50, a2 50-100\nAIV_2: a3 0-100"
SLOWER = "AIV_1: a1 0-50, a2 50-104\nAIV_2: a3 0-100"


@pytest.fixture
def baseline(tmp_path):
    """``baseline(text)``: the file that `metrics --format json` would write of a drawing."""

    def write(text=GOOD, **kwargs):
        file = tmp_path / "baseline.json"
        file.write_bytes(msgspec.json.encode(to_json(pp.compute_metrics(swimlane(text, **kwargs)))))
        return file

    return write


def check(text, **kwargs):
    return pp.check_run(swimlane(text), **kwargs)


def statuses(verdict):
    return {check.name: check.status for check in verdict.checks}


def test_a_maximum_and_a_minimum():
    verdict = check(GOOD, maxima=["pypto_run_makespan=100ns"], minima=["pypto_run_task_count=3"])
    assert statuses(verdict) == {"pypto_run_makespan": "pass", "pypto_run_task_count": "pass"}
    assert verdict.exit_code == 0
    verdict = check(GOOD, maxima=["pypto_run_makespan=99ns"], minima=["pypto_run_task_count=4"])
    assert statuses(verdict) == {"pypto_run_makespan": "fail", "pypto_run_task_count": "fail"}
    assert verdict.exit_code == 1


def test_without_dimensions_it_holds_for_every_row():
    verdict = check("AIV_1: a1 0-100\nAIV_2: a2 0-40", minima=["pypto_core_busy=50ns"])
    assert statuses(verdict) == {
        "pypto_core_busy{core=AIV_1,engine=AIV}": "pass",
        "pypto_core_busy{core=AIV_2,engine=AIV}": "fail",
    }


def test_dimensions_choose_rows():
    verdict = check(GOOD, minima=["pypto_core_busy{core=AIV_2}=100ns"])
    assert statuses(verdict) == {"pypto_core_busy{core=AIV_2,engine=AIV}": "pass"}


def test_rows_without_a_value_by_nature_are_left_out():
    # Nothing follows the last device task.
    batches = "AIV_1: a1 0-50@0, a2 60-100@1"
    verdict = check(batches, maxima=["pypto_stitch_gap_to_next=10ns"])
    assert statuses(verdict) == {"pypto_stitch_gap_to_next{seq_no=0}": "pass"}
    verdict = check(batches, maxima=["pypto_stitch_gap_to_next{seq_no=1}=10ns"])
    assert statuses(verdict) == {"pypto_stitch_gap_to_next{seq_no=1}": "fail"}


def test_a_metric_without_value_or_row_fails():
    verdict = check(GOOD, maxima=["pypto_run_control_overhead=0.3"])
    assert [(one.status, one.value) for one in verdict.checks] == [("fail", None)]
    verdict = check(GOOD, maxima=["pypto_engine_bubble_ratio{engine=AIC}=0.3"])
    assert statuses(verdict) == {"pypto_engine_bubble_ratio{engine=AIC}": "fail"}
    assert verdict.exit_code == 1


@pytest.mark.parametrize(("tolerance", "code"), [(0.04, 0), (0.03, 1)])
def test_the_makespan_against_the_baseline(baseline, tolerance, code):
    verdict = check(SLOWER, baseline=baseline(), tolerance=tolerance)
    assert verdict.exit_code == code
    makespan = verdict.checks[0]
    assert (makespan.name, makespan.value, makespan.baseline) == ("pypto_run_makespan", 104, 100)


def test_a_baseline_of_itself_passes(baseline):
    verdict = check(GOOD, baseline=baseline(), tolerance=0)
    assert statuses(verdict) == {"pypto_run_makespan": "pass", "pypto_run_task_count": "pass"}
    assert verdict.baseline == "drawing"


def test_any_metric_against_the_baseline(baseline):
    limits = {
        "maxima": ["pypto_engine_drained{engine=all}=baseline"],
        "minima": ["pypto_engine_utilization{engine=AIV}=baseline"],
    }
    verdict = check(SLOWER, baseline=baseline(), tolerance=0.05, **limits)
    assert statuses(verdict) == {
        "pypto_run_makespan": "pass",
        "pypto_run_task_count": "pass",
        "pypto_engine_drained{engine=all}": "fail",
        "pypto_engine_utilization{engine=AIV}": "pass",
    }


def test_half_of_the_tasks_may_go_and_no_more(baseline):
    four = "AIV_1: a1 0-5, a2 5-10, a3 10-15, a4 15-20"
    before = baseline(four)
    assert check("AIV_1: a1 0-5, a2 5-10", baseline=before).exit_code == 0
    collapsed = check("AIV_1: a1 0-5", baseline=before)
    assert statuses(collapsed)["pypto_run_task_count"] == "fail"
    assert collapsed.exit_code == 1


def test_a_run_without_tasks_is_a_regression(baseline):
    verdict = check("AIV_1:\nAIV_2:", baseline=baseline())
    assert statuses(verdict)["pypto_run_makespan"] == "fail"
    assert verdict.exit_code == 1


def test_a_metric_that_is_gone_is_a_regression(baseline):
    cycle = "AIV_1: a1 0-50, a2 50-100\nAIV_2: a3 0-100\na1 -> a2\na2 -> a1"
    verdict = check(cycle, baseline=baseline())
    assert statuses(verdict)["pypto_run_critical_path"] == "fail"
    assert verdict.exit_code == 1


def test_other_core_counts_are_not_comparable(baseline):
    verdict = check(GOOD, baseline=baseline(cores={"AIV": 4}))
    assert statuses(verdict) == {"cores": "not comparable"}
    assert verdict.exit_code == 3


def test_another_operator_is_not_comparable(baseline):
    verdict = check("AIV_1: x 0-5\nAIV_2: y 0-5", baseline=baseline())
    assert statuses(verdict) == {"subgraphs": "not comparable"}
    assert verdict.exit_code == 3


def test_a_broken_limit_counts_more_than_what_cannot_be_compared(baseline):
    verdict = check(GOOD, baseline=baseline(cores={"AIV": 4}), maxima=["pypto_run_makespan=50ns"])
    assert verdict.exit_code == 1


def test_a_value_that_the_baseline_lacks_is_not_comparable(baseline):
    limit = ["pypto_core_busy{core=AIV_2}=baseline"]
    before = baseline("AIV_1: a1 0-50, a2 50-100\nAIV_3: a3 0-100")
    assert check(GOOD, baseline=before, minima=limit).exit_code == 3


def test_a_limit_from_a_baseline_that_is_not_there():
    with pytest.raises(pp.PyptoPerfettoError, match="there is no baseline; add --baseline FILE"):
        check(GOOD, maxima=["pypto_run_makespan=baseline"])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"[]", "is a list of runs; make the baseline from one run"),
        (b"hello", "is no baseline (JSON is malformed"),
        (b"\xff\xfe", "is no baseline"),
        (b"{}", "is no baseline (Object missing required field"),
        (
            b'{"schema_version": 9, "input": {"name": "x", "cores": {}}, "metrics": []}',
            "has schema_version 9, this tool 1; make it anew with this version",
        ),
    ],
)
def test_a_baseline_that_cannot_be_read(tmp_path, content, problem):
    file = tmp_path / "baseline.json"
    file.write_bytes(content)
    with pytest.raises(pp.InputError) as error:
        check(GOOD, baseline=file)
    assert problem in str(error.value)
    assert str(error.value).startswith(f"{file}: ")


def test_no_baseline_file(tmp_path):
    with pytest.raises(pp.InputError, match=r"can't be read \(No such file or directory\)"):
        check(GOOD, baseline=tmp_path / "no.json")
