"""TracePackets with interned strings, in chunks, and a record of every slice written.

The record is what the engine's tables are compared with after a load: Perfetto's importer can
lose or bend slices without a word (see `lanes`), so nothing is believed that was not read back.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import (
    DebugAnnotation,
    TracePacket,
    TrackDescriptor,
    TrackEvent,
)
from perfetto.trace_builder.proto_builder import TraceProtoBuilder

from perfetto_pypto.trace.slices import Slices

#: Arguments of a slice: int, float, str, a list or tuple (an array) or a dict (a nested group).
Args = dict[str, object]

#: Arguments that many slices share, serialised: see `TraceWriter.prepare`.
Prepared = bytes

#: Packets serialised at once: a chunk of about 1 MB keeps memory flat and calls few.
_PACKETS_A_CHUNK = 4096

_BEGIN = TrackEvent.TYPE_SLICE_BEGIN
_END = TrackEvent.TYPE_SLICE_END
_COUNTER = TrackEvent.TYPE_COUNTER
_CLEARED = TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
_NEEDS_STATE = TracePacket.SEQ_NEEDS_INCREMENTAL_STATE


@dataclass(frozen=True, slots=True)
class Packets:
    """A finished sequence: serialised packets, and what they hold."""

    chunks: list[bytes]
    slices: Slices
    counter_values: int


class TraceWriter:
    """Builds one packet sequence.

    Args:
        sequence: the sequence's id; two writers whose bytes are concatenated need two ids.
    """

    def __init__(self, sequence: int) -> None:
        self._sequence = sequence
        self._builder = TraceProtoBuilder()
        self._pending = 0
        self._done: list[bytes] = []
        self._categories: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._arg_names: dict[str, int] = {}
        self._strings: dict[str, int] = {}
        self._colours: dict[str, int] = {}
        self._lane_names: dict[int, str] = {}
        self._heads: dict[tuple[int, str, str, str | None], bytes] = {}
        self._tails: dict[int, bytes] = {}
        self._times: defaultdict[tuple[int, str], array[int]] = defaultdict(lambda: array("q"))
        self.slice_count = 0
        self.counter_values = 0
        # What all packets share, slices of one name, and so on: merged in one call a packet.
        self._base = self._serialise(TracePacket())
        self._packet = self._builder.add_packet()
        self._packet.MergeFromString(self._base)
        self._packet.sequence_flags = _CLEARED
        self._next()

    def track(self, descriptor: TrackDescriptor) -> None:
        """Declares a track."""
        self._packet.MergeFromString(self._base)
        self._packet.track_descriptor.CopyFrom(descriptor)
        self._packet.track_descriptor.name = _whole(descriptor.name)
        self._lane_names[descriptor.uuid] = _whole(descriptor.name)
        kind = _COUNTER if descriptor.HasField("counter") else _END
        tail = TracePacket(track_event=TrackEvent(type=kind, track_uuid=descriptor.uuid))
        self._tails[descriptor.uuid] = self._serialise(tail)
        self._next()

    def prepare(self, args: Args) -> Prepared:
        """Serialises arguments once for many slices of this writer; their texts are interned."""
        event = TrackEvent()
        for key, value in args.items():
            annotation = event.debug_annotations.add(name_iid=self._arg_name(key))
            self._set(annotation, value, self._interned)
        return bytes(event.SerializeToString())

    def slice(
        self,
        track: int,
        start: int,
        end: int,
        name: str,
        category: str,
        *,
        args: Args | Sequence[Args | Prepared] = (),
        colour_id: str | None = None,
        flows_out: Sequence[int] = (),
        flows_in: Sequence[int] = (),
    ) -> None:
        """Writes a slice, BEGIN and END, times in ns.

        The slices of one track must come in order and must not overlap: then the writing order
        at equal times is the one that the importer wants, slices without length included.

        Args:
            track: where it lies.
            start: its start.
            end: its end.
            name: its name.
            category: its category.
            args: its arguments, in parts where some are prepared.
            colour_id: what the UI hashes to a colour; default: the name.
            flows_out: ids of the arrows that leave it.
            flows_in: ids of the arrows that end in it.
        """
        packet = self._packet
        kind = (track, category, name, colour_id)
        packet.MergeFromString(self._heads.get(kind) or self._head(kind))
        packet.timestamp = start
        event = packet.track_event
        if flows_out:
            event.flow_ids.extend(flows_out)
        if flows_in:
            event.terminating_flow_ids.extend(flows_in)
        add = event.debug_annotations.add
        for part in (args,) if isinstance(args, dict) else args:
            if isinstance(part, bytes):
                event.MergeFromString(part)
                continue
            for key, value in part.items():
                self._set(add(name_iid=self._arg_name(key)), value, _plain)
        self._next()
        packet = self._packet
        packet.MergeFromString(self._tails[track])
        packet.timestamp = end
        self._next()
        self._times[track, category].extend((start, end - start))
        self.slice_count += 1

    def counter(self, track: int, ts: int, value: float) -> None:
        """Writes a counter's value from ``ts`` (ns) on."""
        packet = self._packet
        packet.MergeFromString(self._tails[track])
        packet.timestamp = ts
        if isinstance(value, int):
            packet.track_event.counter_value = value
        else:
            packet.track_event.double_counter_value = value
        self.counter_values += 1
        self._next()

    def finish(self) -> Packets:
        """Ends the sequence."""
        del self._builder.trace.packet[-1]  # the one under construction is empty
        self._flush()
        written = Slices.of(
            ((self._lane_names[track], category), np.frombuffer(times, dtype=np.int64))
            for (track, category), times in self._times.items()
        )
        return Packets(self._done, written, self.counter_values)

    def _set(
        self,
        annotation: DebugAnnotation,
        value: object,
        write: Callable[[DebugAnnotation, str], None],
    ) -> None:
        if isinstance(value, int):
            annotation.int_value = value
        elif isinstance(value, str):
            write(annotation, value)
        elif isinstance(value, float):
            annotation.double_value = value
        elif isinstance(value, dict):
            for key, item in value.items():
                entry = annotation.dict_entries.add(name_iid=self._arg_name(key))
                self._set(entry, item, write)
        elif isinstance(value, list | tuple):
            for item in value:
                self._set(annotation.array_values.add(), item, write)
        else:
            raise TypeError(f"not an argument: {value!r}")

    def _interned(self, annotation: DebugAnnotation, text: str) -> None:
        annotation.string_value_iid = self._string(text)

    def _head(self, key: tuple[int, str, str, str | None]) -> bytes:
        """The part of a slice's first packet that it shares with others of its name and track."""
        track, category, name, colour_id = key
        packet = TracePacket()
        event = packet.track_event
        event.type = _BEGIN
        event.track_uuid = track
        event.category_iids.append(self._category(category))
        event.name_iid = self._name(name)
        if colour_id is not None:
            event.correlation_id_str_iid = self._colour(colour_id)
        head = self._heads[key] = self._serialise(packet)
        return head

    # One method a kind of interned text: the packet that first uses it carries it.

    def _category(self, text: str) -> int:
        iid = self._categories.get(text)
        if iid is None:
            iid = self._categories[text] = len(self._categories) + 1
            self._packet.interned_data.event_categories.add(iid=iid, name=text)
        return iid

    def _name(self, text: str) -> int:
        iid = self._names.get(text)
        if iid is None:
            iid = self._names[text] = len(self._names) + 1
            self._packet.interned_data.event_names.add(iid=iid, name=_whole(text))
        return iid

    def _arg_name(self, text: str) -> int:
        iid = self._arg_names.get(text)
        if iid is None:
            iid = self._arg_names[text] = len(self._arg_names) + 1
            self._packet.interned_data.debug_annotation_names.add(iid=iid, name=text)
        return iid

    def _string(self, text: str) -> int:
        iid = self._strings.get(text)
        if iid is None:
            iid = self._strings[text] = len(self._strings) + 1
            self._packet.interned_data.debug_annotation_string_values.add(
                iid=iid, str=_whole(text).encode("utf-8", "replace")
            )
        return iid

    def _colour(self, text: str) -> int:
        iid = self._colours.get(text)
        if iid is None:
            iid = self._colours[text] = len(self._colours) + 1
            self._packet.interned_data.correlation_id_str.add(iid=iid, str=text.encode())
        return iid

    def _serialise(self, packet: TracePacket) -> bytes:
        packet.trusted_packet_sequence_id = self._sequence
        packet.sequence_flags = _NEEDS_STATE
        return bytes(packet.SerializeToString())

    def _next(self) -> None:
        self._pending += 1
        if self._pending == _PACKETS_A_CHUNK:
            self._flush()
        self._packet = self._builder.add_packet()

    def _flush(self) -> None:
        self._done.append(self._builder.serialize())
        self._builder = TraceProtoBuilder()
        self._pending = 0


def _whole(text: str) -> str:
    """The text as the engine will hold it: a NUL would end it."""
    return text.replace("\x00", "\ufffd")


def _plain(annotation: DebugAnnotation, text: str) -> None:
    # Interned, a text that comes once would cost the engine 500 bytes.
    annotation.string_value = _whole(text)


def lanes(spans: Iterator[tuple[int, int]]) -> list[int]:
    """Spreads slices over lanes on which none overlaps: the lane of each, in the given order.

    Perfetto nests what overlaps on one track, silently. ``spans`` are (start, end), sorted; a
    slice without length may touch others, but not lie inside one.
    """
    ends: list[int] = []
    result = []
    for start, end in spans:
        lane = next((i for i, last in enumerate(ends) if last <= start), len(ends))
        if lane == len(ends):
            ends.append(end)
        ends[lane] = end
        result.append(lane)
    return result
