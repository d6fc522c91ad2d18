"""Judges a run: every check passes, fails, or can't be made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from perfetto_pypto.compare.matching import Subgraph, are_related
from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.gate.baseline import Baseline
from perfetto_pypto.gate.limits import Limit, metric_name
from perfetto_pypto.lang import Words, words
from perfetto_pypto.metrics import Metric, Metrics, stock
from perfetto_pypto.metrics.model import Value
from perfetto_pypto.report.text import cores

Status = Literal["pass", "fail", "not comparable"]

#: Fewer tasks than this share of the baseline's: the run is no longer the same.
COLLAPSED = 0.5

#: Bundles whose rows are the same in each run of an operator: no value may vanish.
_LASTING = ("pypto_run", "pypto_engine")


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    name:     what was checked: a metric with its dimensions, or `subgraphs`, `cores`
    value:    of the run, in the metric's unit; None where absent
    bound:    what it was held against; None where that isn't a number
    baseline: the baseline's value, where there is one
    kind:     ``max`` or ``min`` for limits, else ``presence`` or ``comparability``
    """

    name: str
    status: Status
    kind: str
    unit: str
    value: Value
    bound: float | None
    baseline: Value
    message: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """All checks of a run, by the name of its input; the messages are in ``lang``."""

    run: str
    path: str
    baseline: str | None
    tolerance: float
    checks: list[Check]
    lang: str = "en"

    @property
    def exit_code(self) -> int:
        """0: all pass; 1: one fails; 3: none fails, but some can't be made."""
        statuses = {check.status for check in self.checks}
        return 1 if "fail" in statuses else 3 if "not comparable" in statuses else 0


def judge(
    metrics: Metrics,
    limits: Sequence[Limit],
    baseline: Baseline | None,
    tolerance: float,
    lang: str = "en",
) -> Verdict:
    """Judges a run.

    Args:
        metrics: of the run, all of them.
        limits: limits; those without a bound need the baseline.
        baseline: the run that was good.
        tolerance: by which fraction of the baseline's value a value may be worse.
        lang: language of the messages.

    Raises:
        PyptoPerfettoError: a limit needs a baseline and there is none.
    """
    t = words(lang)
    for limit in limits:
        if limit.bound is None and baseline is None:
            raise PyptoPerfettoError(
                f"--{limit.kind} {limit.name}=baseline: there is no baseline; add --baseline FILE"
            )
    obstacles = [] if baseline is None else list(_obstacles(metrics, baseline, t))
    checks = list(obstacles)
    usable = None if obstacles else baseline
    if usable is not None:
        makespan = Limit("max", stock().metrics["pypto_run_makespan"], {}, None)
        checks += _check_limit(metrics, makespan, usable, tolerance, t)
        checks += _check_tasks(metrics, usable, t)
        checks += _check_presence(metrics, usable, t)
    for limit in limits:
        if limit.bound is not None or usable is not None:
            checks += _check_limit(metrics, limit, usable, tolerance, t)
    name = None if baseline is None else baseline.input.name
    return Verdict(metrics.input.name, metrics.input.path, name, tolerance, checks, lang)


def _check_limit(
    metrics: Metrics, limit: Limit, baseline: Baseline | None, tolerance: float, t: Words
) -> Iterator[Check]:
    """Checks each row that the limit holds for and that has a value; where none has, it fails."""
    rows = [metric for metric in metrics.metrics if limit.holds_for(metric)]
    before = _by_name(baseline.metrics) if baseline and limit.bound is None else {}
    if not rows:
        yield _absent(limit, limit.name, None, t)
    if any(metric.value is not None for metric in rows):
        # Some rows have none by nature: nothing follows the last device task.
        rows = [
            metric
            for metric in rows
            if metric.value is not None
            or before.get(metric_name(metric.id, metric.dimensions)) is not None
        ]
    for metric in rows:
        name = metric_name(metric.id, metric.dimensions)
        old = before.get(name)
        bound = limit.bound
        if bound is None:
            if old is None:
                yield Check(
                    name,
                    "not comparable",
                    limit.kind,
                    metric.unit,
                    metric.value,
                    None,
                    None,
                    t("the baseline has no such value"),
                )
                continue
            bound = old + (1 if limit.kind == "max" else -1) * tolerance * abs(old)
        if metric.value is None:
            yield _absent(limit, name, old, t)
            continue
        holds = metric.value <= bound if limit.kind == "max" else metric.value >= bound
        status: Status = "pass" if holds else "fail"
        yield Check(name, status, limit.kind, metric.unit, metric.value, bound, old, "")


def _absent(limit: Limit, name: str, old: Value, t: Words) -> Check:
    message = t("absent: the run has no such value")
    return Check(name, "fail", limit.kind, limit.info.unit, None, limit.bound, old, message)


def _check_tasks(metrics: Metrics, baseline: Baseline, t: Words) -> Iterator[Check]:
    """A run that lost half of its tasks may be fast for the wrong reason."""
    name = "pypto_run_task_count"
    old, new = (_by_name(one.metrics).get(name) for one in (baseline, metrics))
    if old is None or new is None:
        return
    holds = new >= COLLAPSED * old
    collapsed = t("the task count collapsed; if that is meant, make the baseline anew")
    message = "" if holds else collapsed
    yield Check(
        name, "pass" if holds else "fail", "min", "COUNT", new, COLLAPSED * old, old, message
    )


def _check_presence(metrics: Metrics, baseline: Baseline, t: Words) -> Iterator[Check]:
    """A value that the baseline has and the run has not: what was measured has changed."""
    now = _by_name(metrics.metrics)
    for metric in baseline.metrics:
        name = metric_name(metric.id, metric.dimensions)
        is_lasting = metric.bundle in _LASTING and metric.id != "pypto_run_makespan"
        if is_lasting and metric.value is not None and now.get(name) is None:
            message = t("gone: the baseline has such a value, the run has none")
            yield Check(name, "fail", "presence", metric.unit, None, None, metric.value, message)


def _obstacles(metrics: Metrics, baseline: Baseline, t: Words) -> Iterator[Check]:
    """Yields what forbids to compare the run with the baseline."""

    def obstacle(name: str, message: str) -> Check:
        return Check(name, "not comparable", "comparability", "", None, None, None, message)

    now, before = metrics.input.core_counts, baseline.input.cores
    if now != before:
        yield obstacle(
            "cores",
            t(
                "{now} cores, the baseline {before}: give the same with --cores",
                now=cores(now) or t("no"),
                before=cores(before) or t("no"),
            ),
        )
    subgraphs, known = _subgraphs(metrics.metrics), _subgraphs(baseline.metrics)
    if subgraphs and known and not are_related(known, subgraphs):
        yield obstacle(
            "subgraphs",
            t(
                "none in common with the baseline, neither by leaf hash nor by label: another "
                "operator? If it is the same, make the baseline anew"
            ),
        )


def _subgraphs(metrics: Iterable[Metric]) -> list[Subgraph]:
    return [
        Subgraph(
            metric.dimensions["leaf_hash"], metric.dimensions["engine"], metric.dimensions["label"]
        )
        for metric in metrics
        if metric.id == "pypto_subgraph_task_count"
    ]


def _by_name(metrics: Iterable[Metric]) -> dict[str, Value]:
    return {metric_name(metric.id, metric.dimensions): metric.value for metric in metrics}
