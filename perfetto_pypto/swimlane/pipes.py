"""The pipes inside the cores: the simulator's ``_simulate.pipe.swim.json``, in cycles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from perfetto_pypto.swimlane.clock import Timeline
from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.model import Core, Int64s, PipeSpans, Strings
from perfetto_pypto.swimlane.opening import Opened
from perfetto_pypto.swimlane.profile import TICK_LIMIT
from perfetto_pypto.swimlane.text import read_list


class _Span(Struct, gc=False):
    execStart: int | float  # noqa: N815
    execEnd: int | float  # noqa: N815
    tileOp: str = ""  # noqa: N815


class _Block(Struct, gc=False):
    blockIdx: Annotated[int, Meta(ge=0, le=10**8)]  # noqa: N815
    coreType: str = ""  # noqa: N815
    pipeLogs: dict[str, list[_Span]] = {}  # noqa: N815


@dataclass(frozen=True, slots=True)
class RawPipes:
    """Operations of the pipes in cycles; ``core`` is the core's name."""

    core: list[str]
    pipe: list[str]
    tile_op: list[str]
    start: Int64s
    end: Int64s
    present: int

    def build(self, timeline: Timeline, cores: list[Core]) -> PipeSpans:
        """The model's spans; ``cores`` must have them all."""
        at = {core.name: index for index, core in enumerate(cores)}
        return PipeSpans(
            core=np.array([at[name] for name in self.core], dtype=np.int32),
            pipe=Strings.of(self.pipe),
            start=timeline.ticks_to_ns(self.start - timeline.origin),
            end=timeline.ticks_to_ns(self.end - timeline.origin),
            name=Strings.of(_code(text) for text in self.tile_op),
            tile_op=Strings.of(text or None for text in self.tile_op),
        )


def read_pipes(source: Opened, cores: list[Core], findings: Findings) -> RawPipes:
    """Reads the operations on known cores.

    Raises:
        InputError: the file is damaged or breaks the format.
    """
    known = {core.name for core in cores}
    blocks = read_list(source, _Block, "a log of pipes", "pypto_pipes", findings)
    rows = [
        (f"{block.coreType}_{block.blockIdx + 1}", pipe, span)
        for block in blocks
        for pipe, spans in block.pipeLogs.items()
        for span in spans
    ]
    good = [
        core in known and abs(span.execStart) < TICK_LIMIT and abs(span.execEnd) < TICK_LIMIT
        for core, _, span in rows
    ]
    lost = [f"{row[1]} of {row[0]}" for row, fits in zip(rows, good, strict=True) if not fits]
    findings.add("impossible-pipe-span", len(lost), lost)
    kept = [row for row, fits in zip(rows, good, strict=True) if fits]
    negative = [
        f"{span.tileOp[:40]} on {core}" for core, _, span in kept if span.execEnd < span.execStart
    ]
    findings.add("negative-duration", len(negative), negative)
    start = np.array([round(span.execStart) for _, _, span in kept], dtype=np.int64)
    end = np.array([round(span.execEnd) for _, _, span in kept], dtype=np.int64)
    return RawPipes(
        core=[core for core, _, _ in kept],
        pipe=[pipe for _, pipe, _ in kept],
        tile_op=[span.tileOp for _, _, span in kept],
        start=start,
        end=np.maximum(start, end),
        present=len(rows),
    )


def _code(tile_op: str) -> str:
    """``10143 A_MUL_B 423 L0A_…`` -> ``A_MUL_B``."""
    words = tile_op.split(None, 2)
    if len(words) > 1 and words[0].isdecimal():
        return words[1]
    return words[0] if words else "operation"
