"""Joins a profile with its topology: the tasks, the hubs that were never executed, the edges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from perfetto_pypto.swimlane import edges, hubs
from perfetto_pypto.swimlane.clock import Timeline
from perfetto_pypto.swimlane.findings import EXAMPLES, Findings
from perfetto_pypto.swimlane.hints import real_hash
from perfetto_pypto.swimlane.lanes import core_order
from perfetto_pypto.swimlane.model import (
    HUB,
    Core,
    Dependencies,
    Int32s,
    Int64s,
    Strings,
    SyncEvents,
    Tasks,
)
from perfetto_pypto.swimlane.profile import TICK_LIMIT, Profile
from perfetto_pypto.swimlane.program import Call, Program
from perfetto_pypto.swimlane.topology import Key, Node, Topology

#: PyPTO packs function and operation into the taskId: 20 bits up to 0.2.0, 16 later.
_OLD_BITS, _NEW_BITS = 20, 16

#: The lane of hubs that were never executed.
FAKE_CORE = Core("Fake Core_0", HUB, 0)
_NO_CALL = Call("", "", "", "", "")


@dataclass(frozen=True, slots=True)
class Joined:
    """A run in ticks: executed tasks in the profile's order, then the invented hubs.

    nodes: what the topology says of each task
    calls: what the program says of it
    """

    cores: list[Core]
    core: Int32s
    start: Int64s
    end: Int64s
    nodes: list[Node]
    calls: list[Call]
    root_index: Int64s
    has_program: bool
    dependencies: Dependencies
    sync_task: Int32s
    sync_ticks: Int64s
    sync_type: Strings
    sync_event: Int64s
    present: int
    edges_present: int
    sync_present: int

    def build(self, timeline: Timeline) -> Tasks:
        """The model's columns."""
        nodes, calls = self.nodes, self.calls
        absent = Strings(np.full(len(nodes), -1, dtype=np.int32), [])
        task_id = _column([node.task_id for node in nodes])
        func, op = split_task_id(task_id)
        start = timeline.ticks_to_ns(self.start - timeline.origin)
        return Tasks(
            core=self.core,
            start=start,
            end=np.maximum(start, timeline.ticks_to_ns(self.end - timeline.origin)),
            seq=_column([node.seq for node in nodes]),
            func=func,
            op=op,
            task_id=task_id,
            root_index=self.root_index,
            psg_id=_column([node.psg_id for node in nodes]),
            call_op_magic=_column([node.magic for node in nodes]),
            wrap_id=_column([node.wrap_id for node in nodes]),
            root_hash=Strings.of(real_hash(node.root_hash) for node in nodes),
            leaf_hash=Strings.of(real_hash(node.leaf_hash) for node in nodes),
            label=Strings.of(
                call.label or node.label or call.function or node.function or None
                for node, call in zip(nodes, calls, strict=True)
            ),
            hash_order=absent,
            execution_hint=absent,
            inputs=Strings.of(call.inputs or None for call in calls),
            outputs=Strings.of(call.outputs or None for call in calls),
            extra=absent,
            source_line=Strings.of(call.source_line or None for call in calls)
            if self.has_program
            else None,
        )

    def sync(self, timeline: Timeline) -> SyncEvents:
        """The model's sync events."""
        ts = timeline.ticks_to_ns(self.sync_ticks - timeline.origin)
        return SyncEvents(self.sync_task, ts, self.sync_type, self.sync_event)


def split_task_id(task_id: Int64s) -> tuple[Int64s, Int64s]:
    """Function and operation of each taskId; the ids themselves show which packing it is.

    No function has 65536 operations: bits between the two packings are those of a function.
    """
    low = (1 << _OLD_BITS) - (1 << _NEW_BITS)
    bits = _NEW_BITS if bool(np.any(task_id & low)) else _OLD_BITS
    return task_id >> bits, task_id & ((1 << bits) - 1)


def join(
    profile: Profile,
    topology: Topology | None,
    program: Program | None,
    events: Mapping[str, list[int]],
    mhz: int,
    findings: Findings,
) -> Joined:
    """Joins the raw files of a run.

    Args:
        profile: the executions.
        topology: the graph, if any.
        program: the compiled program, if any.
        events: hardware events of sync events, by leaf hash.
        mhz: ticks of 1 µs.
        findings: gets what doesn't fit together.
    """
    rows = _distinct_hubs(profile, findings)
    core, start, end = profile.core[rows], profile.start[rows], profile.end[rows]
    keys: list[Key] = list(
        zip(profile.seq[rows].tolist(), profile.task_id[rows].tolist(), strict=True)
    )
    last = {key: row for row, key in enumerate(keys)}
    known = {node.key: node for node in topology.nodes} if topology else {}
    nodes = _nodes(profile, rows, keys, topology, known, findings)

    lost = [node for node in known.values() if node.key not in last]
    if lost and len(rows):
        times = {key: (int(start[row]), int(end[row])) for key, row in last.items()}
        first = min(begin for begin, _ in times.values())
        placed = hubs.place(lost, known.values(), times, first, mhz)
        start = np.concatenate([start, _column([one[0] for one in placed])])
        end = np.concatenate([end, _column([one[1] for one in placed])])
    real_lost = [node for node in lost if real_hash(node.leaf_hash) or node.function]
    findings.add(
        "unexecuted-task",
        len(real_lost),
        [f"seqNo {node.seq} taskId {node.task_id}" for node in real_lost],
    )
    last |= {node.key: len(rows) + at for at, node in enumerate(lost)}
    all_cores = [*profile.cores, *([FAKE_CORE] if lost else [])]
    order = sorted(range(len(all_cores)), key=lambda at: core_order(all_cores[at]))
    place = np.argsort(np.array(order, dtype=np.int64))
    placed_on = np.concatenate([core, np.full(len(lost), len(profile.cores), dtype=np.int32)])
    nodes += lost
    calls = [program.call(node.root_hash, node.magic) if program else _NO_CALL for node in nodes]
    dependencies, edges_present = _edges(list(known.values()), last, findings)
    sync = _sync(profile, rows, nodes, events, findings)
    return Joined(
        cores=[all_cores[at] for at in order],
        core=place[placed_on].astype(np.int32),
        start=start,
        end=end,
        nodes=nodes,
        calls=calls,
        root_index=_column(
            [program.root_index(node.root_hash) if program else node.root_index for node in nodes]
        ),
        has_program=program is not None,
        dependencies=dependencies,
        sync_task=sync[0],
        sync_ticks=sync[1],
        sync_type=sync[2],
        sync_event=sync[3],
        present=profile.present + len(lost),
        edges_present=edges_present,
        sync_present=len(profile.sync),
    )


