"""A run's metrics as a Parquet file, long form: a row per metric, with the run's facts."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from perfetto_pypto.dataset.index import Entry
from perfetto_pypto.metrics.model import Input, Metric, Metrics

#: The run's line of the index, in the schema's metadata: an index can be made from the files.
_ENTRY = b"pypto_perfetto"

_TEXT = pa.string()
SCHEMA = pa.schema(
    [
        ("run", _TEXT),
        ("name", _TEXT),
        ("path", _TEXT),
        ("metric", _TEXT),
        ("bundle", _TEXT),
        ("dimensions", _TEXT),  # JSON, not a map: it can be grouped by, and all readers know it
        ("value", pa.float64()),
        ("unit", _TEXT),
        ("polarity", _TEXT),
        ("content", _TEXT),
        ("format", _TEXT),
        ("layout", _TEXT),
        ("cores", _TEXT),
        ("cores_from", _TEXT),
        ("clock_hz", pa.int64()),
        ("clock_from", _TEXT),
        ("origin_us", _TEXT),
        ("small_task_ns", pa.int64()),
        ("version", _TEXT),
    ]
)


def to_parquet(entry: Entry, metrics: Metrics) -> bytes:
    """Returns the file: times in ns, ratios in 0..1, null where the input has no such data."""
    source, values = metrics.input, metrics.metrics
    facts = {
        "run": entry.run,
        "name": entry.name,
        "path": entry.path,
        "content": entry.content,
        "format": source.format,
        "layout": source.layout,
        "cores": _json(source.core_counts),
        "cores_from": source.core_counts_from,
        "clock_hz": source.clock_hz or None,
        "clock_from": source.clock_from,
        "origin_us": source.origin_us,
        "small_task_ns": source.small_task_ns,
        "version": entry.version,
    }
    columns = {name: [fact] * len(values) for name, fact in facts.items()} | {
        "metric": [metric.id for metric in values],
        "bundle": [metric.bundle for metric in values],
        "dimensions": [_json(metric.dimensions) for metric in values],
        "value": [None if metric.value is None else float(metric.value) for metric in values],
        "unit": [metric.unit for metric in values],
        "polarity": [metric.polarity for metric in values],
    }
    schema = SCHEMA.with_metadata({_ENTRY: msgspec.json.encode(entry)})
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns, schema=schema), buffer, compression="zstd")
    return buffer.getvalue()


def read_entry(file: Path) -> Entry | None:
    """The index line of a run's file; None for a file that is no such thing."""
    try:
        metadata = pq.read_schema(file).metadata or {}
        return msgspec.json.decode(metadata[_ENTRY], type=Entry)
    except (pa.ArrowInvalid, KeyError, msgspec.DecodeError):
        return None


def read_metrics(file: Path) -> Metrics:
    """The metrics of a run's file, without findings and advice."""
    # Not read_table: it loads pyarrow's data sets, which stumble where pandas is kept out.
    with pq.ParquetFile(file) as parquet:
        rows = parquet.read().to_pylist()
    first = rows[0]
    return Metrics(
        Input(
            name=first["name"],
            path=first["path"],
            format=first["format"],
            layout=first["layout"],
            core_counts=msgspec.json.decode(first["cores"], type=dict[str, int]),
            core_counts_from=first["cores_from"],
            clock_hz=first["clock_hz"] or 0,
            clock_from=first["clock_from"],
            origin_us=first["origin_us"],
            small_task_ns=first["small_task_ns"],
        ),
        [
            Metric(
                row["metric"],
                row["bundle"],
                msgspec.json.decode(row["dimensions"], type=dict[str, str]),
                _whole(row["value"]),
                row["unit"],
                row["polarity"],
            )
            for row in rows
        ],
        [],
    )


def _json(value: dict[str, str] | dict[str, int]) -> str:
    return msgspec.json.encode(value).decode()


def _whole(value: float | None) -> int | float | None:
    return int(value) if value is not None and value.is_integer() else value
