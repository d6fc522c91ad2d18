"""Puts a comparison together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from perfetto_pypto.compare.explanation import explain, middle
from perfetto_pypto.compare.matching import Match, Subgraph, are_related, match
from perfetto_pypto.compare.measure import Run
from perfetto_pypto.compare.model import Change, Comparison, Note, Side, SubgraphChange
from perfetto_pypto.compare.statistics import LEVEL, judge, level
from perfetto_pypto.lang import Words, words
from perfetto_pypto.metrics import Metric, Metrics
from perfetto_pypto.metrics.model import Value
from perfetto_pypto.report.text import cores

_BUNDLES = ("pypto_run", "pypto_engine", "pypto_observed_path")

_SUBGRAPH_COLUMNS = (
    ("task_count", "COUNT", "NOT_APPLICABLE"),
    ("total", "TIME_NANOS", "LOWER_IS_BETTER"),
    ("mean", "TIME_NANOS", "NOT_APPLICABLE"),
    ("critical_path_time", "TIME_NANOS", "LOWER_IS_BETTER"),
)


def compare(base: Sequence[Run], new: Sequence[Run], lang: str = "en") -> Comparison:
    """Compares the runs of two sides; each has at least one."""
    t = words(lang)
    before, after = [run.metrics for run in base], [run.metrics for run in new]
    changes = {bundle: _changes(before, after, bundle) for bundle in _BUNDLES}
    by_id = {change.id: change for change in changes["pypto_run"]}
    none: list[Value] = [None]
    makespan = by_id.get(
        "pypto_run_makespan",
        judge("pypto_run_makespan", {}, "TIME_NANOS", "LOWER_IS_BETTER", none, none),
    )
    sections = {
        "pypto_run": changes["pypto_run"],
        "pypto_stitch": _stitch(before, after),
        "pypto_engine": changes["pypto_engine"],
        "pypto_observed_path": changes["pypto_observed_path"],
    }
    obstacles = list(_obstacles(base, new, t))
    return Comparison(
        base=Side([metrics.input for metrics in before]),
        new=Side([metrics.input for metrics in after]),
        is_comparable=not obstacles,
        notes=[*obstacles, *_remarks(len(base), len(new), t)],
        advice=middle(new).advice if makespan.verdict == "worse" else [],
        makespan=makespan,
        explanations=[] if makespan.difference is None else explain(base, new),
        sections=sections,
        subgraphs=_subgraphs(base, new),
        lang=lang,
    )


def _changes(base: Sequence[Metrics], new: Sequence[Metrics], bundle: str) -> list[Change]:
    def of(side: Sequence[Metrics]) -> list[dict[tuple[str, ...], Metric]]:
        return [
            {
                (metric.id, *metric.dimensions.values()): metric
                for metric in run.metrics
                if metric.bundle == bundle
            }
            for run in side
        ]

    before, after = of(base), of(new)
    every = {key: metric for run in [*before, *after] for key, metric in run.items()}
    return [
        judge(
            metric.id,
            metric.dimensions,
            metric.unit,
            metric.polarity,
            [_value(run, key, bundle) for run in before],
            [_value(run, key, bundle) for run in after],
        )
        for key, metric in every.items()
    ]


def _value(run: dict[tuple[str, ...], Metric], key: tuple[str, ...], bundle: str) -> Value:
    if key in run:
        return run[key].value
    # A path without a step of some kind spent no time on it.
    return 0 if run and bundle == "pypto_observed_path" else None


def _stitch(base: Sequence[Metrics], new: Sequence[Metrics]) -> list[Change]:
    """Device tasks have no names that two runs share: their number and gaps are compared."""

    def gaps(metrics: Metrics) -> int:
        rows = metrics.rows("pypto_stitch")
        return sum(max(int(row["gap_to_next"] or 0), 0) for row in rows)

    def number(metrics: Metrics) -> int:
        return len(metrics.rows("pypto_stitch"))

    figures: tuple[tuple[str, str, str, Callable[[Metrics], int]], ...] = (
        ("pypto_stitch_count", "COUNT", "NOT_APPLICABLE", number),
        ("pypto_stitch_gap_total", "TIME_NANOS", "LOWER_IS_BETTER", gaps),
    )
    return [
        judge(
            identifier,
            {},
            unit,
            polarity,
            [figure(run) for run in base],
            [figure(run) for run in new],
        )
        for identifier, unit, polarity, figure in figures
    ]


def subgraphs_of(metrics: Metrics) -> list[Subgraph]:
    """The subgraphs of a run without their shapes."""
    return [
        Subgraph(str(row["leaf_hash"]), str(row["engine"]), str(row["label"]))
        for row in metrics.rows("pypto_subgraph")
    ]


def _with_shapes(run: Run) -> list[Subgraph]:
    return [
        Subgraph(
            one.leaf_hash,
            one.engine,
            one.label,
            run.shapes.get((one.leaf_hash, one.engine), ""),
        )
        for one in subgraphs_of(run.metrics)
    ]


def _subgraphs(base: Sequence[Run], new: Sequence[Run]) -> list[SubgraphChange]:
    """Returns the subgraphs, those whose total changed most first."""
    matches = match(
        chain.from_iterable(map(_with_shapes, base)), chain.from_iterable(map(_with_shapes, new))
    )
    changes = [_subgraph(found, base, new) for found in matches]
    return sorted(
        changes, key=lambda change: (-_weight(change.changes["total"]), change.label, change.engine)
    )


def _weight(total: Change) -> float:
    if total.difference is not None:
        return abs(total.difference)
    return max(map(float, total.base.present + total.new.present), default=0)


def _subgraph(found: Match, base: Sequence[Run], new: Sequence[Run]) -> SubgraphChange:
    any_side = found.base or found.new
    dimensions = {"label": any_side[0].label, "engine": any_side[0].engine}
    before = [_sums(run, found.base) for run in base]
    after = [_sums(run, found.new) for run in new]
    return SubgraphChange(
        label=any_side[0].label,
        engine=any_side[0].engine,
        matched_by=found.matched_by,
        base_hashes=[one.leaf_hash for one in found.base],
        new_hashes=[one.leaf_hash for one in found.new],
        changes={
            column: judge(
                f"pypto_subgraph_{column}",
                dimensions,
                unit,
                polarity,
                [run.get(column) for run in before],
                [run.get(column) for run in after],
            )
            for column, unit, polarity in _SUBGRAPH_COLUMNS
        },
    )


def _sums(run: Run, subgraphs: Iterable[Subgraph]) -> dict[str, Value]:
    """Adds the subgraphs of one run up; empty where it has none of them."""
    keys = {(one.leaf_hash, one.engine) for one in subgraphs}
    rows = [
        row
        for row in run.metrics.rows("pypto_subgraph")
        if (row["leaf_hash"], row["engine"]) in keys
    ]
    if not rows:
        return {}
    sums: dict[str, Value] = {
        column: sum(int(row[column] or 0) for row in rows)
        for column in ("task_count", "total", "critical_path_time")
    }
    sums["mean"] = (sums["total"] or 0) / (sums["task_count"] or 1)
    return sums


def _obstacles(base: Sequence[Run], new: Sequence[Run], t: Words) -> Iterable[Note]:
    """Yields what forbids to compare the two sides."""
    runs = [run.metrics for run in (*base, *new)]
    for run in runs[1:]:
        if run.input.core_counts != runs[0].input.core_counts:
            yield Note(
                "different-cores",
                t(
                    "{one} is based on {cores} cores, {other} on {others}: give both the same "
                    "with --cores",
                    one=runs[0].input.name,
                    cores=cores(runs[0].input.core_counts) or t("no"),
                    other=run.input.name,
                    others=cores(run.input.core_counts) or t("no"),
                ),
            )
            break
    first, *others = map(_with_shapes, (*base, *new))
    for run, subgraphs in zip(runs[1:], others, strict=True):
        if first and subgraphs and not are_related(first, subgraphs):
            yield Note(
                "different-operators",
                t(
                    "{one} and {other} have no subgraph in common, neither by leaf hash nor by "
                    "label: these seem to be different operators",
                    one=runs[0].input.name,
                    other=run.input.name,
                ),
            )
            break


def _remarks(base: int, new: int, t: Words) -> Iterable[Note]:
    """Yields what to think of the result."""
    if base + new > 2 and level(base, new) > LEVEL:
        yield Note(
            "few-runs",
            t(
                "with {base} + {new} runs, even the clearest difference, every run of one side "
                "beyond every run of the other, is luck in {chance} of all cases; with 4 + 4 "
                "runs in 3%",
                base=base,
                new=new,
                chance=f"{float(level(base, new)):.0%}",
            ),
        )
