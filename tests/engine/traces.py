"""Tiny traces and the engines that tests run on."""

from __future__ import annotations

import json
import os

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TrackEvent
from perfetto.trace_builder.proto_builder import TraceProtoBuilder

#: The wheel's engine, and a newer build where one is given.
ENGINES = ["embedded", *filter(None, [os.environ.get("PYPTO_PERFETTO_NEWER_WASM")])]

#: A query that never ends.
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"


def json_trace(*slices: tuple[str, int, int]) -> bytes:
    """Slices (name, start µs, duration µs) of one thread."""
    events = [
        {"ph": "X", "name": name, "ts": ts, "dur": dur, "pid": 1, "tid": 1}
        for name, ts, dur in slices
    ]
    return json.dumps({"traceEvents": events}).encode()


def proto_trace(*slices: tuple[str, int, int]) -> bytes:
    """Slices (name, start ns, duration ns) of one track."""
    builder = TraceProtoBuilder()
    builder.add_packet().track_descriptor.uuid = 1
    for name, ts, dur in slices:
        for time, kind in (
            (ts, TrackEvent.TYPE_SLICE_BEGIN),
            (ts + dur, TrackEvent.TYPE_SLICE_END),
        ):
            packet = builder.add_packet()
            packet.timestamp = time
            packet.trusted_packet_sequence_id = 1
            packet.track_event.type = kind
            packet.track_event.track_uuid = 1
            if kind == TrackEvent.TYPE_SLICE_BEGIN:
                packet.track_event.name = name
    return bytes(builder.serialize())
