"""Which of the tasks that share lane and time a flow means.

Hubs and tasks of no length share them. What PyPTO's way of writing tells: the flows of one producer
stand together, producers in the order of their slices, hardly ever the same edge twice; both tasks
of an edge belong to one device task (seq), and those of a hub nearly always to one function.
"""

from __future__ import annotations

from collections import Counter as Tally
from functools import cache
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfetto_pypto.swimlane.edges import Groups
from perfetto_pypto.swimlane.model import Int64s

Bools = NDArray[np.bool_]


class Resolved(NamedTuple):
    """Per flow its tasks (-1: none), and whether one of them is a guess."""

    src: Int64s
    dst: Int64s
    guessed: Bools


class Flows(NamedTuple):
    """Flows in file order: the groups of tasks at their ends (-1: none)."""

    producers: Groups
    src_group: Int64s
    consumers: Groups
    dst_group: Int64s


class Home(NamedTuple):
    """Where the tasks of a group belong; None where they don't agree."""

    seqs: frozenset[int]
    seq: tuple[int] | None
    function: tuple[int, int] | None

    @classmethod
    def of(cls, homes: list[tuple[int, int]]) -> Home:
        """The common home of tasks."""
        seqs = frozenset(seq for seq, _ in homes)
        same = len(set(homes)) == 1
        return cls(seqs, (homes[0][0],) if len(seqs) == 1 else None, homes[0] if same else None)


def resolve(flows: Flows, seq: Int64s, func: Int64s) -> Resolved:
    """Chooses one producer and one consumer for each flow that has both.

    Args:
        flows: the flows.
        seq: task -> device task.
        func: task -> function.
    """
    known = (flows.src_group >= 0) & (flows.dst_group >= 0)
    src, open_src = _only(flows.producers, np.where(known, flows.src_group, -1))
    dst, open_dst = _only(flows.consumers, np.where(known, flows.dst_group, -1))
    guessed = np.zeros(len(src), dtype=bool)
    homes = (
        list(zip(seq.tolist(), func.tolist(), strict=True)) if (open_src | open_dst).any() else []
    )
    if open_src.any():
        _choose_producers(flows, homes, seq, np.flatnonzero(known), src, open_src, guessed)
    if open_dst.any():
        _choose_consumers(flows, homes, src, dst, open_dst, guessed)
    return Resolved(src, dst, guessed)


def _only(groups: Groups, group_of: Int64s) -> tuple[Int64s, Bools]:
    """The task of each flow's group (-1: none, or a choice), and which flows have a choice."""
    size = (groups.end - groups.begin)[group_of]
    task = np.where((group_of >= 0) & (size == 1), groups.members[groups.begin[group_of]], -1)
    return task, (group_of >= 0) & (size > 1)


def _choose_producers(
    flows: Flows,
    homes: list[tuple[int, int]],
    seq: Int64s,
    known: Int64s,
    src: Int64s,
    is_open: Bools,
    guessed: Bools,
) -> None:
    """Fills in ``src`` block by block: neighbours in the file that start in the same group."""
    low, high = _bounds(src, len(homes))
    home_of = cache(
        lambda group: Home.of([homes[task] for task in flows.consumers.of(group).tolist()])
    )
    blocks = np.where(is_open, flows.src_group, -1).tolist()
    for group, block in groupby(known.tolist(), blocks.__getitem__):
        if group < 0:
            continue
        rows = list(block)
        targets = [home_of(int(flows.dst_group[row])) for row in rows]
        seqs = {one for target in targets for one in target.seqs}
        members = flows.producers.of(group)
        ordered = members[(members >= low[rows[0]]) & (members <= high[rows[-1]])]
        fit = ordered[np.isin(seq[ordered], list(seqs))]
        candidates = (fit if len(fit) else members).tolist()
        picks = _by_home(candidates, targets, homes)
        if picks is None:
            ends = flows.dst_group[rows].tolist()
            limits = {end: flows.consumers.size(end) for end in set(ends)}
            picks, sure = _by_runs(candidates, ends, limits)
            guessed[rows] = not sure
        src[rows] = picks


