"""What the simpler runtime's files have in common: from executions and edges to the model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane.checks import overlapping
from perfetto_pypto.swimlane.columns import repeats, take
from perfetto_pypto.swimlane.findings import EXAMPLES, Findings
from perfetto_pypto.swimlane.lanes import count_cores
from perfetto_pypto.swimlane.model import (
    HUB,
    NOT_A_CORE,
    Core,
    Counter,
    Int32s,
    Int64s,
    Phases,
    Source,
    Strings,
    Swimlane,
    SyncEvents,
    Tasks,
)
from perfetto_pypto.swimlane.opening import Opened
from perfetto_pypto.swimlane.simpler_graph import Graph, Nodes, connect, ring_of, token_text

RERUN = "run the case again with the swimlane enabled"

_SPMD = "_spmd"


@dataclass(frozen=True, slots=True)
class Executions:
    """What ran: one row a task and core, in any order; times in ns from the run's zero.

    token:            the task, ring << 32 | number
    core:             index into the cores
    dispatch, finish: the AICPU's times, -1 where not recorded
    setup:            between the core's receipt of the task and its start, -1 where not recorded
    func:             the kernel's number, -1 where unknown
    label:            the kernel's name
    """

    token: Int64s
    core: Int32s
    start: Int64s
    end: Int64s
    dispatch: Int64s
    finish: Int64s
    setup: Int64s
    func: Int64s
    label: Strings

    def __len__(self) -> int:
        return len(self.token)

    def rows(self, rows: Int64s) -> Executions:
        """Some rows, in that order."""
        return Executions(
            token=self.token[rows],
            core=self.core[rows],
            start=self.start[rows],
            end=self.end[rows],
            dispatch=self.dispatch[rows],
            finish=self.finish[rows],
            setup=self.setup[rows],
            func=self.func[rows],
            label=take(self.label, rows),
        )


@dataclass(frozen=True, slots=True)
class Parts:
    """What a reader took from its file; ``present`` counts tasks, phases and counters there.

    cores_seen: what the cores stand for, in words
    """

    cores: list[Core]
    cores_seen: str
    executions: Executions
    graph: Graph
    phases: Phases
    counters: Sequence[Counter]
    present: dict[str, int]


def assemble(
    opened: Opened,
    source: Source,
    parts: Parts,
    asked: Mapping[str, int] | None,
    findings: Findings,
) -> Swimlane:
    """Builds the model; dense ids go by (start, task, core), the hubs come last.

    Raises:
        InputError: no execution on a core.
        PyptoPerfettoError: ``asked`` contradicts the file.
    """
    one = parts.executions
    is_core = np.array([core.engine not in NOT_A_CORE for core in parts.cores], dtype=bool)
    if not len(one) or not is_core[one.core].any():
        raise InputError(opened.path, "holds no executed task", RERUN)
    one = one.rows(np.lexsort((one.end, one.core, one.token, one.start)))
    names = [core.name for core in parts.cores]

    def report(code: str, rows: Int64s) -> None:
        examples = [
            f"{token_text(int(one.token[row]))} on {names[one.core[row]]}"
            for row in rows[:EXAMPLES]
        ]
        findings.add(code, len(rows), examples)

    twice = repeats([one.end, one.core, one.token, one.start], lambda _: None)
    report("duplicate-event", twice)
    one = one.rows(np.delete(np.arange(len(one)), twice))
    report("zero-duration", np.flatnonzero(one.start == one.end))
    report("overlapping-tasks", overlapping(one.core, one.start, one.end))
    recorded = (one.dispatch >= 0) | (one.finish >= 0)
    if recorded.any():
        report("missing-dispatch", np.flatnonzero(~recorded))

    nodes = connect(one.token, one.start, one.end, parts.graph, findings)
    cores = [*parts.cores, _hub_lane(names)] if len(nodes.hub_token) else list(parts.cores)
    counts, counts_from = count_cores(parts.cores, asked, parts.cores_seen, opened.path)
    empty = np.zeros(0, dtype=np.int64)
    return Swimlane(
        name=opened.name,
        source=replace(source, core_counts=counts, core_counts_from=counts_from),
        cores=cores,
        tasks=_tasks(one, nodes, len(parts.cores)),
        dependencies=nodes.dependencies,
        counters=parts.counters,
        phases=parts.phases,
        sync_events=SyncEvents(empty.astype(np.int32), empty, Strings.of([]), empty),
        findings=findings.all(),
        present={
            **parts.present,
            "tasks": parts.present["tasks"] + len(nodes.hub_token),
            "dependencies": nodes.present,
            "sync_events": 0,
        },
    )


def _hub_lane(taken: list[str]) -> Core:
    """The lane of the hubs, by a name that no lane of the file has."""
    number = next(number for number in count() if f"HUB_{number}" not in taken)
    return Core(f"HUB_{number}", HUB, number)


def phases_of(thread: list[str], name: list[str], start: Int64s, end: Int64s) -> Phases:
    """AICPU phases; the runtime has neither rounds nor device tasks."""
    nothing = np.full(len(thread), -1, dtype=np.int64)
    return Phases(
        Strings.of(thread), Strings.of(name), start, np.maximum(start, end), nothing, nothing
    )


def _tasks(one: Executions, nodes: Nodes, hub_core: int) -> Tasks:
    hubs = len(nodes.hub_token)
    rows = len(one) + hubs
    absent = Strings(np.full(rows, -1, dtype=np.int32), [])
    unknown = np.full(rows, -1, dtype=np.int64)

    def extended(column: Int64s, hub: Int64s | int = -1) -> Int64s:
        return np.concatenate([column, np.broadcast_to(np.asarray(hub, dtype=np.int64), hubs)])

    def text(column: Strings) -> Strings:
        return Strings(extended(column.codes.astype(np.int64)).astype(np.int32), column.values)

    token = extended(one.token, nodes.hub_token)
    distinct, code = np.unique(token, return_inverse=True)
    func = extended(one.func)
    recorded = bool((one.dispatch >= 0).any() or (one.finish >= 0).any())
    return Tasks(
        core=extended(one.core.astype(np.int64), hub_core).astype(np.int32),
        start=extended(one.start, nodes.hub_time),
        end=extended(one.end, nodes.hub_time),
        seq=np.array([ring_of(int(task)) for task in distinct], dtype=np.int64)[code],
        func=func,
        op=token & 0xFFFFFFFF,
        task_id=token,
        root_index=unknown,
        psg_id=func,
        call_op_magic=unknown,
        wrap_id=unknown,
        root_hash=absent,
        leaf_hash=Strings.of(f"func-{one}" if one >= 0 else None for one in func.tolist()),
        label=text(_plain_labels(one)),
        hash_order=absent,
        execution_hint=absent,
        inputs=absent,
        outputs=absent,
        extra=Strings.of(
            json.dumps({"local_setup_ns": setup}) if setup >= 0 else None
            for setup in extended(one.setup).tolist()
        ),
        dispatch=extended(one.dispatch) if recorded else None,
        finish=extended(one.finish) if recorded else None,
        token=Strings(code.astype(np.int32), [token_text(int(task)) for task in distinct]),
    )


def _plain_labels(one: Executions) -> Strings:
    """The kernels' names without the ``_spmd`` that the runtime's script adds to tasks of many."""
    _, code, often = np.unique(one.token, return_inverse=True, return_counts=True)
    many = often[code] > 1
    return Strings.of(
        label.removesuffix(_SPMD) if several and label else label
        for label, several in zip(
            (one.label[row] for row in range(len(one))), many.tolist(), strict=True
        )
    )
