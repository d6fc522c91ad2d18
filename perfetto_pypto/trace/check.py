"""Compares what the engine loaded with what was written, slice by slice.

Perfetto's importer can drop or bend slices without an error: overlapping ones are nested, one
without length in the wrong place swallows what follows. So every load is read back.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from perfetto.trace_processor import TraceProcessor

from perfetto_pypto.engine import query_columns
from perfetto_pypto.errors import EngineError
from perfetto_pypto.trace.slices import Slices, in_order, joined
from perfetto_pypto.trace.writer import Packets


def check_load(tp: TraceProcessor, *written_packets: Packets) -> None:
    """Compares (row, category, start, duration) of every slice, and the number of counter values.

    Raises:
        EngineError: something was lost or changed; names the first difference.
    """
    written, loaded = joined([packets.slices for packets in written_packets]), _loaded(tp)
    rows = sorted({*written.rows, *loaded.rows})
    before, after = in_order(written, rows), in_order(loaded, rows)
    if not np.array_equal(before, after):
        here, there = Counter(map(tuple, before.tolist())), Counter(map(tuple, after.tolist()))
        lost, extra = sorted((here - there).elements()), sorted((there - here).elements())
        (number, start, dur), *_ = lost or extra
        track, category = rows[number]
        raise EngineError(
            f"the trace processor changed the trace: {len(lost)} slices lost, {len(extra)} "
            f"not written, first {category} at {start} ns for {dur} ns on {track!r}; "
            "please report this with the input file"
        )
    counters = int(query_columns(tp, "SELECT count() AS n FROM counter")["n"][0])
    expected = sum(packets.counter_values for packets in written_packets)
    if counters != expected:
        raise EngineError(
            f"the trace processor loaded {counters} of {expected} counter values; "
            "please report this with the input file"
        )


def _loaded(tp: TraceProcessor) -> Slices:
    columns = query_columns(tp, "SELECT track_id, category, ts, dur FROM slice")
    number: dict[tuple[int, str], int] = {}
    pairs = zip(np.asarray(columns["track_id"]).tolist(), columns["category"], strict=True)
    rows = [number.setdefault(pair, len(number)) for pair in pairs]
    tracks = query_columns(tp, "SELECT id, name FROM track")
    names = dict(zip(tracks["id"], tracks["name"], strict=True))
    values = np.array([rows, columns["ts"], columns["dur"]], dtype=np.int64).T
    return Slices([(names[track], category) for track, category in number], values)
