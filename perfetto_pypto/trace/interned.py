"""Interned texts of a packet sequence: each is written once and then meant by its number."""

from __future__ import annotations

from collections.abc import Iterable

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import InternedData


class Interned:
    """Numbers texts; what is new waits to be written before its first use."""

    def __init__(self) -> None:
        self._new = InternedData()
        self._categories: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._arg_names: dict[str, int] = {}
        self._strings: dict[str, int] = {}
        self._colours: dict[str, int] = {}

    def take(self) -> InternedData | None:
        """What is new since the last call, if anything."""
        if not self._new.ByteSize():
            return None
        taken, self._new = self._new, InternedData()
        return taken

    def category(self, text: str) -> int:
        """A slice's category."""
        iid = self._categories.get(text)
        if iid is None:
            iid = self._categories[text] = len(self._categories) + 1
            self._new.event_categories.add(iid=iid, name=text)
        return iid

    def name(self, text: str) -> int:
        """A slice's name."""
        iid = self._names.get(text)
        if iid is None:
            iid = self._names[text] = len(self._names) + 1
            self._new.event_names.add(iid=iid, name=whole(text))
        return iid

    def arg_name(self, text: str) -> int:
        """An argument's name."""
        iid = self._arg_names.get(text)
        if iid is None:
            iid = self._arg_names[text] = len(self._arg_names) + 1
            self._new.debug_annotation_names.add(iid=iid, name=text)
        return iid

    def string(self, text: str) -> int:
        """An argument's text."""
        iid = self._strings.get(text)
        if iid is None:
            iid = self._strings[text] = len(self._strings) + 1
            self._new.debug_annotation_string_values.add(iid=iid, str=encoded([text])[0])
        return iid

    def colour(self, text: str) -> int:
        """A slice's correlation id: what the UI hashes to a colour."""
        iid = self._colours.get(text)
        if iid is None:
            iid = self._colours[text] = len(self._colours) + 1
            self._new.correlation_id_str.add(iid=iid, str=text.encode())
        return iid


def whole(text: str) -> str:
    """The text as the engine will hold it: a NUL would end it."""
    return text.replace("\x00", "\ufffd")


def encoded(texts: Iterable[str]) -> list[bytes]:
    """The texts' bytes in a trace."""
    # No text has a NUL any more: one ends each, and all are encoded at once.
    ended = "".join([whole(text) + "\x00" for text in texts])
    return ended.encode("utf-8", "replace").split(b"\x00")[:-1]
