"""A comparison as text, for the table and for Markdown: lines and tables in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from perfetto_pypto.compare import Change, Comparison, Explanation, Side, SubgraphChange
from perfetto_pypto.lang import Words, words
from perfetto_pypto.report.compare_cells import (
    difference_cell,
    has_several,
    in_points,
    range_cell,
    share_cell,
    signed_us,
    value_cell,
)
from perfetto_pypto.report.text import ABSENT, bare_us, cores, count, shortened, times, us

_SUBGRAPHS = 8
_LABEL = 20

#: Parts that are at least this share of the makespan's change are named.
_STRONG = 0.05

#: What a person looks at; json has every metric.
_RUN = (
    "task_count",
    "dependency_count",
    "critical_path",
    "lower_bound",
    "headroom",
    "zero_gap_makespan",
    "control_overhead",
)
_ENGINE = (
    "used_core_count",
    "busy",
    "starved",
    "blocked",
    "drained",
    "utilization",
    "skill_bubble_rate",
    "aicore_time_spread",
    "small_task_share",
)

_PARTS = {
    "busy": "busy",
    "startup": "start-up",
    "wait_predecessor": "dependency wait",
    "wait_schedule": "scheduling wait",
    "tail": "no more work",
    "idle": "ran no task",
}
_KINDS = {
    "compute": "tasks on the path",
    "data_wait": "gaps after the last predecessor",
    "core_wait": "gaps after the core was free",
    "front": "before the first task",
}


#: Verdicts whose rows are only named, and the words for it.
_UNCHANGED = {"same": "The same: {names}", "not significant": "Not significant: {names}"}

#: How subgraphs were matched, where the word isn't the key.
_MATCHED = {"leaf_hash": "hash"}


@dataclass(frozen=True, slots=True)
class Block:
    """A table: the first ``left`` columns are texts; ``verdicts`` has one per row, '' for none."""

    title: str
    heads: Sequence[str]
    rows: list[list[str]]
    verdicts: list[str]
    left: int = 1
    remarks: list[str] = field(default_factory=list)


def title(comparison: Comparison) -> str:
    """``a -> b``."""
    t = words(comparison.lang)
    return f"{_name(comparison.base, t)} → {_name(comparison.new, t)}"


def makespan_line(comparison: Comparison) -> str:
    """The result in one line."""
    change, t = comparison.makespan, words(comparison.lang)
    old, new = change.base.median, change.new.median
    if old is None or new is None or change.difference is None:
        return t("makespan {base} → {new}: a side has no task", base=us(old), new=us(new))
    line = t(
        "makespan {base} → {new}: {difference} µs ({share}), {verdict}",
        base=bare_us(old),
        new=us(new),
        difference=signed_us(change.difference),
        share=share_cell(change.ratio),
        verdict=t(change.verdict),
    )
    if new and change.verdict == "better":
        return line + t(": {times} as fast", times=times(old / new))
    if new and change.verdict == "worse":
        return line + t(": {times} as long", times=times(new / old))
    return line


def basis_line(comparison: Comparison) -> str:
    """What the figures are based on."""
    t = words(comparison.lang)
    base, new = (cores(side.core_counts) or t("no") for side in (comparison.base, comparison.new))
    if comparison.base.core_counts == comparison.new.core_counts:
        return t("{cores} cores on both sides; times in µs", cores=base)
    return t("{base} cores on one side, {new} on the other; times in µs", base=base, new=new)


def runs_lines(comparison: Comparison) -> Iterator[str]:
    """Yields the makespans behind the medians; nothing for one run a side."""
    change, t = comparison.makespan, words(comparison.lang)
    if not has_several(change):
        return
    for word, sample in (("base", change.base), ("new", change.new)):
        yield t(
            "{side}: median of {runs}: {values}",
            side=t(word),
            runs=t.plural(len(sample.values), "run"),
            values=t(", ").join(bare_us(value) for value in sorted(sample.present)),
        )
    if change.p is not None:
        yield t("p = {p}: how often equal sides differ as clearly as these do", p=f"{change.p:.1%}")


def blocks(comparison: Comparison) -> list[Block]:
    """Returns the tables that say anything, the explanation first."""
    return [block for block in _blocks(comparison) if block.rows or block.remarks]


def _blocks(comparison: Comparison) -> Iterator[Block]:
    t = words(comparison.lang)
    several = has_several(comparison.makespan)
    if comparison.explanations:
        yield explanation(comparison.explanations, t, name_runs=several)
    run = _named(comparison, "pypto_run", _RUN) + [
        _row(t("device tasks" if change.unit == "COUNT" else "gaps between them"), change)
        for change in comparison.sections["pypto_stitch"]
    ]
    yield _block(t("The run"), ["metric"], run, t, several=several)
    yield _block(
        t("Engines (times are summed over their cores)"),
        ["", "metric"],
        _engines(comparison),
        t,
        several=several,
    )
    path = [
        _row(t(_KINDS[change.dimensions["kind"]]), change)
        for change in comparison.sections["pypto_observed_path"]
        if change.id.endswith("_time")
    ]
    title = t("Critical path as observed: its parts are the makespan")
    yield _block(title, ["part"], path, t, several=several)
    yield _subgraphs(comparison.subgraphs, t)


def explanation(explanations: list[Explanation], t: Words, *, name_runs: bool) -> Block:
    """What explains the change: the mean core of all engines, then the change per engine."""
    whole, *engines = explanations
    heads = [t(head) for head in ("part", "base", "new", "change")]
    rows = [[t(_PARTS[part.name])] for part in whole.parts]
    for row, part in zip(rows, whole.parts, strict=True):
        row += [bare_us(part.base / whole.base_cores), bare_us(part.new / whole.new_cores)]
    for scope in explanations:
        for row, part in zip(rows, scope.parts, strict=True):
            row.append(signed_us(part.new / scope.new_cores - part.base / scope.base_cores))
    heads += [t("{engine} only", engine=scope.scope) for scope in engines]
    old = sum(part.base for part in whole.parts) / whole.base_cores
    new = sum(part.new for part in whole.parts) / whole.new_cores
    makespans = [signed_us(new - old)] * len(explanations)
    rows.append([f"= {t('makespan')}", bare_us(old), bare_us(new), *makespans])
    remarks = list(_causes(whole, t))
    if name_runs:
        remarks.append(
            t("Split of the middle runs: {base} → {new}", base=whole.base_run, new=whole.new_run)
        )
    return Block(
        t("What explains the change: a core's time, on average; the parts are the makespan"),
        heads,
        rows,
        [""] * len(rows),
        remarks=remarks,
    )


def _causes(whole: Explanation, t: Words) -> Iterator[str]:
    """Names the parts that go with the makespan, the largest first."""
    changes = {
        part.name: part.new / whole.new_cores - part.base / whole.base_cores for part in whole.parts
    }
    total = sum(changes.values())
    if total:
        shares = sorted(((change / total, name) for name, change in changes.items()), reverse=True)
        strong = [f"{t(_PARTS[name])} {x:.0%}" for x, name in shares if abs(x) >= _STRONG]
        yield t("Of the change: {parts}", parts=t(", ").join(strong))
    if whole.base_tasks != whole.new_tasks and whole.base_tasks and whole.new_tasks:
        busy = whole.parts[0]
        yield t(
            "{base} → {new} tasks, a core is busy with one for {old} → {now} µs",
            base=count(whole.base_tasks),
            new=count(whole.new_tasks),
            old=bare_us(busy.base / whole.base_tasks),
            now=bare_us(busy.new / whole.new_tasks),
        )
    if whole.base_cores != whole.new_cores:
        yield t(
            "{base} cores before, {new} now: the sum holds, but the parts are means over "
            "different cores",
            base=whole.base_cores,
            new=whole.new_cores,
        )


def _named(comparison: Comparison, bundle: str, columns: Sequence[str]) -> list[_Line]:
    found = {change.id: change for change in comparison.sections[bundle]}
    lines = [
        _row(column, found[f"{bundle}_{column}"])
        for column in columns
        if f"{bundle}_{column}" in found
    ]
    return [line for line in lines if line.verdict != "absent"]


def _engines(comparison: Comparison) -> list[_Line]:
    changes = comparison.sections["pypto_engine"]
    engines = list(dict.fromkeys(change.dimensions["engine"] for change in changes))
    found = {(change.dimensions["engine"], change.id): change for change in changes}
    lines = []
    for engine in engines[1:]:
        busy = found[engine, "pypto_engine_busy"]
        if not any(busy.base.present + busy.new.present):
            continue
        for column in _ENGINE:
            change = found[engine, f"pypto_engine_{column}"]
            if change.verdict != "absent":
                line = _row(column, change)
                lines.append(_Line([engine, *line.names], line.cells, line.verdict))
    return lines


@dataclass(frozen=True, slots=True)
class _Line:
    names: list[str]
    cells: list[str]
    verdict: str


def _row(name: str, change: Change) -> _Line:
    sides = []
    for sample in (change.base, change.new):
        sides.append(value_cell(change, sample.median))
        if has_several(change):
            sides.append(ABSENT if sample.spread is None else range_cell(sample.spread))
    share = "" if in_points(change) else share_cell(change.ratio)
    if has_several(change):
        cells = [*sides, share or difference_cell(change)]
    else:
        cells = [*sides, difference_cell(change), share]
    return _Line([name], cells, change.verdict)


def _block(title: str, names: list[str], lines: list[_Line], t: Words, *, several: bool) -> Block:
    """A row for each line that changed; the others are named below."""
    shown = [line for line in lines if line.verdict not in _UNCHANGED]
    several_heads = ("base", "range", "new", "range", "change")
    heads = several_heads if several else ("base", "new", "change", "%")
    return Block(
        title,
        [*(t(head) if head else "" for head in (*names, *heads)), ""],
        [[*line.names, *line.cells, _word(line.verdict, t)] for line in shown],
        [line.verdict for line in shown],
        left=len(names),
        remarks=list(_unchanged(lines, t)),
    )


def _unchanged(lines: list[_Line], t: Words) -> Iterator[str]:
    for verdict, text in _UNCHANGED.items():
        names = [" ".join(line.names) for line in lines if line.verdict == verdict]
        if names:
            yield t(text, names=t(", ").join(names))


def _word(verdict: str, t: Words) -> str:
    """What stands at the end of a row: nothing where the figures say it all."""
    return "" if verdict in ("changed", "new", "gone") else t(verdict)


def _subgraphs(subgraphs: list[SubgraphChange], t: Words) -> Block:
    shown = [one for one in subgraphs if one.changes["total"].verdict != "same"][:_SUBGRAPHS]
    rows = []
    for one in shown:
        tasks, mean, total = (one.changes[key] for key in ("task_count", "mean", "total"))
        rows.append(
            [
                shortened(one.label, _LABEL) or _short(one.base_hashes or one.new_hashes),
                one.engine,
                t(_MATCHED.get(one.matched_by, one.matched_by)),
                _pair(count(tasks.base.median), count(tasks.new.median)),
                _pair(bare_us(mean.base.median), bare_us(mean.new.median)),
                _pair(bare_us(total.base.median), bare_us(total.new.median)),
                _word(total.verdict, t),
            ]
        )
    remarks = []
    if rest := len(subgraphs) - len(shown):
        same = sum(one.changes["total"].verdict == "same" for one in subgraphs)
        text = t("{subgraphs} took the same time", subgraphs=t.plural(same, "subgraph"))
        if same != rest:
            text += t(", {count} more changed: see json", count=rest - same)
        remarks.append(text)
    heads = ("subgraph", "engine", "matched by", "tasks", "mean", "total")
    return Block(
        t("Subgraphs, by the change of their total"),
        [*map(t, heads), ""],
        rows,
        [one.changes["total"].verdict for one in shown],
        left=3,
        remarks=remarks,
    )


def _short(hashes: list[str]) -> str:
    text = hashes[0] if len(hashes[0]) <= 9 else f"{hashes[0][:8]}…"
    return text if len(hashes) == 1 else f"{text} +{len(hashes) - 1}"


def _pair(old: str, new: str) -> str:
    return old if old == new else f"{old} → {new}"


def _name(side: Side, t: Words) -> str:
    names = list(dict.fromkeys(run.name for run in side.runs))
    if len(names) == 1:
        return names[0]
    return t("{name} and {count} more", name=names[0], count=len(side.runs) - 1)
