"""How many ticks of a raw profile a microsecond has: no file says it outright."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from perfetto_pypto.swimlane.aicpu import AicpuProfile
from perfetto_pypto.swimlane.clock import CLOCKS_MHZ
from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.model import Swimlane
from perfetto_pypto.swimlane.profile import Profile

SIMULATOR_MHZ = 1800
DEVICE_MHZ = 50

#: A counter that starts with the machine hardly runs longer (years).
_LONGEST_UPTIME = 3
_SECONDS_A_YEAR = 365 * 24 * 3600


#: How far a quotient of stamps may miss a clock: the profile's last tick may be a hub's.
_NEAR = 1e-3


class Clock(NamedTuple):
    """The chosen clock; ``same``: the AICPU's stamps are of the same counter."""

    mhz: int
    known_from: str
    same: bool


def divisor(last_tick: int, merged: Swimlane) -> int:
    """What the merged file's stamps were divided by: one of the known clocks, 1, or 0: unknown."""
    origin = float(Decimal(merged.source.origin_us))
    end = origin + int(merged.tasks.end.max(initial=0)) / 1000
    if end <= 0:
        return 0
    quotient = last_tick / end
    return next((mhz for mhz in (*CLOCKS_MHZ, 1) if abs(quotient / mhz - 1) < _NEAR), 0)


def choose_clock(
    asked_mhz: int | None,
    profile: Profile,
    aicpu: AicpuProfile | None,
    merged_mhz: int,
    findings: Findings,
) -> Clock:
    """Chooses a profile's clock from the best evidence and reports what contradicts it.

    Args:
        asked_mhz: what the user said.
        profile: the profile.
        aicpu: the AICPU's stamps, which carry their frequency.
        merged_mhz: what PyPTO's script divided the same ticks by (0: unknown, 1: not at all).
        findings: gets the contradictions.
    """
    same = _same_counter(profile, aicpu)
    evidence: list[tuple[int, str]] = []
    if same and aicpu is not None and len(aicpu.clocks) == 1:
        evidence.append((next(iter(aicpu.clocks)), "freq of the AICPU's stamps"))
    if merged_mhz > 0:
        evidence.append((merged_mhz, "factor of merged_swimlane.json"))
    if profile.simulated:
        evidence.append((SIMULATOR_MHZ, "the simulator's cycles"))
    good = [one for one in evidence if one[0] > 1]
    if asked_mhz is not None:
        chosen = (asked_mhz, "--clock")
    elif good:
        chosen = good[0]
    else:
        chosen = (DEVICE_MHZ, "assumed, as on A2 and A3; A5 has --clock 1000MHz")
    mhz = chosen[0]
    contrary = [f"{why}: {other} MHz" for other, why in evidence if other != mhz]
    years = int(profile.start.max(initial=0)) / mhz / 1_000_000 / _SECONDS_A_YEAR
    if not profile.simulated and years > _LONGEST_UPTIME:
        contrary.append(f"the counter would have run {years:.0f} years")
    findings.add("suspected-clock", len(contrary), contrary)
    return Clock(mhz, chosen[1], same)


def _same_counter(profile: Profile, aicpu: AicpuProfile | None) -> bool:
    """Whether the AICPU's ticks overlap the profile's."""
    if aicpu is None or not aicpu.phases or not len(profile.start):
        return False
    first = min(phase.start for phase in aicpu.phases)
    last = max(phase.end for phase in aicpu.phases)
    return first <= int(profile.end.max()) and last >= int(profile.start.min())
