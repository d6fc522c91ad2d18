"""Edges between tasks to edges between nodes: executions on cores, and hubs.

A task of the simpler runtime is one node of its graph, but may run on many cores at once (SPMD, or
cube and vector together). Its consumers wait for all of its executions. Edges between every pair
would be fan-out times fan-in, so such a producer gets a hub: a node of no length that all its
executions lead to and all its consumers come from. Readiness passes through hubs, which is exactly
"when the last of them has ended". Tasks that ran nowhere (a task without a kernel only orders
others) are hubs, too.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from perfetto_pypto.swimlane import edges
from perfetto_pypto.swimlane.findings import EXAMPLES, Findings
from perfetto_pypto.swimlane.model import Dependencies, Int64s


class Graph(NamedTuple):
    """What the file says of the tasks' order; tasks are tokens.

    pred, succ: one entry an edge
    idle:       tasks that have no kernel and so no execution
    """

    pred: Int64s
    succ: Int64s
    idle: Int64s


class Nodes(NamedTuple):
    """The graph over nodes: the executions, then the hubs.

    hub_token, hub_time: the hubs' tasks and where they stand (ns)
    present:             edges of the file, each as often as its consumer has executions, and those
                         that lead to a hub
    """

    dependencies: Dependencies
    hub_token: Int64s
    hub_time: Int64s
    present: int


def token_text(token: int) -> str:
    """The runtime's own way to write a task: ``t3``, or ``r1t3`` on another ring than 0."""
    ring, local = ring_of(token), token & 0xFFFFFFFF
    return f"r{ring}t{local}" if ring else f"t{local}"


def ring_of(token: int) -> int:
    """The upper half of a token."""
    return (token >> 32) & 0xFFFFFFFF


def connect(token: Int64s, start: Int64s, end: Int64s, graph: Graph, findings: Findings) -> Nodes:
    """Lays the graph over the executions.

    Args:
        token: execution -> task.
        start: execution -> ns.
        end: execution -> ns.
        graph: edges between tasks.
        findings: gets what is odd about the edges and the hubs.
    """
    pred, succ = _distinct(graph, findings)
    by_token = np.argsort(token, kind="stable")
    tasks = np.unique(np.concatenate([token, graph.idle, pred, succ]))
    first = np.searchsorted(token[by_token], tasks, "left")
    count = np.searchsorted(token[by_token], tasks, "right") - first
    idle = np.flatnonzero(count == 0)
    _report(findings, "unexecuted-task", np.setdiff1d(tasks[idle], graph.idle))
    join = np.flatnonzero((count > 1) & np.isin(tasks, pred))
    _report(findings, "joined-executions", tasks[join])

    # Where a task's consumers come from, and the nodes that its producers lead to.
    out = np.append(by_token, 0)[first]
    out[idle] = len(token) + np.arange(len(idle))
    out[join] = len(token) + len(idle) + np.arange(len(join))
    members = np.concatenate([by_token, out[idle]])
    first[idle], into = len(token) + np.arange(len(idle)), np.where(count == 0, 1, count)

    producer, consumer = np.searchsorted(tasks, pred), np.searchsorted(tasks, succ)
    src = np.concatenate(
        [np.repeat(out[producer], into[consumer]), members[_ranges(first[join], count[join])]]
    )
    dst = np.concatenate(
        [members[_ranges(first[consumer], into[consumer])], np.repeat(out[join], count[join])]
    )
    order, _ = edges.distinct(src, dst)
    src, dst = src[order], dst[order]
    lost = len(graph.pred) - len(pred)
    return Nodes(
        Dependencies(src.astype(np.int32), dst.astype(np.int32)),
        np.concatenate([tasks[idle], tasks[join]]),
        _hub_times(start, end, src, dst, len(idle) + len(join)),
        int(into[consumer].sum() + count[join].sum()) + lost,
    )


def _distinct(graph: Graph, findings: Findings) -> tuple[Int64s, Int64s]:
    own = graph.pred == graph.succ
    _report(findings, "self-dependency", graph.pred[own])
    pred, succ = graph.pred[~own], graph.succ[~own]
    first, repeated = edges.distinct(pred, succ)
    findings.add(
        "duplicate-dependency",
        len(repeated),
        [f"{token_text(int(pred[e]))} → {token_text(int(succ[e]))}" for e in repeated[:EXAMPLES]],
    )
    return pred[first], succ[first]


def _report(findings: Findings, code: str, tokens: Int64s) -> None:
    findings.add(code, len(tokens), [token_text(int(token)) for token in tokens[:EXAMPLES]])


def _ranges(begin: Int64s, length: Int64s) -> Int64s:
    """The numbers begin … begin + length - 1 of each pair, one after the other."""
    before = np.cumsum(length) - length
    return np.asarray(np.arange(int(length.sum())) + np.repeat(begin - before, length))


def _hub_times(start: Int64s, end: Int64s, src: Int64s, dst: Int64s, hubs: int) -> Int64s:
    """When the last node before each hub ends; the run's first start where none does."""
    count = len(end)
    time = np.full(hubs, int(start.min()), dtype=np.int64)
    direct = (src < count) & (dst >= count)
    np.maximum.at(time, dst[direct] - count, end[src[direct]])
    chained = (src >= count) & (dst >= count)
    after: dict[int, list[int]] = defaultdict(list)
    waits = np.bincount(dst[chained] - count, minlength=hubs)
    for hub, later in zip(src[chained].tolist(), dst[chained].tolist(), strict=True):
        after[hub - count].append(later - count)
    # In topological order; the hubs of a cycle keep what lies directly before them.
    ready = np.flatnonzero(waits == 0).tolist()
    while ready:
        hub = ready.pop()
        for later in after.get(hub, ()):
            time[later] = max(time[later], time[hub])
            waits[later] -= 1
            if waits[later] == 0:
                ready.append(later)
    return time
