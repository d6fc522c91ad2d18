"""Takes the decoded events apart into columns, batch by batch; the events can then be forgotten."""

from __future__ import annotations

import gc
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from perfetto_pypto.swimlane.columns import Numbers, append, renumbered
from perfetto_pypto.swimlane.decode import Batch, batches
from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.lanes import Lane
from perfetto_pypto.swimlane.model import Doubles, Int64s
from perfetto_pypto.swimlane.opening import Opened
from perfetto_pypto.swimlane.records import Count, Flow, Metadata
from perfetto_pypto.swimlane.slices import Slices

_DEPENDENCY = "machine-view-last-dep"
_NO_VALUE: dict[str, float | None] = {"size": None}


class Flows:
    """All s or all f events of dependencies, in file order."""

    def __init__(self) -> None:
        self.id, self.lane, self.ts = array("q"), array("q"), array("d")

    def append(self, other: Flows, lanes: list[int]) -> None:
        """Appends those of a later part of the file."""
        self.id += other.id
        self.lane += renumbered(other.lane, lanes)
        self.ts += other.ts


class Counts:
    """All counter values, in file order; ``series`` numbers the pairs of name and args key."""

    def __init__(self) -> None:
        self.series: Numbers[tuple[str, str]] = Numbers()
        self.number, self.ts, self.value = array("q"), array("d"), array("d")

    def extend(self, events: list[Count]) -> None:
        """Appends the values of the events; an absent value is NaN."""
        args = [event.args or _NO_VALUE for event in events]
        keys = [key for one in args for key in one]
        values = [value for one in args for value in one.values()]
        if len(keys) > len(events):
            events = [event for event, one in zip(events, args, strict=True) for _ in one]
        append(self.number, self.series.of(zip([e.name for e in events], keys, strict=True)))
        append(self.ts, [event.ts for event in events])
        append(self.value, [np.nan if value is None else value for value in values])

    def append(self, other: Counts) -> None:
        """Appends those of a later part of the file."""
        self.number += renumbered(other.number, self.series.of(other.series))
        self.ts += other.ts
        self.value += other.value


class Collector:
    """The file's columns as they stand in the file, in µs."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.slices = Slices()
        self.starts, self.ends = Flows(), Flows()
        self.counts = Counts()
        self.processes: dict[int, str] = {}
        self.threads: dict[Lane, str] = {}
        self.lanes: Numbers[Lane] = Numbers()
        self.text_ids: Numbers[str] = Numbers()

    def add(self, batch: Batch) -> None:
        """Takes a batch of events."""
        events = batch.events
        kinds = {event.ph for event in events}
        of: dict[str, list[Any]] = {
            kind: events if len(kinds) == 1 else [event for event in events if event.ph == kind]
            for kind in kinds
        }
        slices = of.get("X", [])
        extras: dict[int, dict[str, Any]] = {}
        if batch.extras:
            at = {id(event): index for index, event in enumerate(slices)}
            extras = {at[id(events[index])]: extra for index, extra in batch.extras.items()}
        self.slices.extend(slices, extras, self.lanes, self.findings)
        self._flows(self.starts, of.get("s", []))
        self._flows(self.ends, of.get("f", []))
        self.counts.extend(of.get("C", []))
        for name in of.get("M", []):
            self._name(name)

    def append(self, other: Collector) -> None:
        """Appends a later part of the file; neither has a flow with a text as its id."""
        lanes = self.lanes.of(other.lanes)
        self.slices.append(other.slices, lanes)
        self.starts.append(other.starts, lanes)
        self.ends.append(other.ends, lanes)
        self.counts.append(other.counts)
        self.processes |= other.processes
        self.threads |= other.threads
        self.findings.append(other.findings)

    def _flows(self, flows: Flows, events: list[Flow]) -> None:
        ours = [event for event in events if event.cat == _DEPENDENCY]
        if len(ours) < len(events):
            foreign = [f"flow of category {e.cat!r}" for e in events if e.cat != _DEPENDENCY]
            self.findings.add("unknown-event", len(foreign), foreign)
        lanes = self.lanes.of(zip([e.pid for e in ours], [e.tid for e in ours], strict=True))
        append(flows.lane, lanes)
        append(flows.ts, [event.ts for event in ours])
        # text ids get numbers of their own, below those that PyPTO counts up from 0
        append(
            flows.id, [e.id if isinstance(e.id, int) else -1 - self.text_ids[e.id] for e in ours]
        )

    def _name(self, event: Metadata) -> None:
        name = (event.args or {}).get("name")
        if not isinstance(name, str):
            return
        if event.name == "process_name":
            self.processes[event.pid] = name
        elif event.name == "thread_name":
            self.threads[event.pid, event.tid] = name


def read_whole(source: Opened, findings: Findings) -> Collector:
    """Reads a file from its begin to its end; errors as `batches`."""
    raw = Collector(findings)
    for batch in batches(source, findings):
        raw.add(batch)
    return raw


@contextmanager
def collection_paused() -> Iterator[None]:
    """Searches no cycles meanwhile: among millions of events that takes a tenth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def doubles(column: array[float]) -> Doubles:
    """The array's own memory as a numpy column."""
    return np.frombuffer(column, dtype=np.float64) if column else np.zeros(0)


def integers(column: array[int]) -> Int64s:
    """The array's own memory as a numpy column."""
    return np.frombuffer(column, dtype=np.int64) if column else np.zeros(0, dtype=np.int64)
