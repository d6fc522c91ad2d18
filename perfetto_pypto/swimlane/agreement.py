"""Compares a run's raw files with its merged file, and takes over what only the merged file has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from perfetto_pypto.swimlane.clock import Timeline
from perfetto_pypto.swimlane.findings import EXAMPLES, Findings
from perfetto_pypto.swimlane.model import Counter, Int64s, Strings, Swimlane, Tasks
from perfetto_pypto.swimlane.raw import Raw
from perfetto_pypto.swimlane.rawtasks import FAKE_CORE


@dataclass(frozen=True, slots=True)
class Match:
    """Tasks of both files by identity: row -> row of the other (-1: it has none)."""

    merged_of: Int64s
    raw_of: Int64s


def unite(raw: Raw, merged: Swimlane) -> Swimlane:
    """The raw run, checked against the merged one and completed from it.

    Args:
        raw: the run as the raw files tell it.
        merged: the same run by its merged file, read with its own clock.

    Returns:
        The raw run with the merged file's counters, texts and, where there are none, AICPU phases.
    """
    run, mhz = raw.run, raw.merged_mhz
    match = _match(run.tasks, merged.tasks)
    findings = Findings()
    for examples in _differences(raw, merged, mhz, match):
        findings.add("raw-and-merged-differ", examples.number, examples.first)
    words = "differs from" if findings.all() else "agrees with"
    same_clock = mhz * 1_000_000 == run.source.clock_hz and merged.source.clock_hz > 0
    united = replace(
        run,
        tasks=_filled(run.tasks, merged.tasks, match.merged_of),
        findings=[*findings.all(), *run.findings],
        source=replace(run.source, layout=f"{run.source.layout}; {words} merged_swimlane.json"),
    )
    if not same_clock:
        return united
    shift = _shift(raw, merged, mhz)
    counters = [Counter(one.name, one.ts + shift, one.value) for one in merged.counters]
    present = {**run.present, "counters": sum(len(one.ts) for one in counters)}
    united = replace(united, counters=counters, present=present)
    if not len(run.phases) and len(merged.phases):
        phases = merged.phases
        moved = replace(phases, start=phases.start + shift, end=phases.end + shift)
        present["phases"] = run.present["phases"] + len(phases)
        united = replace(united, phases=moved)
    return _from_zero(united)


def _shift(raw: Raw, merged: Swimlane, mhz: int) -> int:
    """Ns from the raw run's zero to the merged run's."""
    zero = np.array([_origin_ticks(merged, mhz) - raw.timeline.origin], dtype=np.int64)
    return int(raw.timeline.ticks_to_ns(zero)[0])


def _origin_ticks(merged: Swimlane, mhz: int) -> int:
    return round(Decimal(merged.source.origin_us) * mhz)


def _from_zero(run: Swimlane) -> Swimlane:
    """Moves the zero to what the merged file has from before the raw files' first stamp."""
    stamps = [run.phases.start, *(counter.ts for counter in run.counters)]
    first = min(int(one.min(initial=0)) for one in stamps)
    if first >= 0:
        return run
    tasks, phases, sync, spans = run.tasks, run.phases, run.sync_events, run.pipe_spans
    origin = Decimal(run.source.origin_us) + Decimal(first) / 1000
    return replace(
        run,
        source=replace(run.source, origin_us=format(origin, "f")),
        tasks=replace(tasks, start=tasks.start - first, end=tasks.end - first),
        phases=replace(phases, start=phases.start - first, end=phases.end - first),
        sync_events=replace(sync, ts=sync.ts - first),
        counters=[replace(one, ts=one.ts - first) for one in run.counters],
        pipe_spans=replace(spans, start=spans.start - first, end=spans.end - first),
    )


def _match(raw: Tasks, merged: Tasks) -> Match:
    """Matches by seqNo and taskId, or by seq-func-op where a static topology leaves the ids 0.

    Of several with one identity it is the last, as PyPTO's script keeps it.
    """
    count = len(raw)
    keys = ("seq", "task_id") if merged.task_id.any() else ("seq", "func", "op")
    columns = [np.concatenate([getattr(raw, name), getattr(merged, name)]) for name in keys]
    identity = np.unique(np.stack(columns), axis=1, return_inverse=True)[1].reshape(-1)
    size = int(identity.max(initial=-1)) + 1
    raw_at, merged_at = np.full(size, -1), np.full(size, -1)
    raw_at[identity[:count]] = np.arange(count)
    merged_at[identity[count:]] = np.arange(len(merged))
    is_last = raw_at[identity[:count]] == np.arange(count)
    return Match(np.where(is_last, merged_at[identity[:count]], -1), raw_at[identity[count:]])


