"""TracePackets with interned strings, in chunks, and a record of every slice written.

The record is what the engine's tables are compared with after a load: Perfetto's importer can
lose or bend slices without a word (see `lanes`), so nothing is believed that was not read back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import (
    DebugAnnotation,
    TracePacket,
    TrackDescriptor,
    TrackEvent,
)
from perfetto.trace_builder.proto_builder import TraceProtoBuilder

#: Arguments of a slice: int, float, str, a sequence (an array) or a mapping (a nested group).
Args = Mapping[str, object]

#: Packets serialised at once: a chunk of about 1 MB keeps memory flat and calls few.
_PACKETS_A_CHUNK = 4096

_BEGIN = TrackEvent.TYPE_SLICE_BEGIN
_END = TrackEvent.TYPE_SLICE_END
_COUNTER = TrackEvent.TYPE_COUNTER
_CLEARED = TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
_NEEDS_STATE = TracePacket.SEQ_NEEDS_INCREMENTAL_STATE


@dataclass(frozen=True, slots=True)
class Packets:
    """A finished sequence: serialised packets, and what they hold.

    slices: every slice as (row name, category, start ns, duration ns)
    """

    chunks: list[bytes]
    slices: list[tuple[str, str, int, int]]
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
        self.slices: list[tuple[str, str, int, int]] = []
        self.counter_values = 0
        self._packet = self._new_packet()
        self._packet.sequence_flags = _CLEARED

    def track(self, descriptor: TrackDescriptor) -> None:
        """Declares a track."""
        self._packet.track_descriptor.CopyFrom(descriptor)
        self._packet.track_descriptor.name = _whole(descriptor.name)
        self._lane_names[descriptor.uuid] = _whole(descriptor.name)
        self._next()

    def slice(
        self,
        track: int,
        start: int,
        end: int,
        name: str,
        category: str,
        *,
        args: Args | None = None,
        colour_id: str | None = None,
        flows_out: Sequence[int] = (),
        flows_in: Sequence[int] = (),
    ) -> None:
        """Writes a slice, BEGIN and END, times in ns.

        The slices of one track must come in order and must not overlap: then the writing order
        at equal times is the one that the importer wants, slices without length included.
        """
        packet = self._packet
        packet.timestamp = start
        event = packet.track_event
        event.type = _BEGIN
        event.track_uuid = track
        event.category_iids.append(self._category(category))
        event.name_iid = self._name(name)
        if colour_id is not None:
            event.correlation_id_str_iid = self._colour(colour_id)
        if flows_out:
            event.flow_ids.extend(flows_out)
        if flows_in:
            event.terminating_flow_ids.extend(flows_in)
        if args:
            for key, value in args.items():
                self._annotate(event.debug_annotations.add(), key, value)
        self._next()
        packet = self._packet
        packet.timestamp = end
        event = packet.track_event
        event.type = _END
        event.track_uuid = track
        self._next()
        self.slices.append((self._lane_names[track], category, start, end - start))

    def counter(self, track: int, ts: int, value: float) -> None:
        """Writes a counter's value from ``ts`` (ns) on."""
        packet = self._packet
        packet.timestamp = ts
        event = packet.track_event
        event.type = _COUNTER
        event.track_uuid = track
        if isinstance(value, int):
            event.counter_value = value
        else:
            event.double_counter_value = value
        self.counter_values += 1
        self._next()

    def finish(self) -> Packets:
        """Ends the sequence."""
        del self._builder.trace.packet[-1]  # the one under construction is empty
        self._flush()
        return Packets(self._done, self.slices, self.counter_values)

    def _annotate(self, annotation: DebugAnnotation, key: str, value: object) -> None:
        annotation.name_iid = self._arg_name(key)
        self._set(annotation, value)

    def _set(self, annotation: DebugAnnotation, value: object) -> None:
        if isinstance(value, int):
            annotation.int_value = value
        elif isinstance(value, str):
            annotation.string_value_iid = self._string(value)
        elif isinstance(value, float):
            annotation.double_value = value
        elif isinstance(value, Mapping):
            for key, item in value.items():
                self._annotate(annotation.dict_entries.add(), key, item)
        elif isinstance(value, Sequence):
            for item in value:
                self._set(annotation.array_values.add(), item)
        else:
            raise TypeError(f"not an argument: {value!r}")

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

    def _new_packet(self) -> TracePacket:
        packet = self._builder.add_packet()
        packet.trusted_packet_sequence_id = self._sequence
        packet.sequence_flags = _NEEDS_STATE
        return packet

    def _next(self) -> None:
        self._pending += 1
        if self._pending == _PACKETS_A_CHUNK:
            self._flush()
        self._packet = self._new_packet()

    def _flush(self) -> None:
        self._done.append(self._builder.serialize())
        self._builder = TraceProtoBuilder()
        self._pending = 0


def _whole(text: str) -> str:
    """The text as the engine will hold it: a NUL would end it."""
    return text.replace("\x00", "\ufffd")


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
