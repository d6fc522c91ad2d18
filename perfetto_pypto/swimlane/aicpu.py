"""AICPU phases from their own files: ``machine_trace_perf_data_<round>.json`` and its older names.

The stamps are ends only: a phase starts where the one before it on its thread ended.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Meta, Struct

from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.hints import parse_phase
from perfetto_pypto.swimlane.model import Phases, Strings
from perfetto_pypto.swimlane.opening import Opened
from perfetto_pypto.swimlane.profile import TICK_LIMIT
from perfetto_pypto.swimlane.text import read_list

Integer = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]


class _Stamp(Struct, gc=False):
    name: str
    end: int | float


class _Block(Struct, gc=False):
    coreType: str  # noqa: N815
    freq: Annotated[int, Meta(ge=1, le=100_000)]
    blockIdx: Integer = 0  # noqa: N815
    tasks: list[_Stamp] = []


class Phase(NamedTuple):
    """A phase in ticks of its thread's counter."""

    thread: str
    name: str
    start: int
    end: int
    mhz: int


@dataclass(frozen=True, slots=True)
class AicpuProfile:
    """The phases in file order; ``present`` counts the stamps in the files."""

    phases: list[Phase]
    present: int

    @property
    def clocks(self) -> set[int]:
        """The counters' frequencies in MHz, as the files state them."""
        return {phase.mhz for phase in self.phases}

    @classmethod
    def joined(cls, rounds: Iterable[AicpuProfile], findings: Findings) -> AicpuProfile:
        """Several rounds as one; what two files both have is kept once."""
        rounds = list(rounds)
        phases = [phase for one in rounds for phase in one.phases]
        kept = list(dict.fromkeys(phases))
        findings.add("duplicate-phase", len(phases) - len(kept))
        return cls(kept, sum(one.present for one in rounds))

    def near(self, mhz: int, start: int, end: int, far_ns: int) -> AicpuProfile:
        """The phases within ``far_ns`` of a span in ticks of ``mhz``."""
        kept = [
            one
            for one in self.phases
            if _ns(one.end, one.mhz, start, mhz) > -far_ns
            and _ns(one.start, one.mhz, end, mhz) < far_ns
        ]
        return AicpuProfile(kept, self.present)

    def build(self, mhz: int, origin: int) -> Phases:
        """The model's phases; ``origin`` is the run's zero in ticks of ``mhz``."""
        parsed = [parse_phase(phase.name) for phase in self.phases]
        start = [_ns(phase.start, phase.mhz, origin, mhz) for phase in self.phases]
        end = [_ns(phase.end, phase.mhz, origin, mhz) for phase in self.phases]
        return Phases(
            thread=Strings.of(phase.thread for phase in self.phases),
            name=Strings.of(phase.name for phase in parsed),
            start=np.array(start, dtype=np.int64),
            end=np.maximum(np.array(start, dtype=np.int64), np.array(end, dtype=np.int64)),
            round=np.array([phase.round for phase in parsed], dtype=np.int64),
            dev_task=np.array([phase.dev_task for phase in parsed], dtype=np.int64),
        )


def _ns(tick: int, tick_mhz: int, origin: int, origin_mhz: int) -> int:
    """Ticks of one counter as ns from a zero in ticks of another, to the nearest."""
    up, down = (tick * origin_mhz - origin * tick_mhz) * 1000, tick_mhz * origin_mhz
    return (2 * up + down) // (2 * down)


def read_aicpu(source: Opened, findings: Findings) -> AicpuProfile:
    """Reads the stamps of a file.

    Raises:
        InputError: the file is damaged or breaks the format.
    """
    present = 0
    phases: list[Phase] = []
    for block in read_list(source, _Block, "an AICPU profile", "pypto_aicpu", findings):
        thread = f"{block.coreType}-{block.blockIdx}"
        stamps = [stamp for stamp in block.tasks if abs(stamp.end) < TICK_LIMIT]
        bad = [stamp.name for stamp in block.tasks if not abs(stamp.end) < TICK_LIMIT]
        present += len(block.tasks)
        findings.add("impossible-phase", len(bad), bad)
        phases += _phases(thread, block.freq, stamps)
    return AicpuProfile(phases, present)


def _phases(thread: str, mhz: int, stamps: list[_Stamp]) -> Iterable[Phase]:
    """A thread's phases as PyPTO's script draws them: by end, equal ends a tick apart."""
    last: int | None = None
    for stamp in sorted(stamps, key=lambda one: one.end):
        end = round(stamp.end)
        if last is not None and end == last:
            end += 1
        start = end - 1 if stamp.name.startswith("BEGIN") or last is None else last
        yield Phase(thread, stamp.name, start, max(end, start + 1), mhz)
        last = end