class _Examples(NamedTuple):
    """How many differences of one kind there are, and the first of them in words."""

    number: int
    first: list[str]


def _differences(raw: Raw, merged: Swimlane, mhz: int, match: Match) -> list[_Examples]:
    """Tasks with other times or another core, tasks and edges that only one file has."""
    run, tasks = raw.run, merged.tasks

    def shown(words: str, one: Swimlane, rows: Int64s) -> _Examples:
        return _Examples(len(rows), [f"{words}: {_name(one, int(row))}" for row in rows[:EXAMPLES]])

    ours = np.flatnonzero(match.merged_of >= 0)
    theirs = match.merged_of[ours]
    names = {core.name: index for index, core in enumerate(merged.cores)}
    core_of = np.array([names.get(core.name, -1) for core in run.cores], dtype=np.int64)
    found = [
        shown("only in the profile", run, np.flatnonzero(match.merged_of < 0)),
        shown("only in merged_swimlane.json", merged, np.flatnonzero(match.raw_of < 0)),
        shown("another core", run, ours[core_of[run.tasks.core[ours]] != tasks.core[theirs]]),
    ]
    if mhz:
        timeline = Timeline(mhz, _origin_ticks(merged, mhz))
        start, end = (timeline.ticks_to_ns(one[ours] - timeline.origin) for one in raw.ticks)
        wrong = (start != tasks.start[theirs]) | (np.maximum(start, end) != tasks.end[theirs])
        if mhz * 1_000_000 != run.source.clock_hz:
            # The length of an invented hub is a matter of the clock.
            wrong &= core_of[run.tasks.core[ours]] != names.get(FAKE_CORE.name, -1)
        found.append(shown("other times", run, ours[wrong]))
    else:
        found.append(_Examples(1, ["no known factor lies between their times"]))
    return [*found, *(_edge_differences(run, merged, match) if len(run.dependencies) else ())]


def _edge_differences(run: Swimlane, merged: Swimlane, match: Match) -> list[_Examples]:
    count = len(run.tasks)
    ours = run.dependencies.dst.astype(np.int64) * count + run.dependencies.src
    src, dst = match.raw_of[merged.dependencies.src], match.raw_of[merged.dependencies.dst]
    known = (src >= 0) & (dst >= 0)
    theirs = dst[known] * count + src[known]

    def shown(words: str, edges: Int64s) -> _Examples:
        pairs = [divmod(int(edge), count) for edge in edges[:EXAMPLES]]
        texts = [f"edge {words}: {_name(run, src)} → {_name(run, dst)}" for dst, src in pairs]
        return _Examples(len(edges), texts)

    return [
        shown("only in the topology", np.setdiff1d(ours, theirs)),
        shown("only in merged_swimlane.json", np.setdiff1d(theirs, ours)),
    ]


def _name(run: Swimlane, row: int) -> str:
    t = run.tasks
    return f"{t.seq[row]}-{t.func[row]}-{t.op[row]} on {run.cores[t.core[row]].name}"


def _filled(raw: Tasks, merged: Tasks, merged_of: Int64s) -> Tasks:
    """The raw columns, with the merged file's text where the raw files have none."""
    at = np.maximum(merged_of, 0)
    known = merged_of >= 0
    indexed = known & (merged.root_index[at] >= 0)
    return replace(
        raw,
        func=np.where(known, merged.func[at], raw.func),
        op=np.where(known, merged.op[at], raw.op),
        root_index=np.where(indexed, merged.root_index[at], raw.root_index),
        label=_fill(raw.label, merged.label, merged_of),
        hash_order=_fill(raw.hash_order, merged.hash_order, merged_of),
        execution_hint=_fill(raw.execution_hint, merged.execution_hint, merged_of),
        inputs=_fill(raw.inputs, merged.inputs, merged_of),
        outputs=_fill(raw.outputs, merged.outputs, merged_of),
        extra=_fill(raw.extra, merged.extra, merged_of),
    )


def _fill(raw: Strings, merged: Strings, merged_of: Int64s) -> Strings:
    if not merged.values:
        return raw
    index = {text: code for code, text in enumerate(raw.values)}
    codes = np.array(
        [index.setdefault(text, len(index)) for text in merged.values] + [-1], dtype=np.int32
    )
    theirs = np.where(merged_of >= 0, merged.codes[np.maximum(merged_of, 0)], -1)
    return Strings(np.where(raw.codes < 0, codes[theirs], raw.codes).astype(np.int32), list(index))
