"""Which dependencies are drawn as arrows.

Arrows are for eyes: the dependency table in SQL is complete without them. Perfetto draws a
slice's arrows when it is selected and freezes on thousands of them, so each slice gets at most
`MAX_A_SLICE` in each direction unless every arrow is asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from perfetto_pypto.swimlane.model import Swimlane

MAX_A_SLICE = 500


@dataclass(frozen=True)
class Flows:
    """Flow ids by task (dense id): one id an edge, or the importer makes a chain of them."""

    out_of: dict[int, list[int]] = field(default_factory=dict)
    into: dict[int, list[int]] = field(default_factory=dict)


NONE = Flows()


def draw(swimlane: Swimlane, edges: Iterable[tuple[int, int]], limit: float = MAX_A_SLICE) -> Flows:
    """Chooses the arrows among ``edges``, pairs (producer, consumer) of dense ids.

    A slice gets at most ``limit`` arrows in each direction; infinity draws every one.

    An edge whose consumer starts before its producer can't be drawn: an arrow leaves the slice
    that starts first.
    """
    start = swimlane.tasks.start.tolist()
    out_of: dict[int, list[int]] = defaultdict(list)
    into: dict[int, list[int]] = defaultdict(list)
    for number, (src, dst) in enumerate(edges, start=1):
        if start[dst] < start[src]:
            continue
        if len(out_of[src]) >= limit or len(into[dst]) >= limit:
            continue
        out_of[src].append(number)
        into[dst].append(number)
    return Flows(out_of, into)
