"""pypto.graham: proof that a core stood idle beside ready work."""

from __future__ import annotations

GRAHAM = "SELECT makespan, bound, is_exceeded FROM pypto_graham"


def test_a_greedy_schedule_keeps_the_bound(ask):
    assert ask("AIC_1: a 0-10, b 10-20\nAIC_2: c 0-15", GRAHAM) == [(20, 17.5 + 7.5, 0)]


def test_a_lazy_one_is_caught_with_the_evidence(ask):
    drawing = """
        AIC_1: a 0-10000, b 50000-60000
        AIC_2: c 0-10000
    """
    assert ask(drawing, GRAHAM) == [(60000, 15000 + 5000, 1)]
    findings = ask(drawing, "SELECT code, severity, examples FROM pypto_finding")
    assert findings == [
        (
            "idle-while-ready",
            "info",
            "AIC from 10.00 to 50.00 µs: 1.0 cores idle beside ready tasks on average",
        )
    ]
