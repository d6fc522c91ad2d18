"""Protobuf fields of many messages at once, column by column.

A trace of 100k tasks has millions of fields; setting each through a message object takes four
times as long. What is alike in all messages still comes from protobuf itself; here are only the
forms that the rest needs: numbers, and fields with a length.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby, pairwise
from typing import TypeAlias

import numpy as np
from google.protobuf.message import Message
from numpy.typing import NDArray

from perfetto_pypto.swimlane.model import Int64s

#: A field of each message, as equally long rows of bytes.
Bytes2d = NDArray[np.uint8]

#: A field of each message; where it is not equally long in all, or not in all, a list.
Column: TypeAlias = Bytes2d | list[bytes]

_VARINT, _FIXED64, _DELIMITED = 0, 1, 2
_CONTINUES = 0x80


def tag(message: type[Message], field: str) -> bytes:
    """The bytes before the value of a field."""
    found = message.DESCRIPTOR.fields_by_name[field]
    if found.type in (found.TYPE_STRING, found.TYPE_BYTES, found.TYPE_MESSAGE):
        kind = _DELIMITED
    else:
        fixed = found.type in (found.TYPE_DOUBLE, found.TYPE_FIXED64)
        kind = _FIXED64 if fixed else _VARINT
    return varint(found.number << 3 | kind)


def varint(value: int) -> bytes:
    """A number that is not negative: seven bits a byte, the lowest first."""
    out = bytearray()
    while value >= _CONTINUES:
        out.append(value & 0x7F | _CONTINUES)
        value >>= 7
    out.append(value)
    return bytes(out)


def varints(values: Int64s) -> Bytes2d:
    """Numbers as varints that are all as long as the longest: leading zeros are legal."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    width = 10 if low < 0 else max(-(-high.bit_length() // 7), 1)
    shifts = np.arange(0, 7 * width, 7, dtype=np.uint64)
    digits = ((values.astype(np.uint64)[:, None] >> shifts) & np.uint64(0x7F)).astype(np.uint8)
    digits[:, :-1] |= np.uint8(_CONTINUES)
    return digits


def fixed64s(values: NDArray[np.int64 | np.float64]) -> Bytes2d:
    """Numbers of eight bytes each."""
    kind = "<f8" if values.dtype == np.float64 else "<i8"
    return values.astype(kind).view(np.uint8).reshape(-1, 8)


def beside(*columns: bytes | Bytes2d) -> Bytes2d:
    """Puts columns side by side; bytes are the same in every row."""
    count = next(len(column) for column in columns if not isinstance(column, bytes))
    return np.hstack(
        [
            np.broadcast_to(np.frombuffer(column, dtype=np.uint8), (count, len(column)))
            if isinstance(column, bytes)
            else column
            for column in columns
        ]
    )


def rows(table: Bytes2d) -> list[bytes]:
    """The rows of a table."""
    data, width = table.tobytes(), table.shape[1]
    return [data[at : at + width] for at in range(0, len(data), width)]


class Heads(dict[int, bytes]):
    """What stands before a body, by the body's size: the field's tag and length, and its front.

    Args:
        tag: the field's.
        front: the bytes with which all its values begin.
    """

    def __init__(self, tag: bytes, front: bytes = b"") -> None:
        super().__init__()
        self._tag = tag
        self._front = front

    def __missing__(self, size: int) -> bytes:
        head = self[size] = self._tag + varint(len(self._front) + size) + self._front
        return head


def delimited(tag: bytes, bodies: Iterable[bytes], front: bytes = b"") -> list[bytes]:
    """Fields with a length, texts or messages: ``front`` and body."""
    heads = Heads(tag, front)
    return [heads[len(body)] + body for body in bodies]


def filled(tag: bytes, bodies: Iterable[bytes], front: bytes = b"") -> list[bytes]:
    """As `delimited`; no field where the body is empty."""
    heads = Heads(tag, front)
    return [heads[len(body)] + body if body else body for body in bodies]


def cut(data: bytes, places: Int64s) -> list[bytes]:
    """The pieces of the data between two places each."""
    return [data[a:b] for a, b in pairwise(places.tolist())]


def joined(*columns: Column) -> list[bytes]:
    """Joins columns row by row."""
    lists: list[list[bytes]] = []
    for varying, some in groupby(columns, lambda column: isinstance(column, list)):
        group = list(some)
        lists += [column for column in group if isinstance(column, list)]
        if not varying:  # one table, cut into rows once
            lists.append(rows(np.hstack(group)))
    return [b"".join(row) for row in zip(*lists, strict=True)]
