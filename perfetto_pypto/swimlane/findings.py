"""The catalogue of what a reader can find, and the list that it fills while reading."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from perfetto_pypto.swimlane.model import Finding

EXAMPLES = 3


class Kind(NamedTuple):
    """What a finding code means.

    ``drops`` names the kind of ``Swimlane.present`` whose balance the finding's count closes:
    imported + the counts of its codes = present. None: nothing was lost.
    """

    severity: str
    message: str
    drops: str | None = None


CATALOGUE: dict[str, Kind] = {
    # slices
    "duplicate-event": Kind(
        "warning", "the same slice stands in the file twice: kept once", "tasks"
    ),
    "impossible-timestamp": Kind(
        "error",
        "the start is no possible time (NaN, infinite or beyond 60 years): dropped",
        "tasks",
    ),
    "impossible-duration": Kind(
        "warning", "the duration is no possible time: kept as 0 at its start"
    ),
    "negative-duration": Kind("warning", "the slice ends before it starts: kept as 0 at its start"),
    "zero-duration": Kind("info", "the task starts and ends at the same stamp"),
    "duplicate-task-id": Kind("warning", "several tasks have the same seq-func-op: all are kept"),
    "overlapping-tasks": Kind(
        "warning", "the task starts before an earlier task on its core has ended: both are kept"
    ),
    "unsorted-tasks": Kind("info", "the task starts before the one listed before it on its core"),
    "unparsed-name": Kind(
        "warning", "the name is not seq-func-op-root-psg(label): taken as the label"
    ),
    "unparsed-hint": Kind("info", "the hint has an unknown form: kept as text in extra"),
    "unknown-key": Kind(
        "info", "the slice carries a key that PyPTO isn't known to write: in extra"
    ),
    "bad-text": Kind("info", "the text holds half a surrogate pair: replaced by U+FFFD"),
    # lanes and clock
    "unknown-lane": Kind("warning", "the lane's name is none of PyPTO's: its engine is OTHER"),
    "unnamed-lane": Kind("warning", "slices on a lane without a thread_name: its engine is OTHER"),
    "maybe-cycles": Kind(
        "warning", "every stamp is a whole number of µs: the times may be undivided clock cycles"
    ),
    # flows
    "duplicate-dependency": Kind(
        "info", "the same dependency is drawn more than once: kept once", "dependencies"
    ),
    "self-dependency": Kind("warning", "a task depends on itself: dropped", "dependencies"),
    "unresolved-dependency": Kind(
        "warning", "no task ends or starts where the flow does: dropped", "dependencies"
    ),
    "lone-flow": Kind(
        "warning", "a flow with only one end, or with an id used before: dropped", "dependencies"
    ),
    "ambiguous-dependency": Kind(
        "warning",
        "several tasks end (or start) where the flow does and the file's order can't tell which"
        " is meant: the first that is possible was taken",
    ),
    # the simpler runtime
    "unparsed-task": Kind("error", "the slice doesn't say which task it is: dropped", "tasks"),
    "other-run": Kind(
        "warning", "the row is of an earlier run in the same file: only the last is kept", "tasks"
    ),
    "joined-executions": Kind(
        "info",
        "the task ran on several cores: a hub of no length stands for the end of them all,"
        " and what depends on the task depends on that hub",
    ),
    "unexecuted-task": Kind(
        "warning", "others depend on the task, but it ran nowhere in the file: kept as a hub"
    ),
    "no-dependencies": Kind(
        "warning",
        "no deps.json beside the file: dependencies are unknown, every wait counts as scheduling",
    ),
    "several-name-maps": Kind("info", "several name_map files beside the file: the first is used"),
    "missing-dispatch": Kind("info", "the execution has no AICPU times, although others have"),
    "unmatched-dispatch": Kind(
        "warning", "the AICPU's times belong to no execution in the file, or to several: ignored"
    ),
    "host-phase": Kind(
        "info", "the phase is on the host's clock, not the device's: dropped", "phases"
    ),
    "derived-slice": Kind(
        "info", "the slice repeats what others say (setup, AICPU marker, graph frame): ignored"
    ),
    # raw files
    "raw-and-merged-differ": Kind(
        "warning",
        "the profile and merged_swimlane.json of one run disagree: the profile's times are used",
    ),
    "unreadable-file": Kind("warning", "a file of the run can't be used: done without it"),
    "damaged-log": Kind(
        "warning",
        "bubble_analysis.log beside the input is damaged: compared as far as it can be read",
    ),
    "several-runs": Kind(
        "info", "the folder holds other runs, too: the newest is shown (--run NAME shows another)"
    ),
    "no-topology": Kind(
        "warning",
        "no topology beside the profile: dependencies are unknown, so every wait counts as"
        " scheduling",
    ),
    "repeated-hub": Kind(
        "info",
        "the simulator gives hubs of several device tasks one id: the last is kept and the others"
        " are invented, as PyPTO's script does",
        "tasks",
    ),
    "foreign-hub": Kind(
        "info", "no device task of the topology has a hub of this id: kept without dependencies"
    ),
    "task-without-topology": Kind(
        "warning", "the profile has a task that the topology lacks: its dependencies are unknown"
    ),
    "duplicate-node": Kind("warning", "the topology has a task twice: the last is used"),
    "suspected-clock": Kind(
        "warning", "the clock may be wrong, and with it every time: check it and pass --clock"
    ),
    "unrelated-phase": Kind(
        "warning", "the AICPU's stamps lie far from the tasks: another counter, dropped", "phases"
    ),
    "impossible-pipe-span": Kind(
        "warning",
        "the pipe's operation has no possible time or an unknown core: dropped",
        "pipe_spans",
    ),
    "only-aicpu": Kind("warning", "the input has AICPU phases alone: nothing is known of tasks"),
    # the rest
    "impossible-counter": Kind(
        "warning", "the counter's time or value is not a number: dropped", "counters"
    ),
    "duplicate-phase": Kind(
        "warning", "the AICPU view was merged into the file twice: kept once", "phases"
    ),
    "impossible-phase": Kind("warning", "the phase's time is no possible time: dropped", "phases"),
    "impossible-sync-event": Kind(
        "warning", "the event's time is no possible time, or its task was dropped", "sync_events"
    ),
    "unknown-event": Kind("warning", "an event of a kind that PyPTO doesn't write: ignored"),
}


class Findings:
    """Collects findings; the same code met again adds to its count."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._examples: dict[str, list[str]] = {}

    def add(self, code: str, count: int = 1, examples: Iterable[str] = ()) -> None:
        """Counts ``count`` more of ``code`` (nothing happens for 0); keeps three examples."""
        if count <= 0:
            return
        self._counts[code] = self._counts.get(code, 0) + count
        kept = self._examples.setdefault(code, [])
        for example in examples:
            if len(kept) >= EXAMPLES:
                break
            kept.append(example)

    def append(self, other: Findings) -> None:
        """Adds those of a later part of the input."""
        for code, count in other._counts.items():
            self.add(code, count, other._examples[code])

    def all(self) -> list[Finding]:
        """The findings in the catalogue's order."""
        return [
            Finding(code, kind.severity, kind.message, count, tuple(self._examples[code]))
            for code, kind in CATALOGUE.items()
            if (count := self._counts.get(code))
        ]


def unaccounted(
    present: dict[str, int], imported: dict[str, int], findings: Iterable[Finding]
) -> dict[str, int]:
    """What is neither imported nor reported, kind by kind: empty for every good reader."""
    missing = {kind: count - imported[kind] for kind, count in present.items()}
    for finding in findings:
        kind = CATALOGUE[finding.code].drops
        if kind is not None:
            missing[kind] -= finding.count
    return {kind: count for kind, count in missing.items() if count}
