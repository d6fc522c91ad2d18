"""pypto.log_check: is a log beside the input what its own rules give on the input?"""

from __future__ import annotations

from perfetto_pypto.swimlane.model import Finding

RUN = """
    AIC_1: a 0-1000, b 1200-2000
    AIV_1: c 400-800
    AIV_2: d 500-900
    AIV_3:
"""
#: What the log of this run prints.
LOG = """
    AIC_1 2: 2000 200 200 0
    AIV_1 1: 800 400 400 0
    AIV_2 1: 900 500 500 0
    AIV_3 0: 0 0 0 0
"""
STATUS = """
    INCLUDE PERFETTO MODULE pypto.log_check;
    SELECT core, status FROM pypto_log_check WHERE status != 'reproduced'
"""
FINDING = """
    INCLUDE PERFETTO MODULE pypto.finding;
    SELECT count, examples FROM pypto_finding WHERE code = 'log-differs'
"""
#: What lies between printed and reproduced.
OFF = """
    INCLUDE PERFETTO MODULE pypto.log_bridge;
    SELECT core, figure, reason, dur FROM pypto_log_bridge
    WHERE reason NOT IN ('log', 'startup', 'tail', 'idle')
"""


def changed(**lines: str) -> str:
    """The log with other lines for these cores."""
    kept = [line for line in LOG.splitlines() if line.split()[:1] not in [[name] for name in lines]]
    return "\n".join([*kept, *filter(None, lines.values())])


def test_no_log(ask):
    assert ask(RUN, STATUS) == []
    assert ask(RUN, FINDING) == []


def test_reproduced(ask):
    assert ask(RUN, STATUS.replace("!=", "="), log=LOG) == [
        ("AIC_1", "reproduced"),
        ("AIV_1", "reproduced"),
        ("AIV_2", "reproduced"),
        ("AIV_3", "reproduced"),
    ]
    assert ask(RUN, FINDING, log=LOG) == []
    assert ask(RUN, OFF, log=LOG) == []


def test_rounding_by_1_ns_a_stamp(ask):
    """Two tasks have four stamps in their waits, and the printed number is rounded, too."""
    assert ask(RUN, STATUS, log=changed(AIC_1="AIC_1 2: 2003 205 195 0")) == []
    assert ask(RUN, OFF, log=changed(AIC_1="AIC_1 2: 2003 205 195 0")) == [
        ("AIC_1", "core_total_work", "rounding", -3),
        ("AIC_1", "total_wait", "rounding", -5),
        ("AIC_1", "wait_schedule", "rounding", 5),
    ]
    assert ask(RUN, STATUS, log=changed(AIC_1="AIC_1 2: 2004 200 200 0")) == [("AIC_1", "unknown")]
    assert ask(RUN, STATUS, log=changed(AIC_1="AIC_1 2: 2000 206 200 0")) == [("AIC_1", "unknown")]


def test_a_start_that_the_input_lost(ask):
    """On all cores with a task span and wait are longer by one amount, whatever its cause."""
    log = """
        AIC_1 2: 2050 250 250 0
        AIV_1 1: 850 450 400 50
        AIV_2 1: 949 549 500 49
        AIV_3 0: 0 0 0 0
    """
    assert ask(RUN, STATUS, log=log) == []
    assert ask(RUN, OFF, log=log) == [
        ("AIC_1", "core_total_work", "lost_start", -50),
        ("AIC_1", "total_wait", "lost_start", -50),
        ("AIC_1", "wait_schedule", "lost_start", -50),
        ("AIV_1", "core_total_work", "lost_start", -50),
        ("AIV_1", "total_wait", "lost_start", -50),
        ("AIV_1", "wait_predecessor", "lost_start", -50),
        ("AIV_2", "core_total_work", "lost_start", -50),
        ("AIV_2", "core_total_work", "rounding", 1),
        ("AIV_2", "total_wait", "lost_start", -50),
        ("AIV_2", "total_wait", "rounding", 1),
        ("AIV_2", "wait_predecessor", "lost_start", -50),
        ("AIV_2", "wait_predecessor", "rounding", 1),
    ]


def test_one_of_three_cores_is_no_lost_start(ask):
    log = changed(AIV_1="AIV_1 1: 850 450 450 0")
    assert ask(RUN, STATUS, log=log) == [("AIV_1", "unknown")]
    assert ask(RUN, FINDING, log=log) == [
        (1, "AIV_1: core_total_work is off by 0.05 µs, as if the log were of another run")
    ]


def test_other_tasks(ask):
    log = changed(AIC_1="AIC_1 3: 2000 100 100 0")
    assert ask(RUN, STATUS, log=log) == [("AIC_1", "task_count")]
    assert ask(RUN, OFF, log=log) == [
        ("AIC_1", "total_wait", "task_count", 100),
        ("AIC_1", "wait_schedule", "task_count", 100),
    ]
    assert ask(RUN, FINDING, log=log) == [(1, "AIC_1: 3 tasks in the log, 2 in the input")]


def test_cores_that_only_one_has(ask):
    """Without a task they don't matter."""
    log = changed(AIC_1="", AIV_3="") + "\nAIV_7 2: 9 0 0 0\nAIV_8 0: 0 0 0 0"
    assert ask(RUN, STATUS, log=log) == [("AIC_1", "not_in_log"), ("AIV_7", "not_in_input")]
    assert ask(RUN, FINDING, log=log) == [(2, "AIC_1 is not in the log; AIV_7 is in the log alone")]


def test_another_clock(ask):
    """The log divided by 50 where the counter has 1000 MHz."""
    log = """
        AIC_1 2: 40000 4000 4000 0
        AIV_1 1: 16000 8000 8000 0
        AIV_2 1: 18020 10000 10000 0
        AIV_3 0: 0 0 0 0
    """
    assert ask(RUN, STATUS, log=log) == [
        ("AIC_1", "clock"),
        ("AIV_1", "clock"),
        ("AIV_2", "clock"),
    ]
    ((_, examples),) = ask(RUN, FINDING, log=log)
    assert examples.startswith("AIC_1: the log has 20.01 times the time; AIV_1:")


def test_negative_durations_count_as_0_here(ask):
    found = (Finding("negative-duration", "warning", "x", 1),)
    log = changed(AIC_1="AIC_1 2: 1900 200 200 0")
    assert ask(RUN, STATUS, log=log, findings=found) == [("AIC_1", "negative_duration")]
    assert ask(RUN, FINDING, log=log, findings=found) == [
        (1, "AIC_1: core_total_work is off by -0.10 µs, for negative durations count as 0 here")
    ]
