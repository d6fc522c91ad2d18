"""Which lane is which core."""

from __future__ import annotations

import re
from collections import Counter as Tally
from collections.abc import Mapping

from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.model import AI_CPU, HUB, NOT_A_CORE, OTHER, Core

AICPU_VIEW = "AICPU View"

_CORE_ENGINES = ("AIC", "AIV", "AICORE")
_LANE = re.compile(r"(AIC|AIV|AICORE|AI-CPU|HUB|Fake Core)_([0-9]{1,9})")
_ORDER = (*_CORE_ENGINES, OTHER, AI_CPU, HUB)


#: A lane's key in the file: its pid and tid.
Lane = tuple[int, int]


def name_cores(
    threads: Mapping[Lane, str], used: Mapping[Lane, int], findings: Findings
) -> tuple[list[Core], dict[Lane, int]]:
    """Gives every lane its core.

    Args:
        threads: the names of the named lanes, AICPU view excluded.
        used: how many slices each lane carries.
        findings: gets the lanes without a name or with an unknown one.

    Returns:
        The cores in their order, and the index of each lane's core. Lanes of one name in one
        process (a core and its overlap lane) are one core.
    """
    names = dict(threads)
    for lane, count in used.items():
        if lane not in names:
            names[lane] = f"lane {lane[1]}"
            findings.add("unnamed-lane", count, [f"pid {lane[0]} tid {lane[1]}"])
    first_pid: dict[str, int] = {}
    cores: dict[Core, list[Lane]] = {}
    for lane, name in names.items():
        core = _core(name, lane)
        if core.engine == OTHER and lane in threads:
            findings.add("unknown-lane", 1, [name])
        if first_pid.setdefault(name, lane[0]) != lane[0]:
            core = Core(f"{name} (process {lane[0]})", core.engine, core.number)
        cores.setdefault(core, []).append(lane)
    ordered = sorted(cores, key=core_order)
    return ordered, {lane: index for index, core in enumerate(ordered) for lane in cores[core]}


def core_order(core: Core) -> tuple[int, int, str]:
    """Sorts cores: by engine, number and name."""
    return _ORDER.index(core.engine), core.number, core.name


def _core(name: str, lane: Lane) -> Core:
    match = _LANE.fullmatch(name)
    if match is None:
        return Core(name, OTHER, lane[1])
    engine = HUB if match[1] == "Fake Core" else match[1]
    return Core(name, engine, int(match[2]))


def count_cores(
    cores: list[Core], asked: Mapping[str, int] | None, seen: str, path: str
) -> tuple[dict[str, int], str]:
    """The number of cores per engine, and where it is from.

    Args:
        cores: the lanes of the file.
        asked: the user's counts, engine by engine.
        seen: what the lanes of this file stand for, in words.
        path: the input's name, for errors.

    Raises:
        PyptoPerfettoError: an unknown engine, or fewer cores than the file has lanes.
    """
    lanes = Tally(core.engine for core in cores if core.engine not in NOT_A_CORE)
    counts = dict(lanes)
    for engine, count in (asked or {}).items():
        if engine not in _CORE_ENGINES and engine not in lanes:
            raise PyptoPerfettoError(
                f"--cores {engine}={count}: {path} has no engine {engine};"
                f" use one of {', '.join(lanes or _CORE_ENGINES)}"
            )
        if count < max(lanes[engine], 1):
            raise PyptoPerfettoError(
                f"--cores {engine}={count}: {path} has {lanes[engine]} {engine} lanes;"
                f" give at least {max(lanes[engine], 1)}"
            )
        counts[engine] = count
    if not asked:
        return counts, seen
    left = [engine for engine in lanes if engine not in asked]
    return counts, "--cores" + (f"; {', '.join(left)}: {seen}" if left else "")
