"""The X events of a file as columns, taken over column by column: that is three times faster."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from perfetto_pypto.swimlane.columns import Numbers, append, remap, renumbered
from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.hints import (
    Kind,
    parse_identity,
    parse_kind,
    parse_task_id,
    split_event_hint,
    split_names,
)
from perfetto_pypto.swimlane.lanes import Lane
from perfetto_pypto.swimlane.model import Strings
from perfetto_pypto.swimlane.records import Args, Slice

_NO_ARGS = Args()

_COLUMNS = ("ts", "dur", "seq", "func", "op", "task_id", "wrap_id")
_TEXTS = ("kind", "hashes", "hash_order", "execution", "inputs", "outputs")

#: Before the text of a name that is no task's: no task's begins so.
_ODD = "\0"


class Texts:
    """A growing column of repeated texts; "" is absent."""

    def __init__(self) -> None:
        self.codes = array("i")
        self.index: Numbers[str] = Numbers()

    def extend(self, texts: Iterable[str]) -> None:
        """Appends rows."""
        append(self.codes, self.index.of(texts))

    def append(self, other: Texts) -> None:
        """Appends the rows of a later part of the file."""
        self.codes += renumbered(other.codes, self.index.of(other.index))

    def text(self, row: int) -> str:
        """The text of one row."""
        return list(self.index)[self.codes[row]]

    def strings(self, convert: Callable[[str], str] = str) -> Strings:
        """The column so far, each distinct text converted."""
        return remap(Strings(np.array(self.codes, dtype=np.int32), list(self.index)), convert)


class _Kinds(dict[str, Kind]):
    """The kinds that names end with, each parsed once."""

    def __missing__(self, text: str) -> Kind:
        kind = self[text] = parse_kind(text) or Kind(-1, -1, text.removeprefix(_ODD))
        return kind


class Sync(NamedTuple):
    """A sync event of a slice (row of ``Slices``)."""

    row: int
    time_us: float
    type: str
    event_id: int


class Slices:
    """All X events, a row each, in file order; times in µs as they stand in the file.

    ``kinds`` says what the texts of ``kind`` mean. ``odd_names`` has the names that are no task's;
    ``extras`` what the model has no column for.
    """

    def __init__(self) -> None:
        self.lane, self.task_id, self.wrap_id = array("q"), array("q"), array("q")
        self.ts, self.dur = array("d"), array("d")
        self.seq, self.func, self.op = array("q"), array("q"), array("q")
        self.kind, self.hashes, self.hash_order = Texts(), Texts(), Texts()
        self.execution, self.inputs, self.outputs = Texts(), Texts(), Texts()
        self.odd_names: dict[int, str] = {}
        self.extras: dict[int, dict[str, Any]] = {}
        self.sync: list[Sync] = []
        self.kinds = _Kinds()
        self.has_wrap_id = False

    def name(self, row: int) -> str:
        """The row's name, for messages."""
        if row in self.odd_names:
            return self.odd_names[row]
        kind = self.kinds[self.kind.text(row)]
        numbers = (self.seq[row], self.func[row], self.op[row], kind.root_index, kind.psg_id)
        return "-".join(map(str, numbers)) + f"({kind.label.strip()})"

    def identity(self, row: int) -> tuple[object, ...]:
        """The row's name as a key: equal for equal names."""
        root_index, psg_id, label = self.kinds[self.kind.text(row)]
        numbers = (self.seq[row], self.func[row], self.op[row], root_index, psg_id)
        return (self.odd_names.get(row), *numbers, label.strip())

    def extend(
        self,
        events: list[Slice],
        extras: dict[int, dict[str, Any]],
        lanes: Numbers[Lane],
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
        names = [
            name or self._odd_name(row, events[row - first])
            for row, name in enumerate(split_names([event.name for event in events]), first)
        ]
        kinds = [self.kinds[name[3]] for name in names]
        hints = [split_event_hint(one.event_hint or "") for one in args]
        pids, tids = [event.pid for event in events], [event.tid for event in events]
        append(self.lane, lanes.of(zip(pids, tids, strict=True)))
        append(self.ts, [event.ts for event in events])
        append(self.dur, [event.dur for event in events])
        append(self.seq, [int(name[0]) for name in names])
        append(self.func, [int(name[1]) for name in names])
        append(self.op, [int(name[2]) for name in names])
        self.kind.extend([name[3] for name in names])
        append(
            self.task_id,
            [
                parse_task_id(hint[1]) if one.task_id is None else one.task_id
                for one, hint in zip(args, hints, strict=True)
            ],
        )
        wrap_ids = [one.wrap_id for one in args]
        self.has_wrap_id = self.has_wrap_id or any(one is not None for one in wrap_ids)
        append(self.wrap_id, [-1 if one is None else one for one in wrap_ids])
        self.hashes.extend([hint[0] for hint in hints])
        self.hash_order.extend(
            [
                f"{hint[2]}\n{one.hash_order or ''}".strip() if hint[2] or one.hash_order else ""
                for one, hint in zip(args, hints, strict=True)
            ]
        )
        self.execution.extend([one.execution or "" for one in args])
        self.inputs.extend([one.inputs or "" for one in args])
        self.outputs.extend([one.outputs or "" for one in args])
        for index, (one, kind, hint) in enumerate(zip(args, kinds, hints, strict=True)):
            if one.color != kind.label or not hint[0] or one.sync_events:
                self._rare(first + index, one, kind, findings)
        for index, extra in extras.items():
            self.extras.setdefault(first + index, {}).update(extra)

    def append(self, other: Slices, lanes: list[int]) -> None:
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

    def _odd_name(self, row: int, event: Slice) -> tuple[str, ...]:
        self.odd_names[row] = event.name
        hint = event.args.event_hint if event.args else None
        identity = parse_identity(hint or "") or ("-1", "-1", "-1")
        return (*identity, _ODD + event.name)

    def _rare(self, row: int, args: Args, kind: Kind, findings: Findings) -> None:
        hint = args.event_hint
        if hint and not split_event_hint(hint)[0]:
            self.extras.setdefault(row, {})["event-hint"] = hint
            findings.add("unparsed-hint", 1, [hint])
        if args.color and args.color != kind.label:
            self.extras.setdefault(row, {})["color"] = args.color
        for sync in args.sync_events or ():
            self.sync.append(Sync(row, sync.time, sync.type, sync.eventid))
