"""Takes the decoded events apart into columns, batch by batch; the events can then be forgotten."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from perfetto_pypto.swimlane.decode import Batch
from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.hints import parse_identity, parse_name, split_event_hint
from perfetto_pypto.swimlane.lanes import Lane
from perfetto_pypto.swimlane.model import Doubles, Int64s, Strings
from perfetto_pypto.swimlane.records import Args, Count, FlowEnd, FlowStart, Metadata, Slice

DEPENDENCY = "machine-view-last-dep"
_NO_ARGS = Args()


class Texts:
    """A growing column of repeated texts."""

    def __init__(self) -> None:
        self.codes = array("i")
        self.index: dict[str, int] = {}

    def add(self, text: str | None) -> None:
        """Appends a row; None and "" are absent."""
        self.codes.append(self.index.setdefault(text, len(self.index)) if text else -1)

    def strings(self) -> Strings:
        """The column so far."""
        return Strings(np.array(self.codes, dtype=np.int32), list(self.index))


class Sync(NamedTuple):
    """A sync event of a slice (row of ``Slices``)."""

    row: int
    time_us: float
    type: str
    event_id: int


class Slices:
    """All X events, a row each, in file order."""

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
        self.has_wrap_id = False

    def __len__(self) -> int:
        return len(self.ts)

    def name(self, row: int) -> str:
        """The row's name, for examples."""
        if row in self.odd_names:
            return self.odd_names[row]
        code = self.label.codes[row]
        label = list(self.label.index)[code] if code >= 0 else ""
        numbers = (self.seq, self.func, self.op, self.root_index, self.psg_id)
        return "-".join(str(column[row]) for column in numbers) + f"({label})"


class Flows:
    """All s or all f events of dependencies, in file order."""

    def __init__(self) -> None:
        self.id, self.lane, self.ts = array("q"), array("q"), array("d")


class Collector:
    """The file's columns as they stand in the file, in µs."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.slices = Slices()
        self.starts, self.ends = Flows(), Flows()
        self.counters: dict[str, tuple[array[float], array[float]]] = {}
        self.counter_values = 0
        self.processes: dict[int, str] = {}
        self.threads: dict[Lane, str] = {}
        self.lanes: dict[Lane, int] = {}
        self._ids: dict[str, int] = {}

    def add(self, batch: Batch) -> None:
        """Takes a batch of events."""
        slices: list[Slice] = []
        starts: list[FlowStart] = []
        ends: list[FlowEnd] = []
        counts: list[Count] = []
        names: list[Metadata] = []
        into: dict[type, Callable[[Any], None]] = {
            Slice: slices.append,
            FlowStart: starts.append,
            FlowEnd: ends.append,
            Count: counts.append,
            Metadata: names.append,
        }
        for event in batch.events:
            into[type(event)](event)
        extras = {id(batch.events[index]): extra for index, extra in batch.extras.items()}
        for one in slices:
            self._slice(one, extras.get(id(one)))
        self._flows(self.starts, starts)
        self._flows(self.ends, ends)
        for count in counts:
            self._count(count)
        for name in names:
            self._name(name)

    def _flows(self, flows: Flows, events: list[FlowStart] | list[FlowEnd]) -> None:
        ours = [event for event in events if event.cat == DEPENDENCY]
        if len(ours) < len(events):
            foreign = [f"flow of category {e.cat!r}" for e in events if e.cat != DEPENDENCY]
            self.findings.add("unknown-event", len(foreign), foreign)
        lanes, ids = self.lanes, self._ids
        flows.lane.extend([lanes.setdefault((e.pid, e.tid), len(lanes)) for e in ours])
        flows.ts.extend([e.ts for e in ours])
        # text ids get numbers of their own, below those that PyPTO counts up from 0
        flows.id.extend(
            [e.id if isinstance(e.id, int) else ids.setdefault(e.id, -1 - len(ids)) for e in ours]
        )

    def _count(self, event: Count) -> None:
        values = event.args or {"size": None}
        self.counter_values += len(values)
        for key, value in values.items():
            if value is None:
                self.findings.add("impossible-counter", 1, [event.name])
                continue
            name = event.name if key == "size" else f"{event.name} {key}"
            if name not in self.counters:
                self.counters[name] = (array("d"), array("d"))
            stamps, column = self.counters[name]
            stamps.append(event.ts)
            column.append(value)

    def _name(self, event: Metadata) -> None:
        name = (event.args or {}).get("name")
        if not isinstance(name, str):
            return
        if event.name == "process_name":
            self.processes[event.pid] = name
        elif event.name == "thread_name":
            self.threads[event.pid, event.tid] = name

    def _slice(self, event: Slice, extra: dict[str, Any] | None) -> None:
        rows = self.slices
        row = len(rows.ts)
        args = event.args or _NO_ARGS
        hint = args.event_hint or ""
        hashes, hinted_id, lines = split_event_hint(hint)
        name = parse_name(event.name)
        if name is None:
            rows.odd_names[row] = event.name
            identity = parse_identity(hint) or (-1, -1, -1)
            numbers, label = [*identity, -1, -1], event.name
        else:
            *numbers, label = name
        rows.seq.append(numbers[0])
        rows.func.append(numbers[1])
        rows.op.append(numbers[2])
        rows.root_index.append(numbers[3])
        rows.psg_id.append(numbers[4])
        rows.label.add(label.strip())
        rows.lane.append(self.lanes.setdefault((event.pid, event.tid), len(self.lanes)))
        rows.ts.append(event.ts)
        rows.dur.append(event.dur)
        task_id = args.task_id
        if task_id is None:
            task_id = int(hinted_id) if hinted_id.isdecimal() and len(hinted_id) < 19 else -1
        rows.task_id.append(task_id)
        rows.wrap_id.append(-1 if args.wrap_id is None else args.wrap_id)
        rows.has_wrap_id = rows.has_wrap_id or args.wrap_id is not None
        rows.hashes.add(hashes)
        rows.hash_order.add("\n".join(text for text in (lines, args.hash_order) if text))
        rows.execution.add((args.execution or "").strip())
        rows.inputs.add(args.inputs)
        rows.outputs.add(args.outputs)
        if hint and not hashes:
            extra = {**(extra or {}), "event-hint": hint}
            self.findings.add("unparsed-hint", 1, [hint])
        if args.color and args.color != label:
            extra = {**(extra or {}), "color": args.color}
        if extra:
            rows.extras[row] = extra
        for sync in args.sync_events or ():
            rows.sync.append(Sync(row, sync.time, sync.type, sync.eventid))


def doubles(column: array[float]) -> Doubles:
    """The array's own memory as a numpy column."""
    return np.frombuffer(column, dtype=np.float64) if column else np.zeros(0)


def integers(column: array[int]) -> Int64s:
    """The array's own memory as a numpy column."""
    return np.frombuffer(column, dtype=np.int64) if column else np.zeros(0, dtype=np.int64)


def json_text(extra: dict[str, Any]) -> str:
    """Extra facts as one line of JSON."""
    return json.dumps(extra, ensure_ascii=False)
