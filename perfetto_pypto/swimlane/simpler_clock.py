"""The two clocks of the simpler runtime's files: raw counter cycles, and µs from the run's zero."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from perfetto_pypto.swimlane.clock import LIMIT_US, Timeline, infer_mhz, possible
from perfetto_pypto.swimlane.model import Doubles, Int64s

Bools = NDArray[np.bool_]
Stamps = Int64s | Doubles

#: Beyond, the arithmetic below would leave 64 bits; counters run at 50 MHz or 1 GHz.
MAX_HZ = 4_000_000_000


class Clock(Protocol):
    """A file's clock; ``start`` sets the zero and must come first."""

    in_cycles: bool
    hz: int
    known_from: str

    def possible(self, stamps: Stamps) -> Bools:
        """Which stamps are times."""

    def start(self, stamps: Sequence[Stamps], others: Sequence[Stamps] = ()) -> None:
        """Takes the earliest of all as the zero; ``others`` may be off the counter's cycles."""

    def ns(self, stamps: Stamps) -> Int64s:
        """Possible stamps as ns from the zero."""

    @property
    def origin_us(self) -> str:
        """The zero on the file's own clock."""


class Cycles:
    """Counter cycles; 0 means "not recorded"."""

    in_cycles = True
    known_from = "file metadata (clock_freq_hz)"

    def __init__(self, hz: int) -> None:
        self.hz = hz
        self._zero = 0

    def possible(self, stamps: Stamps) -> Bools:
        """As ``Clock``."""
        limit = min(int(LIMIT_US) // 10**6 * self.hz, 2**63 - 1)
        return np.asarray((stamps > 0) & (stamps < limit))

    def start(self, stamps: Sequence[Stamps], others: Sequence[Stamps] = ()) -> None:
        """As ``Clock``."""
        columns = [column for column in (*stamps, *others) if len(column)]
        self._zero = min((int(column.min()) for column in columns), default=0)

    def ns(self, stamps: Stamps) -> Int64s:
        """Exact integer arithmetic, rounded to the nearest ns."""
        seconds, cycles = np.divmod(stamps.astype(np.int64) - self._zero, self.hz)
        rest = (2 * cycles * 10**9 + self.hz) // (2 * self.hz)
        return np.asarray(seconds * 10**9 + rest, dtype=np.int64)

    @property
    def origin_us(self) -> str:
        """As ``Clock``; exact for the clocks in use."""
        quotient = Context(prec=40).divide(self._zero * 10**6, self.hz)
        return format(quotient.normalize(), "f")


class Micros:
    """Floats of µs, which are whole cycles of a counter underneath."""

    in_cycles = False

    def __init__(self) -> None:
        self._timeline = Timeline(0, 0)
        self.hz = 0
        self.known_from = ""

    def possible(self, stamps: Stamps) -> Bools:
        """As ``Clock``."""
        return possible(stamps.astype(np.float64))

    def start(self, stamps: Sequence[Stamps], others: Sequence[Stamps] = ()) -> None:
        """As ``Clock``."""
        columns = [column.astype(np.float64) for column in stamps]
        mhz = infer_mhz(columns)
        more = [column.astype(np.float64) for column in others]
        self._timeline = Timeline.of(mhz, [*columns, *more])
        self.hz = mhz * 1_000_000
        self.known_from = "inferred from the stamps" if mhz else "no known clock fits the stamps"

    def ns(self, stamps: Stamps) -> Int64s:
        """As ``Clock``."""
        return self._timeline.ns(stamps.astype(np.float64))

    @property
    def origin_us(self) -> str:
        """As ``Clock``."""
        return self._timeline.origin_us
