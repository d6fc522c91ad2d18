"""What must hold for every run that a reader gives, whatever the file was like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from perfetto_pypto.swimlane import NOT_A_CORE, Strings, Swimlane
from perfetto_pypto.swimlane.findings import CATALOGUE, unaccounted
from perfetto_pypto.swimlane.names import PYPTO_AICPU, PYPTO_AICPU_TRACE


def broken(run: Swimlane) -> list[str]:
    """The identities that a run breaks, in words."""
    return [
        *_columns(run),
        *_times(run),
        *_edges(run),
        *_cores(run),
        *_balance(run),
    ]


def _columns(run: Swimlane) -> Iterator[str]:
    tables = (run.tasks, run.dependencies, run.phases, run.sync_events, run.pipe_spans)
    for table in tables:
        for field in fields(table):
            column = getattr(table, field.name)
            if column is None:
                continue
            if len(column) != len(table):
                yield f"{field.name} has {len(column)} of {len(table)} rows"
            if isinstance(column, Strings):
                yield from _strings(field.name, column)


def _strings(name: str, column: Strings) -> Iterator[str]:
    if len(column) and not -1 <= column.codes.min() <= column.codes.max() < len(column.values):
        yield f"{name} has a code without a text"
    if len(set(column.values)) < len(column.values):
        yield f"{name} has a text twice"
    for text in column.values:
        text.encode()


def _times(run: Swimlane) -> Iterator[str]:
    tasks = run.tasks
    firsts = []
    for what, table in (("task", tasks), ("phase", run.phases), ("pipe span", run.pipe_spans)):
        if np.any(table.end < table.start):
            yield f"a {what} ends before it starts"
        firsts.append(table.start)
    for counter in run.counters:
        firsts.append(counter.ts)
        if np.any(np.diff(counter.ts) < 0) or not np.all(np.isfinite(counter.value)):
            yield f"counter {counter.name} is not in order or not finite"
    firsts.append(run.sync_events.ts)
    for name, column in (("dispatch", tasks.dispatch), ("finish", tasks.finish)):
        if column is not None:
            firsts.append(column[column != -1])
            if not np.any(column != -1) and name == "dispatch" and np.all(tasks.finish == -1):
                yield "dispatch and finish are there without a value"
    earliest = min(int(column.min()) for column in firsts if len(column))
    if earliest < 0:
        yield f"something happens at {earliest}"


def _edges(run: Swimlane) -> Iterator[str]:
    count = len(run.tasks)
    src, dst = run.dependencies.src.astype(np.int64), run.dependencies.dst.astype(np.int64)
    if len(src) and not (0 <= min(src.min(), dst.min()) <= max(src.max(), dst.max()) < count):
        yield "an edge leads out of the tasks"
    if np.any(src == dst):
        yield "a task depends on itself"
    if np.any(np.diff(dst * count + src) <= 0):
        yield "edges are not distinct and sorted"
    sync = run.sync_events.task
    if len(sync) and not 0 <= sync.min() <= sync.max() < count:
        yield "a sync event of no task"


def _cores(run: Swimlane) -> Iterator[str]:
    for column in (run.tasks.core, run.pipe_spans.core):
        if len(column) and not 0 <= column.min() <= column.max() < len(run.cores):
            yield "a task on no core"
    names = [core.name for core in run.cores]
    if len(set(names)) < len(names):
        yield "two cores of one name"
    engines = [core.engine for core in run.cores if core.engine not in NOT_A_CORE]
    if {one: engines.count(one) for one in engines} != run.source.core_counts:
        yield "the core counts are not the cores"
    codes = {finding.code for finding in run.findings}
    used = {run.cores[core].engine for core in run.tasks.core.tolist()}
    control = run.source.format in (PYPTO_AICPU, PYPTO_AICPU_TRACE)
    if used <= NOT_A_CORE and not control and not codes & {"unknown-lane", "unnamed-lane"}:
        yield "no task on a core, and nobody says so"


def _balance(run: Swimlane) -> Iterator[str]:
    imported: dict[str, Any] = {
        "tasks": len(run.tasks),
        "dependencies": len(run.dependencies),
        "counters": sum(len(counter.ts) for counter in run.counters),
        "phases": len(run.phases),
        "sync_events": len(run.sync_events),
        "pipe_spans": len(run.pipe_spans),
    }
    missing = unaccounted(run.present, imported, run.findings)
    if missing:
        yield f"not accounted for: {missing}"
    for finding in run.findings:
        if finding.code not in CATALOGUE or finding.count < 1 or len(finding.examples) > 3:
            yield f"a wrong finding: {finding}"
        for example in finding.examples:
            example.encode()