def _bounds(src: Int64s, count: int) -> tuple[Int64s, Int64s]:
    """The producers possible for each flow by PyPTO's order, if the file keeps that order."""
    certain = src[src >= 0]
    if bool(np.any(certain[1:] < certain[:-1])):
        return np.zeros_like(src), np.full_like(src, count)
    low = np.maximum.accumulate(src)
    high = np.minimum.accumulate(np.where(src < 0, count, src)[::-1])[::-1]
    return low, high


def _by_home(
    candidates: list[int], targets: list[Home], homes: list[tuple[int, int]]
) -> list[int] | None:
    """One producer for each flow by the seq, else by the function, of its consumer.

    None unless that names exactly one for each flow, in order, and leaves none out.
    """
    if len(candidates) == 1:
        return candidates * len(targets)
    if len(candidates) > len(targets):
        return None
    for width in (1, 2):
        at = _sort_into(candidates, homes, width)
        picks: list[int] = []
        for target in targets:
            home = target.seq if width == 1 else target.function
            found = at.get(home, []) if home else []
            if len(found) == 1:
                picks += found
        whole = len(picks) == len(targets) and len(set(picks)) == len(candidates)
        if whole and picks == sorted(picks):
            return picks
    return None


def _by_runs(
    candidates: list[int], targets: list[int], limits: dict[int, int]
) -> tuple[list[int], bool]:
    """Cuts a block into one run for each producer, so that no run repeats an edge.

    Returns:
        The producers, and whether no other cut is possible.
    """
    late = _run_lengths(targets, limits)
    early = _run_lengths(targets[::-1], limits)[::-1]
    sure = len(late) == len(candidates) and late == early
    picks = [
        candidates[min(run, len(candidates) - 1)]
        for run, length in enumerate(late)
        for _ in range(length)
    ]
    return picks, sure


def _run_lengths(targets: list[int], limits: dict[int, int]) -> list[int]:
    """The longest runs from the left that have no target more often than it has tasks."""
    lengths = [0]
    met: Tally[int] = Tally()
    for target in targets:
        if met[target] == limits[target]:
            lengths.append(0)
            met.clear()
        met[target] += 1
        lengths[-1] += 1
    return lengths


def _choose_consumers(
    flows: Flows,
    homes: list[tuple[int, int]],
    src: Int64s,
    dst: Int64s,
    is_open: Bools,
    guessed: Bools,
) -> None:
    """Fills in ``dst``: the flows from one producer to one group go to different tasks of it."""
    together: dict[tuple[int, int], list[int]] = {}
    for index in np.flatnonzero(is_open).tolist():
        together.setdefault((int(src[index]), int(flows.dst_group[index])), []).append(index)
    by_seq = cache(lambda group: _sort_into(flows.consumers.of(group).tolist(), homes, 1))
    by_function = cache(lambda group: _sort_into(flows.consumers.of(group).tolist(), homes, 2))
    for (producer, group), rows in together.items():
        home = homes[producer]
        candidates = by_seq(group).get(home[:1]) or flows.consumers.of(group).tolist()
        kin = by_function(group).get(home, [])
        if len(rows) < len(candidates) and len(kin) == len(rows):
            candidates = kin
        for turn, row in enumerate(rows):
            dst[row] = candidates[turn % len(candidates)]
            guessed[row] |= len(rows) < len(candidates)


def _sort_into(
    tasks: list[int], homes: list[tuple[int, int]], width: int
) -> dict[tuple[int, ...], list[int]]:
    """Tasks by device task (width 1) or by function (width 2)."""
    at: dict[tuple[int, ...], list[int]] = {}
    for task in tasks:
        at.setdefault(homes[task][:width], []).append(task)
    return at
