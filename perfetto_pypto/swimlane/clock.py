"""Stamps in µs to integer nanoseconds, exactly, by way of the counter's own ticks.

PyPTO divides counter ticks by a denominator and writes the quotient as a float64. At 2.4e12 µs
that float is a multiple of 0.0005 µs, so differences are off by up to 0.25 ns in either direction
and tasks that touch seem to overlap. Multiplying by the right denominator gives the tick back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from perfetto_pypto.swimlane.model import Doubles, Int64s

#: Counters of A2/A3, of A5 and of the simulator, in MHz: the coarsest that fits is the one.
CLOCKS_MHZ = (50, 1000, 1800)

#: Stamps beyond ± 63 years are no times; below, all arithmetic here stays within 64 bits.
LIMIT_US = 2e15


def possible(stamps_us: Doubles) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Which stamps are times at all (neither NaN nor infinite nor the 2^63 of an empty profile)."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(stamps_us) < LIMIT_US)


def _split(stamps_us: Doubles) -> tuple[Int64s, Doubles]:
    """Whole µs and the exact rest: the product of both with a frequency doesn't lose a bit."""
    whole = np.floor(stamps_us)
    return whole.astype(np.int64), stamps_us - whole


def _ticks(
    stamps_us: Doubles, mhz: int
) -> tuple[Int64s, np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]:
    """The nearest ticks, and which stamps lie on one as far as a float64 can tell.

    A stamp is off by half a float step, an end that was added up by two. Where a step is so coarse
    that this can't be told from chance, the limit of a quarter tick says no.
    """
    whole, rest = _split(stamps_us)
    near = np.rint(rest * mhz)
    allowed = np.clip(2 * mhz * np.spacing(np.abs(stamps_us)), 1e-6, 0.25)
    return whole * mhz + near.astype(np.int64), np.abs(rest * mhz - near) <= allowed


def infer_mhz(stamps_us: Iterable[Doubles]) -> int:
    """The coarsest known counter that all stamps fit; 0 where there is none."""
    columns = list(stamps_us)
    for mhz in CLOCKS_MHZ:
        if all(bool(_ticks(column, mhz)[1].all()) for column in columns):
            return mhz
    return 0


@dataclass(frozen=True, slots=True)
class Timeline:
    """A file's clock and its zero.

    mhz:    what the file's stamps were divided by; 0 means unknown: stamps are rounded to whole ns
    origin: the zero in ticks (in ns where the clock is unknown)
    counter_mhz: the counter's real frequency where the file divided by another; 0: the same
    """

    mhz: int
    origin: int
    counter_mhz: int = 0

    @classmethod
    def of(cls, mhz: int, stamps_us: Iterable[Doubles], counter_mhz: int = 0) -> Timeline:
        """The zero is the earliest of all (possible) stamps."""
        earliest = [
            int(_floor_ticks(column, mhz or 1000).min()) for column in stamps_us if len(column)
        ]
        return cls(mhz, min(earliest, default=0), counter_mhz)

    @property
    def origin_us(self) -> str:
        """The zero on the file's own clock, as the shortest decimal text of the file's float."""
        return format(Decimal(repr(self.origin / (self.mhz or 1000))), "f")

    def ns(self, stamps_us: Doubles) -> Int64s:
        """Stamps as ns since the zero: the nearest to ``ticks × 1000 / mhz``.

        A tie can't occur: the quotient is whole at 50 and 1000 MHz, and ninths at 1800.

        A stamp off the clock's ticks (only counters and the like can be) is rounded from its µs.
        """
        mhz = self.mhz or 1000
        whole, rest = _split(stamps_us)
        zero_us, zero_ticks = divmod(self.origin, mhz)
        rounded = (whole - zero_us) * 1000 + np.rint((rest - zero_ticks / mhz) * 1000).astype(
            np.int64
        )
        if not self.mhz:
            return rounded
        if self.counter_mhz:
            rounded = np.rint(rounded * (self.mhz / self.counter_mhz)).astype(np.int64)
        ticks, fits = _ticks(stamps_us, mhz)
        return np.where(fits, self.ticks_to_ns(ticks - self.origin), rounded)

    def ticks_to_ns(self, ticks: Int64s) -> Int64s:
        """Exact integer arithmetic, rounded to the nearest ns."""
        # 1000 / mhz is 20/1, 1/1 or 5/9; whole periods first, so that nothing can overflow
        mhz = self.counter_mhz or self.mhz
        divisor = int(np.gcd(1000, mhz))
        up, down = 1000 // divisor, mhz // divisor
        periods, left = np.divmod(ticks, down)
        return np.asarray(periods * up + (2 * left * up + down) // (2 * down), dtype=np.int64)

    @property
    def units_per_us(self) -> int:
        """The grid of ``units``."""
        return self.mhz or 10_000

    def units(self, stamps_us: Doubles) -> Int64s:
        """A grid to compare stamps on: ticks, or tenths of a ns where the clock is unknown."""
        whole, rest = _split(stamps_us)
        zero = self.origin // (self.mhz or 1000)
        ticks = np.rint(rest * self.units_per_us).astype(np.int64)
        return (whole - zero) * self.units_per_us + ticks


def _floor_ticks(stamps_us: Doubles, mhz: int) -> Int64s:
    ticks, fits = _ticks(stamps_us, mhz)
    whole, rest = _split(stamps_us)
    return np.where(fits, ticks, whole * mhz + np.floor(rest * mhz).astype(np.int64))
