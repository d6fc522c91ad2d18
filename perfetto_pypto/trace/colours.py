"""Slice colours in the Perfetto UI.

The UI colours a slice by a hash of its correlation id: hue = hash(text) % 360, lightness =
40 + hash(text + "x") % 40 (its `colorizer` and `base/hash`). So a text can be chosen for its
colour: gaps pale, tasks dark, one colour per subgraph in every trace.
"""

from __future__ import annotations

from functools import cache

_PALEST_TASK = 58
#: Hues that no task has: red reads as an error, and is the scheduling wait's, only darker.
_RED = (345, 35)

#: Correlation ids of what is no task, found with `colour`: pale, except for work.
DEPENDENCY_WAIT = "dependency wait ~2572"
SCHEDULING_WAIT = "scheduling wait ~144"
NO_MORE_WORK = "no more work ~3206"
RUN = "run ~627"
BUSY = "busy ~9"


def colour(text: str) -> tuple[int, int]:
    """Returns (hue 0..359, lightness 40..79) that the UI gives to this correlation id."""
    return _hash(text, 360), 40 + _hash(text + "x", 40)


@cache
def task_colour_id(subgraph: str) -> str:
    """Returns a correlation id for a subgraph's tasks whose colour is dark, and not red."""
    number = 0
    while True:
        text = f"{subgraph} ~{number}" if number else subgraph
        hue, lightness = colour(text)
        if lightness <= _PALEST_TASK and _RED[1] < hue < _RED[0]:
            return text
        number += 1


def _hash(text: str, modulus: int) -> int:
    # The UI's hash: the product is a JavaScript number (a double), cut to 32 bits with a sign.
    raw = text.encode("utf-16-le", "surrogatepass")
    value = 0x11C9DC5
    for low, high in zip(raw[::2], raw[1::2], strict=True):
        value = int(float(value ^ (low | high << 8)) * 16777619.0) & 0xFFFFFFFF
        if value >= 0x80000000:
            value -= 0x100000000
    return abs(value) % modulus
