"""The slices that are tasks, as the model's columns."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perfetto_pypto.swimlane.clock import Timeline, possible
from perfetto_pypto.swimlane.collect import Collector, doubles, integers
from perfetto_pypto.swimlane.columns import remap, repeats, replaced, take
from perfetto_pypto.swimlane.findings import EXAMPLES, Findings
from perfetto_pypto.swimlane.hints import Hashes, parse_hashes, parse_tensors
from perfetto_pypto.swimlane.model import HUB, Core, Doubles, Int32s, Int64s, Strings, Tasks
from perfetto_pypto.swimlane.sidelines import aicpu_pids

_FAKE_LANE = "Fake Core_"
_FAKE = "fake"


@dataclass(frozen=True, slots=True)
class Kept:
    """The tasks that are imported, in file order, in µs.

    count:    the tasks in the file
    is_phase: which slices belong to the AICPU view instead
    rows:     task -> row of the collector's slices
    lane:     task -> number of its lane
    end_us:   as the file says, so before ``start_us`` for a negative duration
    """

    count: int
    is_phase: NDArray[np.bool_]
    rows: Int64s
    lane: Int64s
    start_us: Doubles
    end_us: Doubles


def choose(raw: Collector) -> Kept:
    """Drops the slices that are no tasks, have no possible start or are there twice."""
    slices, findings = raw.slices, raw.findings
    lane, start, dur = integers(slices.lane), doubles(slices.ts), doubles(slices.dur)
    pids = aicpu_pids(raw)
    aicpu_lane = np.array([pid in pids for pid, _ in raw.lanes], dtype=bool)
    is_phase = aicpu_lane[lane] if len(lane) else np.zeros(0, dtype=bool)
    rows = np.flatnonzero(~is_phase)
    count = len(rows)

    good = possible(start[rows])
    _report(findings, "impossible-timestamp", raw, rows[~good])
    rows = rows[good]
    twice = repeats(
        [start[rows], dur[rows], lane[rows]], lambda row: slices.identity(int(rows[row]))
    )
    _report(findings, "duplicate-event", raw, rows[twice])
    rows = np.delete(rows, twice)

    end = start[rows] + dur[rows]
    good = possible(end)
    _report(findings, "impossible-duration", raw, rows[~good])
    _report(findings, "negative-duration", raw, rows[good & (dur[rows] < 0)])
    return Kept(count, is_phase, rows, lane[rows], start[rows], np.where(good, end, start[rows]))


def build(raw: Collector, kept: Kept, timeline: Timeline, core: Int32s, cores: list[Core]) -> Tasks:
    """The model's columns of the kept tasks; unparsed texts go to ``extra`` and are reported."""
    slices, rows = raw.slices, kept.rows
    extras = {row: dict(extra) for row, extra in slices.extras.items()}
    for row, extra in extras.items():
        if unknown := [key for key in extra if key not in ("color", "event-hint")]:
            raw.findings.add("unknown-key", 1, [f"{key} of {slices.name(row)}" for key in unknown])
    odd = [row for row in slices.odd_names if not kept.is_phase[row]]
    _report(raw.findings, "unparsed-name", raw, np.array(odd, dtype=np.int64))

    root, leaf, magic = _hashes(raw, rows, extras)
    kinds = [slices.kinds[text] for text in slices.kind.index]
    kind = np.array(slices.kind.codes)[rows]
    labels = slices.kind.strings(lambda text: slices.kinds[text].label.strip())
    start = timeline.ns(kept.start_us)
    return Tasks(
        core=core,
        start=start,
        end=np.maximum(start, timeline.ns(kept.end_us)),
        seq=integers(slices.seq)[rows],
        func=integers(slices.func)[rows],
        op=integers(slices.op)[rows],
        task_id=integers(slices.task_id)[rows],
        root_index=np.array([one.root_index for one in kinds], dtype=np.int64)[kind],
        psg_id=np.array([one.psg_id for one in kinds], dtype=np.int64)[kind],
        call_op_magic=magic,
        wrap_id=integers(slices.wrap_id)[rows],
        root_hash=root,
        leaf_hash=leaf,
        label=_labels(take(labels, rows), core, cores),
        hash_order=take(slices.hash_order.strings(), rows),
        execution_hint=take(slices.execution.strings(str.strip), rows),
        inputs=_tensors(raw, slices.inputs.strings(), rows, "ioperand-hint", extras),
        outputs=_tensors(raw, slices.outputs.strings(), rows, "ooperand-hint", extras),
        extra=_extra_texts(rows, extras),
    )


def _report(findings: Findings, code: str, raw: Collector, rows: Int64s) -> None:
    findings.add(code, len(rows), [raw.slices.name(int(row)) for row in rows[:EXAMPLES]])


def _hashes(
    raw: Collector, rows: Int64s, extras: dict[int, dict[str, Any]]
) -> tuple[Strings, Strings, Int64s]:
    texts = take(raw.slices.hashes.strings(), rows)
    parsed = [parse_hashes(text) for text in texts.values]
    odd = {code for code, one in enumerate(parsed) if one is None}
    _keep_odd(raw, texts, rows, odd, "event-hint", extras)
    good = dict(zip(texts.values, (one or Hashes(None, -1, None) for one in parsed), strict=True))
    magic = np.array([*(one.call_op_magic for one in good.values()), -1], dtype=np.int64)
    return (
        remap(texts, lambda text: good[text].root_hash),
        remap(texts, lambda text: good[text].leaf_hash),
        magic[texts.codes],
    )


def _tensors(
    raw: Collector, column: Strings, rows: Int64s, key: str, extras: dict[int, dict[str, Any]]
) -> Strings:
    texts = take(column, rows)
    parsed = {text: parse_tensors(text) for text in texts.values}
    odd = {code for code, text in enumerate(texts.values) if parsed[text] is None}
    _keep_odd(raw, texts, rows, odd, key, extras)
    return remap(texts, lambda text: parsed[text])


def _keep_odd(
    raw: Collector,
    texts: Strings,
    rows: Int64s,
    odd: set[int],
    key: str,
    extras: dict[int, dict[str, Any]],
) -> None:
    """Moves texts of unknown form to the extra facts of their rows."""
    if not odd:
        return
    where = np.flatnonzero(np.isin(texts.codes, list(odd)))
    for task in where:
        extras.setdefault(int(rows[task]), {})[key] = texts[int(task)]
    raw.findings.add("unparsed-hint", len(where), [str(texts[int(t)]) for t in where[:EXAMPLES]])


def _labels(column: Strings, core: Int32s, cores: list[Core]) -> Strings:
    """The text in the name's parentheses, without the ``fake`` that PyPTO puts before a hub's."""
    changed: dict[int, str | None] = {}
    for index, one in enumerate(cores):
        if one.engine != HUB:
            continue
        for task in np.flatnonzero(core == index):
            text = column[int(task)] or ""
            if one.name.startswith(_FAKE_LANE) or text == _FAKE:
                changed[int(task)] = text.removeprefix(_FAKE).strip()
    return replaced(column, changed) if changed else column


def _extra_texts(rows: Int64s, extras: dict[int, dict[str, Any]]) -> Strings:
    empty = Strings(np.full(len(rows), -1, dtype=np.int32), [])
    if not extras:
        return empty
    at = {int(row): task for task, row in enumerate(rows)}
    return replaced(
        empty,
        {
            at[row]: json.dumps(extra, ensure_ascii=False)
            for row, extra in sorted(extras.items())
            if row in at
        },
    )
