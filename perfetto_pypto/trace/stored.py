"""Opens a trace made by `convert`: the trace alone gives every number."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from perfetto.trace_processor import TraceProcessor

from perfetto_pypto import engine as engines
from perfetto_pypto.engine import query_columns
from perfetto_pypto.engine.source import Pieces, size_of_file
from perfetto_pypto.errors import InputError
from perfetto_pypto.sql import with_package
from perfetto_pypto.swimlane.lanes import count_cores
from perfetto_pypto.swimlane.model import Core
from perfetto_pypto.trace import layout
from perfetto_pypto.trace.facts import SCHEMA
from perfetto_pypto.trace.writer import Part, TraceWriter

_OVERLAY = ("bubble", "critical_path", "critical_path_gap", "engine_state", "summary")
_CHUNK = 16 * 1024 * 1024


def is_trace(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds TracePackets (perhaps gzipped), by its first bytes."""
    file = Path(path)
    if not file.is_file():
        return False
    try:
        with _opened(file) as stream:
            head = stream.read(64)
    except (OSError, EOFError):
        return False
    # A packet's tag is a newline to a reader of text: JSON goes on with white space or a bracket.
    return head[:1] == b"\n" and head.strip()[:1] not in (b"{", b"[", b"")


def open_stored(
    path: str | os.PathLike[str],
    *,
    cores: Mapping[str, int] | None,
    small_task_ns: int | None,
    engine: str | None,
    sql_packages: Mapping[str, str | os.PathLike[str]] | None = None,
) -> TraceProcessor:
    """Opens a trace made by `convert`; options given now override those that it was made with.

    Raises:
        InputError: no such trace, made by a newer version, or damaged.
    """
    file = Path(path)
    chunks = Pieces(_chunks(file, _overrides(cores, small_task_ns)), size_of_file(file) or 0)
    try:
        tp = engines.open_trace(chunks, engine=engine, sql_packages=with_package(sql_packages))
    except (OSError, EOFError) as error:
        raise InputError(path, f"is damaged ({error})", "convert the swimlane again") from error
    try:
        _check(tp, path)
        if cores:
            _check_cores(tp, cores, path)
    except BaseException:
        tp.close()
        raise
    return tp


def _opened(file: Path) -> BinaryIO:
    stream = file.open("rb")
    packed = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    return cast(BinaryIO, gzip.GzipFile(fileobj=stream)) if packed else stream


def _chunks(file: Path, overrides: list[bytes]) -> Iterator[bytes]:
    with _opened(file) as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk
    yield from overrides


def _overrides(cores: Mapping[str, int] | None, small_task_ns: int | None) -> list[bytes]:
    args: dict[str, object] = {}
    if cores:
        args["core_count"] = dict(cores)
        args["core_counts_from"] = "--cores"
    if small_task_ns is not None:
        args["small_task_ns"] = small_task_ns
    if not args:
        return []
    writer = TraceWriter(Part.OPTIONS)
    writer.track(layout.root_descriptor("options"))
    now = np.zeros(1, dtype=np.int64)
    writer.slices(layout.ROOT, "run", now, now, [writer.event("options", "run", args=args)])
    return writer.finish().chunks


def _check(tp: TraceProcessor, path: object) -> None:
    facts = query_columns(
        tp, "INCLUDE PERFETTO MODULE pypto.run; SELECT key, number FROM pypto_run_fact"
    )
    number = dict(zip(facts["key"], facts["number"], strict=True))
    if "schema" not in number:
        raise InputError(
            path,
            "is a Perfetto trace without a PyPTO run, or cut off",
            "pass merged_swimlane.json, or convert it again",
        )
    if number["schema"] > SCHEMA:
        raise InputError(
            path,
            f"was made by a newer version (schema {number['schema']})",
            "update pypto-perfetto",
        )
    loaded = query_columns(
        tp, f"SELECT count() AS n FROM slice WHERE category NOT IN {_OVERLAY} AND name != 'options'"
    )["n"][0]
    if loaded != number["slice_count"]:
        raise InputError(
            path,
            f"is damaged: {loaded} of {number['slice_count']} slices are there",
            "convert the swimlane again",
        )


def _check_cores(tp: TraceProcessor, cores: Mapping[str, int], path: object) -> None:
    seen = query_columns(tp, "SELECT core, engine, number FROM pypto_core")
    lanes = [Core(*row) for row in zip(*seen.values(), strict=True)]
    count_cores(lanes, cores, "", str(path))