def _distinct_hubs(profile: Profile, findings: Findings) -> Int64s:
    """The rows to keep: of the simulator's hubs with one identity the last one, like PyPTO.

    The simulator writes seqNo 0 for every hub, so those of all device tasks share their ids.
    """
    is_hub = np.array([core.engine == HUB for core in profile.cores], dtype=bool)[profile.core]
    kept: dict[Key, int] = {}
    for row in np.flatnonzero(is_hub).tolist():
        kept[int(profile.seq[row]), int(profile.task_id[row])] = row
    dropped = np.setdiff1d(np.flatnonzero(is_hub), list(kept.values()))
    findings.add(
        "repeated-hub", len(dropped), [profile.name(int(row)) for row in dropped[:EXAMPLES]]
    )
    return np.delete(np.arange(len(profile.core)), dropped)


def _nodes(
    profile: Profile,
    rows: Int64s,
    keys: list[Key],
    topology: Topology | None,
    known: Mapping[Key, Node],
    findings: Findings,
) -> list[Node]:
    """What is known of each executed task; its subgraph by the profile where it's all there is."""
    nodes = []
    strange: list[int] = []
    foreign: list[int] = []
    for row, key in zip(rows.tolist(), keys, strict=True):
        node = known.get(key)
        if node is None:
            node = Node(*key, psg_id=-1 if topology else int(profile.subgraph[row]))
            is_hub = profile.cores[profile.core[row]].engine == HUB
            (foreign if is_hub else strange).append(row)
        elif topology and topology.kind == "static" and node.psg_id < 0:
            node.psg_id = int(profile.subgraph[row])
        nodes.append(node)
    if topology is not None:
        for code, odd in (("task-without-topology", strange), ("foreign-hub", foreign)):
            findings.add(code, len(odd), [profile.name(row) for row in odd[:EXAMPLES]])
    return nodes


def _edges(
    nodes: list[Node], row_of: Mapping[Key, int], findings: Findings
) -> tuple[Dependencies, int]:
    src: list[int] = []
    dst: list[int] = []
    unknown = []
    for node in nodes:
        row = row_of.get(node.key, -1)
        for successor in node.successors:
            other = row_of.get((node.seq, successor), -1)
            if row < 0 or other < 0:
                unknown.append(f"seqNo {node.seq}: {node.task_id} → {successor}")
                continue
            src.append(row)
            dst.append(other)
    findings.add("unresolved-dependency", len(unknown), unknown)
    sources, targets = _column(src), _column(dst)
    own = sources == targets
    findings.add(
        "self-dependency", int(own.sum()), [f"task {row}" for row in sources[own][:EXAMPLES]]
    )
    sources, targets = sources[~own], targets[~own]
    first, repeated = edges.distinct(sources, targets)
    by_row = {row: key for key, row in row_of.items()}
    findings.add(
        "duplicate-dependency",
        len(repeated),
        [
            f"seqNo {by_row[int(sources[at])][0]}: {by_row[int(sources[at])][1]}"
            f" → {by_row[int(targets[at])][1]}"
            for at in repeated[:EXAMPLES]
        ],
    )
    return (
        Dependencies(sources[first].astype(np.int32), targets[first].astype(np.int32)),
        len(src) + len(unknown),
    )


def _sync(
    profile: Profile,
    rows: Int64s,
    nodes: list[Node],
    events: Mapping[str, list[int]],
    findings: Findings,
) -> tuple[Int32s, Int64s, Strings, Int64s]:
    task_of = {int(row): task for task, row in enumerate(rows)} if profile.sync else {}
    kept = [one for one in profile.sync if abs(one.tick) < TICK_LIMIT and one.row in task_of]
    findings.add("impossible-sync-event", len(profile.sync) - len(kept))
    ids = []
    for one in kept:
        of_leaf = events.get(nodes[task_of[one.row]].leaf_hash, [])
        ids.append(of_leaf[one.place] if 0 <= one.place < len(of_leaf) else -1)
    return (
        np.array([task_of[one.row] for one in kept], dtype=np.int32),
        _column([round(one.tick) for one in kept]),
        Strings.of(one.type for one in kept),
        _column(ids),
    )


def _column(values: list[int]) -> Int64s:
    return np.array(values, dtype=np.int64)
