"""Rules to advice: each rule's query runs in the engine that holds the trace."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from perfetto.trace_processor import TraceProcessor

from perfetto_pypto.advice.rules import Rule, stock_rules
from perfetto_pypto.advice.text import Cell, as_number, fill
from perfetto_pypto.engine import query_columns
from perfetto_pypto.errors import InputError, QueryError
from perfetto_pypto.metrics.model import Advice, Choice, Evidence, Metrics, Value
from perfetto_pypto.sql import modules_of

#: Advice that is predicted to win less than this share of the makespan isn't given.
WORTH = 0.01

SEVERITIES = ("high", "medium", "low")

_PLACES = 3
_PARAMETER = re.compile(r"\$(\w+)")


def advise(
    tp: TraceProcessor,
    *,
    rules: Sequence[Rule] | None = None,
    lang: str = "en",
    baseline: Metrics | None = None,
) -> list[Advice]:
    """Judges a run: the advice with the largest predicted gain first, then the gravest.

    Args:
        tp: with a run and the package `pypto`.
        rules: default: the package's own.
        lang: `en` or `zh`.
        baseline: an earlier run; without it, rules that need one are left out.

    Raises:
        InputError: the query or a text of a rule is wrong; names file and rule.
    """
    rules = [
        rule
        for rule in (stock_rules() if rules is None else rules)
        if baseline is not None or not rule.baseline
    ]
    _include(tp, rules)
    makespan = query_columns(tp, "SELECT makespan FROM pypto_run_stats")["makespan"]
    if not len(makespan):
        return []
    values = _baseline_values(baseline)
    found = [advice for rule in rules if (advice := _judge(tp, rule, lang, values))]
    worth = WORTH * int(makespan[0])
    return sorted(
        (a for a in found if a.predicted_saved_ns is None or a.predicted_saved_ns >= worth),
        key=lambda a: (-(a.predicted_saved_ns or 0), SEVERITIES.index(a.severity)),
    )


def _include(tp: TraceProcessor, rules: Sequence[Rule]) -> None:
    modules = modules_of("pypto_run_stats " + " ".join(rule.when for rule in rules))
    query_columns(tp, "".join(f"INCLUDE PERFETTO MODULE {module};" for module in modules))


def _baseline_values(baseline: Metrics | None) -> dict[str, Value]:
    rows = baseline.rows("pypto_run") if baseline else []
    return {
        f"base_{column}": value
        for column, value in (rows[0] if rows else {}).items()
        if not isinstance(value, str)
    }


def _judge(tp: TraceProcessor, rule: Rule, lang: str, baseline: dict[str, Value]) -> Advice | None:
    values = baseline | {name: limit.value for name, limit in rule.thresholds.items()}
    try:
        columns = query_columns(tp, _PARAMETER.sub(lambda m: _literal(m, values), rule.when))
    except QueryError as error:
        problem = f"rule {rule.id}: {' '.join(str(error).split())}"
        raise InputError(rule.path, problem, "correct its `when`") from error
    except ValueError as error:
        raise InputError(rule.path, f"rule {rule.id}: {error}", "name it there") from error
    rows = zip(*(map(_plain, column) for column in columns.values()), strict=True)
    try:
        return _advice(rule, lang, [dict(zip(columns, row, strict=True)) for row in rows])
    except ValueError as error:
        raise InputError(rule.path, f"rule {rule.id}: {error}", "correct the rule") from error


def _literal(match: re.Match[str], values: dict[str, Value]) -> str:
    if match[1] not in values:
        raise ValueError(f"{match[0]} is no threshold of the rule")
    value = values[match[1]]
    return "NULL" if value is None else repr(value)


def _plain(cell: Any) -> Cell:
    """A value without numpy's type."""
    value: Cell = cell.item() if hasattr(cell, "item") else cell
    return value


def _advice(rule: Rule, lang: str, rows: list[dict[str, Cell]]) -> Advice | None:
    if not rows:
        return None
    words, first = rule.words(lang), rows[0]
    for knob in rule.knobs:
        if knob.given and knob.given not in first:
            raise ValueError(f"given: {knob.given}: the query has no such column")
    knobs = [
        Choice(knob.name, fill(knob.snippet, first))
        for knob in rule.knobs
        if not knob.given or first[knob.given]
    ]
    if not knobs:
        raise ValueError("no knob is given")
    saved, severity = first.get("saved"), first.get("severity", rule.severity)
    if severity not in SEVERITIES:
        raise ValueError(f"severity is {severity!r}, not one of {', '.join(SEVERITIES)}")
    return Advice(
        rule=rule.id,
        severity=str(severity),
        title=fill(words.title, first),
        text=fill(words.text, first),
        evidence=[
            Evidence(fill(words.evidence, row), fill(rule.at, row), row) for row in rows[:_PLACES]
        ],
        knob=knobs[0].knob,
        snippet=knobs[0].snippet,
        alternatives=knobs[1:],
        predicted_saved_ns=None if saved is None else round(as_number(saved, "saved")),
        gain=fill(words.gain, first),
        bottleneck=rule.bottleneck,
        source=rule.source,
        at=fill(rule.at, first),
    )
