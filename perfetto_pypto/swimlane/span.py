"""Refuses runs that no operator can take: SQL counts their time in doubles, exact up to 2^53 ns."""

from __future__ import annotations

from collections.abc import Iterator

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane.model import Int64s, Swimlane

#: Core time (cores times makespan) from which a double can't hold every ns: 104 days.
_LIMIT_NS = 2**53
_NS_A_DAY = 86_400 * 10**9


def demand_short(run: Swimlane, path: object) -> Swimlane:
    """The run itself.

    Raises:
        InputError: it is so long that its numbers would not be exact; names first and last.
    """
    spans = [(what, start, end) for what, start, end in _spans(run) if len(start)]
    if not spans:
        return run
    first = min(spans, key=lambda span: int(span[1].min()))
    last = max(spans, key=lambda span: int(span[2].max()))
    length = int(last[2].max()) - int(first[1].min())
    cores = max(sum(run.source.core_counts.values()), 1)
    if length * cores < _LIMIT_NS:
        return run
    raise InputError(
        path,
        f"spans {length / _NS_A_DAY:,.1f} days on {cores} cores, from"
        f" {first[0]} {int(first[1].argmin())} to {last[0]} {int(last[2].argmax())}"
        " in the order of the file",
        "a stamp of these is damaged: profile again, or remove it",
    )


def _spans(run: Swimlane) -> Iterator[tuple[str, Int64s, Int64s]]:
    yield "task", run.tasks.start, run.tasks.end
    yield "phase", run.phases.start, run.phases.end
    yield "pipe operation", run.pipe_spans.start, run.pipe_spans.end
    yield "sync event", run.sync_events.ts, run.sync_events.ts
    for counter in run.counters:
        yield f"counter {counter.name[:40]!r} value", counter.ts, counter.ts
    for name, times in (("dispatch", run.tasks.dispatch), ("finish", run.tasks.finish)):
        if times is not None:
            known = times[times >= 0]
            yield name, known, known
