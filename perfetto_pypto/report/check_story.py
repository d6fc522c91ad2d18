"""A gate's verdict in words, the same in every format."""

from __future__ import annotations

from perfetto_pypto.gate import Check, Verdict
from perfetto_pypto.report.text import percent, plural, us

_SIGNS = {("max", True): "<=", ("max", False): ">", ("min", True): ">=", ("min", False): "<"}


def measured(check: Check, tolerance: float) -> str:
    """``3,048.10 µs > 267.56 µs (baseline 259.77 µs + 3%)``."""
    if check.value is None or check.bound is None:
        return check.message
    sign = _SIGNS[check.kind, check.status == "pass"]
    text = f"{_value(check, check.value)} {sign} {_value(check, check.bound)}"
    if check.baseline is not None:
        text += f" (baseline {_value(check, check.baseline)}{_allowance(check, tolerance)})"
    return f"{text}: {check.message}" if check.message else text


def result(verdict: Verdict) -> str:
    """The verdict in one line."""
    failed = sum(check.status == "fail" for check in verdict.checks)
    unmade = sum(check.status == "not comparable" for check in verdict.checks)
    if failed:
        return f"regression: {failed} of {plural(len(verdict.checks), 'check')} failed"
    if unmade:
        return f"not comparable: {plural(unmade, 'check')} can't be made"
    return f"passed: {plural(len(verdict.checks), 'check')}"


def _value(check: Check, value: float) -> str:
    if check.unit == "TIME_NANOS":
        return us(value)
    if check.unit == "ratio" and value <= 1:
        return percent(value)
    return f"{value:,.2f}".rstrip("0").rstrip(".")


def _allowance(check: Check, tolerance: float) -> str:
    if check.name == "pypto_run_task_count" and check.kind == "min":
        return ", half of it"
    return f" {'+' if check.kind == 'max' else '-'} {100 * tolerance:g}%"
