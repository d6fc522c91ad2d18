"""TracePackets with interned strings, in chunks, and a record of every slice written.

Perfetto's importer can lose or bend slices without a word (see `lanes`): the writer refuses what
would be bent, and the record is what the engine's tables are compared with after a load.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import (
    Trace,
    TracePacket,
    TrackDescriptor,
    TrackEvent,
)

from perfetto_pypto.swimlane.model import Int64s
from perfetto_pypto.trace.arguments import Args, Arguments
from perfetto_pypto.trace.encode import (
    Bytes2d,
    Heads,
    beside,
    delimited,
    fixed64s,
    rows,
    tag,
    varint,
    varints,
)
from perfetto_pypto.trace.interned import Interned, whole
from perfetto_pypto.trace.slices import Slices

#: Bytes handed on at once.
_CHUNK = 1 << 20

_PACKET = tag(Trace, "packet")
_TIMESTAMP = tag(TracePacket, "timestamp")
_EVENT = tag(TracePacket, "track_event")
_COUNTER_VALUE = tag(TrackEvent, "counter_value")
_COUNTER_DOUBLE = tag(TrackEvent, "double_counter_value")


class Part(IntEnum):
    """What a trace may consist of: packet sequences, each with interned texts of its own."""

    FACTS = 1
    OVERLAY = 2
    OPTIONS = 3
    RUN = 4
    ENGINES = 5
    SUMMARY = 6


@dataclass(frozen=True, slots=True)
class Packets:
    """A finished sequence: serialised packets, and what they hold."""

    chunks: list[bytes]
    slices: Slices
    counter_values: int


class TraceWriter:
    """Builds one packet sequence.

    Args:
        part: which sequence.
    """

    def __init__(self, part: Part) -> None:
        self._interned = Interned()
        self.arguments = Arguments(self._interned)
        self._done: list[bytes] = []
        self._pending = bytearray()
        self._lane_names: dict[int, str] = {}
        self._times: defaultdict[tuple[int, str], list[Int64s]] = defaultdict(list)
        self._last: dict[int, int] = {}
        self.counter_values = 0
        self._head = TracePacket(
            trusted_packet_sequence_id=part,
            sequence_flags=TracePacket.SEQ_NEEDS_INCREMENTAL_STATE,
        ).SerializeToString()
        cleared = TracePacket(
            trusted_packet_sequence_id=part,
            sequence_flags=TracePacket.SEQ_INCREMENTAL_STATE_CLEARED,
        )
        self._write(delimited(_PACKET, [cleared.SerializeToString()]))

    def track(self, descriptor: TrackDescriptor) -> None:
        """Declares a track."""
        packet = TracePacket()
        packet.track_descriptor.CopyFrom(descriptor)
        packet.track_descriptor.name = self._lane_names[descriptor.uuid] = whole(descriptor.name)
        self._packet(packet)

    def event(
        self, name: str, category: str, *, args: Args | None = None, colour_id: str | None = None
    ) -> bytes:
        """What a slice is, for `slices`.

        Args:
            name: its name.
            category: its category.
            args: its arguments; more may be joined to the result.
            colour_id: what the UI hashes to a colour; default: the name.
        """
        event = TrackEvent(
            category_iids=[self._interned.category(category)], name_iid=self._interned.name(name)
        )
        if colour_id is not None:
            event.correlation_id_str_iid = self._interned.colour(colour_id)
        return bytes(event.SerializeToString()) + self.arguments.of(args or {})

    def slices(
        self,
        track: int,
        category: str | Sequence[str],
        start: Int64s,
        end: Int64s,
        events: Sequence[bytes],
    ) -> None:
        """Writes slices, BEGIN and END, times in ns.

        Args:
            track: where they lie.
            category: their categories, or that of them all.
            start: their starts.
            end: their ends.
            events: what they are, made by `event`.

        Raises:
            ValueError: the slices of the track are not in order, or overlap. In order, each END
                is written before the next BEGIN: what the importer wants at equal times, slices
                without length included. What overlaps needs `lanes`.
        """
        if not len(start):
            return
        followed = np.append(end, self._last.get(track, start[0]))
        if np.any(start > end) or np.any(start < np.roll(followed, 1)[:-1]):
            raise ValueError(f"slices of {self._lane_names[track]} overlap")
        self._last[track] = int(end[-1])
        front = TrackEvent(type=TrackEvent.TYPE_SLICE_BEGIN, track_uuid=track).SerializeToString()
        bodies = delimited(_EVENT, events, front)
        at = beside(_TIMESTAMP, varints(start))
        heads = Heads(_PACKET, self._head)
        begins = [heads[at.shape[1] + len(body)] for body in bodies]
        back = TrackEvent(type=TrackEvent.TYPE_SLICE_END, track_uuid=track)
        ends = self._alike(end, TracePacket(track_event=back).SerializeToString())
        self._flush()
        packets = zip(begins, rows(at), bodies, rows(ends), strict=True)
        self._write(chain.from_iterable(packets))
        times = np.stack((start, end - start), axis=1)
        if isinstance(category, str):
            self._times[track, category].append(times)
        else:
            for one in dict.fromkeys(category):
                here = np.array([other == one for other in category])
                self._times[track, one].append(times[here])

    def counter(self, track: int, ts: Int64s, values: NDArray[np.int64 | np.float64]) -> None:
        """Writes a counter's values, each from its ``ts`` (ns) on."""
        if not len(ts):
            return
        front = TrackEvent(type=TrackEvent.TYPE_COUNTER, track_uuid=track).SerializeToString()
        if values.dtype == np.float64:
            event = beside(front, _COUNTER_DOUBLE, fixed64s(values))
        else:
            event = beside(front, _COUNTER_VALUE, varints(values.astype(np.int64)))
        self._flush()
        self._write([self._alike(ts, beside(_EVENT, varint(event.shape[1]), event)).tobytes()])
        self.counter_values += len(ts)

    def finish(self) -> Packets:
        """Ends the sequence."""
        self._flush()
        self._hand_on()
        written = Slices.of(
            ((self._lane_names[track], category), np.concatenate(times))
            for (track, category), times in self._times.items()
        )
        return Packets(self._done, written, self.counter_values)

    def _alike(self, ts: Int64s, rest: bytes | Bytes2d) -> Bytes2d:
        """Packets that are all equally long."""
        packet = beside(self._head, _TIMESTAMP, varints(ts), rest)
        return beside(_PACKET, varint(packet.shape[1]), packet)

    def _flush(self) -> None:
        """Writes the new interned texts, before what uses them."""
        if new := self._interned.take():
            self._packet(TracePacket(interned_data=new))

    def _packet(self, packet: TracePacket) -> None:
        self._write(delimited(_PACKET, [self._head + packet.SerializeToString()]))

    def _write(self, packets: Iterable[bytes]) -> None:
        self._pending += b"".join(packets)
        if len(self._pending) >= _CHUNK:
            self._hand_on()

    def _hand_on(self) -> None:
        self._done.append(bytes(self._pending))
        self._pending.clear()


def chunks_of(parts: Iterable[Packets]) -> Iterator[bytes]:
    """Yields the bytes of several sequences, which make one trace."""
    for part in parts:
        yield from part.chunks


def lanes(start: Int64s, end: Int64s) -> Int64s:
    """Spreads slices over lanes on which none overlaps: the lane of each, in the given order.

    Perfetto nests what overlaps on one track, silently. The slices are sorted; one without
    length may touch others, but not lie inside one.
    """
    result = np.zeros(len(start), dtype=np.int64)
    if np.all(start[1:] >= end[:-1]):
        return result
    ends: list[int] = []
    for place, (s, e) in enumerate(zip(start.tolist(), end.tolist(), strict=True)):
        lane = next((i for i, last in enumerate(ends) if last <= s), len(ends))
        if lane == len(ends):
            ends.append(e)
        ends[lane] = e
        result[place] = lane
    return result
