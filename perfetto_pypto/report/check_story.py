"""A gate's verdict in words, the same in every format."""

from __future__ import annotations

from perfetto_pypto.gate import Check, Verdict
from perfetto_pypto.lang import Words, words
from perfetto_pypto.report.text import percent, us

_SIGNS = {("max", True): "<=", ("max", False): ">", ("min", True): ">=", ("min", False): "<"}


def measured(verdict: Verdict, check: Check) -> str:
    """``3,048.10 µs > 267.56 µs (baseline 259.77 µs + 3%)``."""
    if check.value is None or check.bound is None:
        return check.message
    t = words(verdict.lang)
    sign = _SIGNS[check.kind, check.status == "pass"]
    text = f"{_value(check, check.value)} {sign} {_value(check, check.bound)}"
    if check.baseline is not None:
        text += f" ({_against(check, verdict.tolerance, t)})"
    return f"{text}{t(': ')}{check.message}" if check.message else text


def result(verdict: Verdict) -> str:
    """The verdict in one line."""
    t = words(verdict.lang)
    failed = sum(check.status == "fail" for check in verdict.checks)
    unmade = sum(check.status == "not comparable" for check in verdict.checks)
    if failed:
        checks = t.plural(len(verdict.checks), "check")
        return t("regression: {failed} of {checks} failed", failed=failed, checks=checks)
    if unmade:
        return t("not comparable: {checks} can't be made", checks=t.plural(unmade, "check"))
    return t("passed: {checks}", checks=t.plural(len(verdict.checks), "check"))


def _value(check: Check, value: float) -> str:
    if check.unit == "TIME_NANOS":
        return us(value)
    if check.unit == "ratio" and value <= 1:
        return percent(value)
    return f"{value:,.2f}".rstrip("0").rstrip(".")


def _against(check: Check, tolerance: float, t: Words) -> str:
    baseline = _value(check, check.baseline or 0)
    if check.name == "pypto_run_task_count" and check.kind == "min":
        return t("baseline {value}, half of it", value=baseline)
    sign = "+" if check.kind == "max" else "-"
    return t(
        "baseline {value} {sign} {share}%", value=baseline, sign=sign, share=f"{100 * tolerance:g}"
    )
