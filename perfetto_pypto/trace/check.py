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
from perfetto_pypto.trace.writer import Packets


def check_load(tp: TraceProcessor, *written_packets: Packets) -> None:
    """Compares (row, category, start, duration) of every slice, and the number of counter values.

    Raises:
        EngineError: something was lost or changed; names the first difference.
    """
    written = Counter(row for packets in written_packets for row in packets.slices)
    columns = query_columns(
        tp,
        """
        SELECT t.name, s.category, s.ts, s.dur
        FROM slice AS s JOIN track AS t ON s.track_id = t.id
        """,
    )
    lists = [c.tolist() if isinstance(c, np.ndarray) else c for c in columns.values()]
    loaded = Counter(zip(*lists, strict=True))
    if loaded != written:
        lost = sorted((written - loaded).elements())
        extra = sorted((loaded - written).elements())
        (row, category, start, dur), *_ = lost or extra
        raise EngineError(
            f"the trace processor changed the trace: {len(lost)} slices lost, {len(extra)} "
            f"not written, first {category} at {start} ns for {dur} ns on {row!r}; "
            "please report this with the input file"
        )
    counters = int(query_columns(tp, "SELECT count() AS n FROM counter")["n"][0])
    expected = sum(packets.counter_values for packets in written_packets)
    if counters != expected:
        raise EngineError(
            f"the trace processor loaded {counters} of {expected} counter values; "
            "please report this with the input file"
        )
