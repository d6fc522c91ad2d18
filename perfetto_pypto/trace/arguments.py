"""Arguments of slices as encoded fields of a TrackEvent: one slice's, or a column of many."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import DebugAnnotation, TrackEvent

from perfetto_pypto.swimlane.model import Int64s
from perfetto_pypto.trace.encode import (
    Column,
    beside,
    cut,
    delimited,
    filled,
    rows,
    tag,
    varint,
    varints,
)
from perfetto_pypto.trace.interned import Interned, encoded, whole

#: Arguments of a slice: int, float, str, a list or tuple (an array) or a dict (a nested group).
Args = dict[str, object]

_ANNOTATION = tag(TrackEvent, "debug_annotations")
_NAME = tag(DebugAnnotation, "name_iid")
_ITEM = tag(DebugAnnotation, "array_values")
_ENTRY = tag(DebugAnnotation, "dict_entries")
_INT = tag(DebugAnnotation, "int_value")
_TEXT = tag(DebugAnnotation, "string_value")


class Arguments:
    """Encodes arguments.

    Args:
        interned: where their names are kept.
    """

    def __init__(self, interned: Interned) -> None:
        self._interned = interned

    def of(self, args: Args) -> bytes:
        """The arguments of one slice."""
        # Interned, a text that comes once would cost the engine 500 bytes.
        return self._encode(args, _plain)

    def shared(self, args: Args) -> bytes:
        """Arguments that many slices have: their texts are interned."""
        return self._encode(args, self._by_number)

    def ints(
        self, key: str, values: Int64s, *, absent: int | None = None, group: str | None = None
    ) -> Column:
        """A number for each slice.

        Args:
            key: the argument's name.
            values: the numbers.
            absent: the number of those slices that don't have the argument.
            group: the name of the group that it stands in.
        """
        there = np.full(len(values), True) if absent is None else values != absent
        if not there.any():
            return [b""] * len(values)
        table = beside(self._named(key), _INT, varints(np.where(there, values, 0)))
        if group is not None:
            table = beside(self._named(group), _ENTRY, varint(table.shape[1]), table)
        table = beside(_ANNOTATION, varint(table.shape[1]), table)
        if there.all():
            return table
        column = zip(rows(table), there.tolist(), strict=True)
        return [one if here else b"" for one, here in column]

    def texts(self, key: str, values: Iterable[bytes]) -> list[bytes]:
        """A text, made by `text_values`, for each slice; none where it is empty."""
        return filled(_ANNOTATION, values, self._named(key))

    def int_lists(self, key: str, values: Int64s, bounds: Int64s) -> list[bytes]:
        """An array of numbers for each slice; none where it is empty.

        Args:
            key: the argument's name.
            values: the numbers of all slices.
            bounds: where those of each slice begin, and the end of the last.
        """
        items = beside(_INT, varints(values))
        items = beside(_ITEM, varint(items.shape[1]), items)
        lists = cut(items.tobytes(), bounds * items.shape[1])
        return filled(_ANNOTATION, lists, self._named(key))

    def text_lists(
        self, key: str, texts: Iterable[str], chosen: Int64s, bounds: Int64s
    ) -> list[bytes]:
        """An array of texts for each slice; none where it is empty.

        Args:
            key: the argument's name.
            texts: texts, each of which may be in many arrays.
            chosen: places in ``texts``: those of all slices.
            bounds: where those of each slice begin, and the end of the last.
        """
        items = delimited(_ITEM, delimited(_TEXT, encoded(texts)))
        sizes = np.array([0, *map(len, items)])[1 + chosen]
        ends = np.append(0, np.cumsum(sizes))
        lists = cut(b"".join(map(items.__getitem__, chosen.tolist())), ends[bounds])
        return filled(_ANNOTATION, lists, self._named(key))

    def _named(self, key: str) -> bytes:
        return _NAME + varint(self._interned.arg_name(key))

    def _encode(self, args: Args, write: Callable[[DebugAnnotation, str], None]) -> bytes:
        event = TrackEvent()
        for key, value in args.items():
            self._set(event.debug_annotations.add(), key, value, write)
        return bytes(event.SerializeToString())

    def _set(
        self,
        annotation: DebugAnnotation,
        key: str | None,
        value: object,
        write: Callable[[DebugAnnotation, str], None],
    ) -> None:
        if key is not None:
            annotation.name_iid = self._interned.arg_name(key)
        if isinstance(value, int):
            annotation.int_value = value
        elif isinstance(value, str):
            write(annotation, value)
        elif isinstance(value, float):
            annotation.double_value = value
        elif isinstance(value, dict):
            for inner, item in value.items():
                self._set(annotation.dict_entries.add(), inner, item, write)
        elif isinstance(value, list | tuple):
            for item in value:
                self._set(annotation.array_values.add(), None, item, write)
        else:
            raise TypeError(f"not an argument: {value!r}")

    def _by_number(self, annotation: DebugAnnotation, text: str) -> None:
        annotation.string_value_iid = self._interned.string(text)


def text_values(texts: Iterable[str]) -> list[bytes]:
    """Texts for `Arguments.texts`."""
    return filled(_TEXT, encoded(texts))


def _plain(annotation: DebugAnnotation, text: str) -> None:
    annotation.string_value = whole(text)
