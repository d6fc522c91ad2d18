"""Where PyPTO draws a task that the profile doesn't have, so that its log's figures come out again.

Such a task is a hub (or was lost). It becomes a slice of 1 µs that ends at the earliest start of
its executed successors, or else begins at the latest end of its executed predecessors, or else
stands, 3 µs after the one before it, at the run's beginning.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from perfetto_pypto.swimlane.topology import Key, Node

_STEP_US = 3


def place(
    hubs: Sequence[Node],
    nodes: Iterable[Node],
    executed: Mapping[Key, tuple[int, int]],
    first: int,
    mhz: int,
) -> list[tuple[int, int]]:
    """Invents the times of hubs.

    Args:
        hubs: the tasks without times, in the topology's order.
        nodes: the whole topology.
        executed: the times of the executed tasks, in ticks.
        first: the earliest of them.
        mhz: ticks of 1 µs.

    Returns:
        Start and end of each hub, in ticks.
    """
    placed: dict[Key, tuple[int, int] | None] = {
        hub.key: _before(hub, executed, mhz) for hub in hubs
    }
    alone = {key for key, times in placed.items() if times is None}
    if alone:
        ends: dict[Key, list[int]] = defaultdict(list)
        for node in nodes:
            times = executed.get(node.key)
            if times is None:
                continue
            for successor in node.successors:
                if (node.seq, successor) in alone:
                    ends[node.seq, successor].append(times[1])
        for hub in hubs:
            if hub.key not in alone:
                continue
            if hub.key in ends:
                begin = max(ends[hub.key])
            else:
                begin, first = first, first + _STEP_US * mhz
            placed[hub.key] = (begin, begin + mhz)
    return [times for times in placed.values() if times is not None]


def _before(hub: Node, executed: Mapping[Key, tuple[int, int]], mhz: int) -> tuple[int, int] | None:
    starts = [executed[key][0] for one in hub.successors if (key := (hub.seq, one)) in executed]
    return (min(starts) - mhz, min(starts)) if starts else None
