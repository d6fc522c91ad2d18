"""Which dependencies are drawn as arrows.

Arrows are for eyes: the dependency table in SQL is complete without them. Perfetto draws a
slice's arrows when it is selected and freezes on thousands of them, so each slice gets at most
`MAX_A_SLICE` in each direction unless every arrow is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perfetto_pypto.swimlane.model import Int64s, Swimlane

MAX_A_SLICE = 500

#: Dense task ids.
Ids = NDArray[np.int32] | NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Flows:
    """Arrows from producer to consumer (dense ids), each with an id of its own.

    One id an edge, or the importer makes a chain of them.
    """

    ids: Int64s
    src: Ids
    dst: Ids


_NOTHING = np.zeros(0, dtype=np.int64)
NO_EDGES: tuple[Ids, Ids] = (_NOTHING, _NOTHING)
NONE = Flows(_NOTHING, _NOTHING, _NOTHING)


def draw(swimlane: Swimlane, src: Ids, dst: Ids, limit: float = MAX_A_SLICE) -> Flows:
    """Chooses the arrows among edges.

    A slice gets at most ``limit`` arrows in each direction; infinity draws every one.

    An edge whose consumer starts before its producer can't be drawn: an arrow leaves the slice
    that starts first.

    Args:
        swimlane: the run.
        src: producers (dense ids).
        dst: their consumers.
        limit: arrows a slice and direction.
    """
    start = swimlane.tasks.start
    forward = np.flatnonzero(start[dst] >= start[src])
    src, dst = src[forward], dst[forward]
    leaving, arriving = [0] * len(start), [0] * len(start)
    kept = []
    for place, (a, b) in enumerate(zip(src.tolist(), dst.tolist(), strict=True)):
        if leaving[a] < limit and arriving[b] < limit:
            leaving[a] += 1
            arriving[b] += 1
            kept.append(place)
    chosen = np.array(kept, dtype=np.int64)
    return Flows(forward[chosen] + 1, src[chosen], dst[chosen])
