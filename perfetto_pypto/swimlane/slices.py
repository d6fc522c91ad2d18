"""The X events of a file as columns, taken over column by column: that is three times faster."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.hints import (
    Kind,
    parse_identity,
    parse_kind,
    split_event_hint,
    split_name,
)
from perfetto_pypto.swimlane.lanes import Lane
from perfetto_pypto.swimlane.model import Int64s, Strings
from perfetto_pypto.swimlane.records import Args, Slice

T = TypeVar("T")

_NO_ARGS = Args()

_COLUMNS = ("ts", "dur", "seq", "func", "op", "root_index", "psg_id", "task_id", "wrap_id")
_TEXTS = ("label", "hashes", "hash_order", "execution", "inputs", "outputs")

#: Before the text of a name that is no task's: no task's begins so.
_ODD = "\0"


class Texts:
    """A growing column of repeated texts; None and "" are absent."""

    def __init__(self) -> None:
        self.codes = array("i")
        self.index: dict[str, int] = {}

    def extend(self, texts: Iterable[str | None]) -> None:
        """Appends rows."""
        index = self.index
        self.codes.extend([index.setdefault(t, len(index)) if t else -1 for t in texts])

    def append(self, other: Texts) -> None:
        """Appends the rows of a later part of the file."""
        self.codes += renumbered(other.codes, numbers_in(self.index, other.index))

    def strings(self) -> Strings:
        """The column so far."""
        return Strings(np.array(self.codes, dtype=np.int32), list(self.index))


def numbers_in(ours: dict[T, int], theirs: dict[T, int]) -> Int64s:
    """The number that each key of ``theirs`` has in ``ours``, which gets the new ones."""
    return np.array([ours.setdefault(key, len(ours)) for key in theirs], dtype=np.int64)


def renumbered(column: array[int], numbers: Int64s) -> array[int]:
    """The column with each number replaced by its new one; -1 stays."""
    # What stands last is what -1 picks.
    renumbered = np.append(numbers, -1)[np.array(column, dtype=np.int64)]
    return array(column.typecode, renumbered.astype(column.typecode).tobytes())


class Sync(NamedTuple):
    """A sync event of a slice (row of ``Slices``)."""

    row: int
    time_us: float
    type: str
    event_id: int


class Slices:
    """All X events, a row each, in file order; times in µs as they stand in the file.

    ``odd_names`` has the names that are no task's; ``extras`` what the model has no column for.
    """

    def __init__(self) -> None:
        self.lane, self.task_id, self.wrap_id = array("q"), array("q"), array("q")
        self.ts, self.dur = array("d"), array("d")
        self.seq, self.func, self.op = array("q"), array("q"), array("q")
        self.root_index, self.psg_id = array("q"), array("q")
        self.label, self.hashes, self.hash_order = Texts(), Texts(), Texts()
        self.execution, self.inputs, self.outputs = Texts(), Texts(), Texts()
        self.odd_names: dict[int, str] = {}
        self.extras: dict[int, dict[str, Any]] = {}
        self.sync: list[Sync] = []
        self._kinds: dict[str, Kind] = {}
        self.has_wrap_id = False

    def name(self, row: int) -> str:
        """The row's name, for messages."""
        if row in self.odd_names:
            return self.odd_names[row]
        code = self.label.codes[row]
        label = list(self.label.index)[code] if code >= 0 else ""
        numbers = (self.seq, self.func, self.op, self.root_index, self.psg_id)
        return "-".join(str(column[row]) for column in numbers) + f"({label})"

    def identity(self, row: int) -> tuple[object, ...]:
        """The row's name as a key: equal for equal names."""
        numbers = (self.seq, self.func, self.op, self.root_index, self.psg_id, self.label.codes)
        return (self.odd_names.get(row), *(column[row] for column in numbers))

    def extend(
        self,
        events: list[Slice],
        extras: dict[int, dict[str, Any]],
        lanes: dict[Lane, int],
        findings: Findings,
    ) -> None:
        """Appends rows.

        Args:
            events: the slices.
            extras: unknown keys by index in ``events``.
            lanes: the numbers of the lanes; gets the new ones.
            findings: gets the hints of unknown form.
        """
        first = len(self.ts)
        args = [event.args or _NO_ARGS for event in events]
        # Comprehensions, not zip(*rows): that takes longer than cutting the texts.
        hints = [split_event_hint(one.event_hint or "") for one in args]
        names = [
            split_name(event.name) or self._odd_name(row, event.name, args[row - first])
            for row, event in enumerate(events, first)
        ]
        known = self._kinds
        kinds = [known.get(name[3]) or self._kind(name[3]) for name in names]
        self.lane.extend([lanes.setdefault((e.pid, e.tid), len(lanes)) for e in events])
        self.ts.extend([event.ts for event in events])
        self.dur.extend([event.dur for event in events])
        self.seq.extend([int(name[0]) for name in names])
        self.func.extend([int(name[1]) for name in names])
        self.op.extend([int(name[2]) for name in names])
        self.root_index.extend([kind.root_index for kind in kinds])
        self.psg_id.extend([kind.psg_id for kind in kinds])
        self.label.extend([kind.label.strip() for kind in kinds])
        self.task_id.extend(
            [
                hint[1] if one.task_id is None else one.task_id
                for one, hint in zip(args, hints, strict=True)
            ]
        )
        wrap_ids = [one.wrap_id for one in args]
        self.has_wrap_id = self.has_wrap_id or any(one is not None for one in wrap_ids)
        self.wrap_id.extend([-1 if one is None else one for one in wrap_ids])
        self.hashes.extend([hint[0] for hint in hints])
        self.hash_order.extend(
            [
                f"{hint[2]}\n{one.hash_order or ''}".strip()
                for one, hint in zip(args, hints, strict=True)
            ]
        )
        self.execution.extend([one.execution and one.execution.strip() for one in args])
        self.inputs.extend([one.inputs for one in args])
        self.outputs.extend([one.outputs for one in args])
        for index, (one, kind, hint) in enumerate(zip(args, kinds, hints, strict=True)):
            if one.color != kind.label or not hint[0] or one.sync_events:
                self._rare(first + index, one, kind, findings)
        for index, extra in extras.items():
            self.extras.setdefault(first + index, {}).update(extra)

    def append(self, other: Slices, lanes: Int64s) -> None:
        """Appends the rows of a later part of the file; ``lanes``: our numbers of its lanes."""
        first = len(self.ts)
        self.lane += renumbered(other.lane, lanes)
        for name in _COLUMNS:
            getattr(self, name).extend(getattr(other, name))
        for name in _TEXTS:
            getattr(self, name).append(getattr(other, name))
        self.odd_names |= {first + row: name for row, name in other.odd_names.items()}
        self.extras |= {first + row: extra for row, extra in other.extras.items()}
        self.sync += [sync._replace(row=first + sync.row) for sync in other.sync]
        self.has_wrap_id = self.has_wrap_id or other.has_wrap_id

    def _odd_name(self, row: int, name: str, args: Args) -> tuple[str, ...]:
        self.odd_names[row] = name
        identity = parse_identity(args.event_hint or "") or ("-1", "-1", "-1")
        return (*identity, _ODD + name)

    def _kind(self, text: str) -> Kind:
        kind = parse_kind(text) or Kind(-1, -1, text.removeprefix(_ODD))
        self._kinds[text] = kind
        return kind

    def _rare(self, row: int, args: Args, kind: Kind, findings: Findings) -> None:
        hint = args.event_hint
        if hint and not split_event_hint(hint)[0]:
            self.extras.setdefault(row, {})["event-hint"] = hint
            findings.add("unparsed-hint", 1, [hint])
        if args.color and args.color != kind.label:
            self.extras.setdefault(row, {})["color"] = args.color
        for sync in args.sync_events or ():
            self.sync.append(Sync(row, sync.time, sync.type, sync.eventid))
