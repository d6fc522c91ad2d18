"""Reads PyPTO's raw files: a profile joined with its topology and what else lies beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane import checks, layout
from perfetto_pypto.swimlane.aicpu import AicpuProfile, read_aicpu
from perfetto_pypto.swimlane.clock import Timeline
from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.folder import Files, opened
from perfetto_pypto.swimlane.lanes import count_cores
from perfetto_pypto.swimlane.mix import read_events
from perfetto_pypto.swimlane.model import HUB, Int64s, Phases, PipeSpans, Source, Swimlane
from perfetto_pypto.swimlane.names import PYPTO_RAW
from perfetto_pypto.swimlane.opening import Opened
from perfetto_pypto.swimlane.pipes import RawPipes, read_pipes
from perfetto_pypto.swimlane.profile import Profile, read_profile
from perfetto_pypto.swimlane.program import Program, read_program
from perfetto_pypto.swimlane.rawclock import choose_clock, divisor
from perfetto_pypto.swimlane.rawtasks import join
from perfetto_pypto.swimlane.topology import Topology, read_dynamic, read_static

T = TypeVar("T")

#: Phases further than this from the tasks are of another counter (ns).
_FAR = 60 * 1_000_000_000


@dataclass(frozen=True, slots=True)
class Raw:
    """A run, and what a comparison with its merged file needs.

    ticks:      start and end of each task
    merged_mhz: what the merged file divided the ticks by (0: unknown, 1: nothing)
    """

    run: Swimlane
    timeline: Timeline
    ticks: tuple[Int64s, Int64s]
    merged_mhz: int


def read_raw(
    source: Opened,
    files: Files,
    cores: Mapping[str, int] | None,
    merged: Swimlane | None = None,
) -> Raw:
    """Reads the raw files of a run.

    Args:
        source: what the user named: its path, name and clock.
        files: the files; a profile is among them.
        cores: the user's core counts.
        merged: the same run by its merged file, which divided the same ticks.

    Raises:
        InputError: the profile or the topology can't be used.
        PyptoPerfettoError: ``cores`` contradicts the profile.
    """
    findings = Findings()
    assert files.profile is not None
    named = opened(files.profile, source.name) if source.file != files.profile else source
    profile = read_profile(named, findings)
    topology = _topology(files, source.name, findings)
    side = _Side(files, source.name, profile, findings)
    merged_mhz = divisor(int(profile.end.max(initial=0)), merged) if merged else 0
    clock = choose_clock(source.clock_mhz, profile, side.aicpu, merged_mhz, findings)
    joined = join(profile, topology, side.program, side.events, clock.mhz, findings)
    if not len(joined.start):
        raise InputError(source.path, "holds no executed task", "profile the operator again")
    is_hub = np.array([one.engine == HUB for one in joined.cores])[joined.core]
    if is_hub.all():
        raise InputError(
            source.path,
            f"holds no executed task, only {len(is_hub)} hub tasks",
            "profile the operator again",
        )
    # The hubs that were dropped count, too, as they do in PyPTO's script.
    firsts = [int(profile.start.min()), int(joined.start.min()), *joined.sync_ticks.tolist()]
    if side.pipes is not None and len(side.pipes.start):
        firsts.append(int(side.pipes.start.min()))
    zero = min(firsts)
    phases, origin = _phases(
        side.aicpu, clock.mhz, zero, int(joined.end.max()), clock.same, findings
    )
    timeline = Timeline(clock.mhz, origin)
    tasks = joined.build(timeline)
    checks.check(
        tasks,
        is_hub,
        [one.name for one in joined.cores],
        joined.start / clock.mhz,
        np.maximum(joined.start, joined.end) / clock.mhz,
        findings,
    )
    counts, counts_from = count_cores(
        joined.cores, cores, layout.lanes_are(simulated=profile.simulated), source.path
    )
    spans = side.pipes.build(timeline, joined.cores) if side.pipes else PipeSpans.none()
    run = Swimlane(
        name=source.name,
        source=Source(
            path=source.path,
            format=PYPTO_RAW,
            layout="; ".join(
                ["simulator" if profile.simulated else "device", ", ".join(side.used)]
            ),
            clock_hz=clock.mhz * 1_000_000,
            clock_from=clock.known_from,
            origin_us=timeline.origin_us,
            core_counts=counts,
            core_counts_from=counts_from,
        ),
        cores=joined.cores,
        tasks=tasks,
        dependencies=joined.dependencies,
        counters=[],
        phases=phases,
        sync_events=joined.sync(timeline),
        findings=findings.all(),
        present={
            "tasks": joined.present,
            "dependencies": joined.edges_present,
            "counters": 0,
            "phases": side.aicpu.present if side.aicpu else 0,
            "sync_events": joined.sync_present,
            "pipe_spans": side.pipes.present if side.pipes else 0,
        },
        pipe_spans=spans,
    )
    return Raw(run, timeline, (joined.start, joined.end), merged_mhz)


def _topology(files: Files, name: str, findings: Findings) -> Topology | None:
    if files.dynamic:
        return read_dynamic(opened(files.dynamic, name), findings)
    if files.static:
        return read_static((opened(one, name) for one in files.static), findings)
    findings.add("no-topology")
    return None


class _Side:
    """What is good to have: a file that can't be read is a finding."""

    def __init__(self, files: Files, name: str, profile: Profile, findings: Findings) -> None:
        self._name, self._findings = name, findings
        assert files.profile is not None
        graph = [files.dynamic] if files.dynamic else files.static
        self.used = [path.name.removesuffix(".gz") for path in (files.profile, *graph)]
        self.program: Program | None = self._read(files.program, read_program)
        self.events: dict[str, list[int]] = self._read(files.mix, read_events) or {}
        self.pipes: RawPipes | None = self._read(
            files.pipes if profile.simulated else None,
            lambda source, found: read_pipes(source, profile.cores, found),
        )
        self.aicpu: AicpuProfile | None = None
        rounds = [one for path in files.aicpu if (one := self._read(path, _one_round))]
        if rounds:
            self.aicpu = AicpuProfile.joined(rounds, findings)

    def _read(self, path: Path | None, read: Callable[[Opened, Findings], T]) -> T | None:
        if path is None:
            return None
        try:
            result = read(opened(path, self._name), self._findings)
        except InputError as error:
            self._findings.add("unreadable-file", 1, [f"{path.name}: {error.problem}"])
            return None
        self.used.append(path.name.removesuffix(".gz"))
        return result


def _one_round(source: Opened, findings: Findings) -> AicpuProfile:
    return read_aicpu(source, findings)


def _phases(
    aicpu: AicpuProfile | None, mhz: int, zero: int, end: int, same: bool, findings: Findings
) -> tuple[Phases, int]:
    """The phases, and the run's zero in ticks: the earliest of ``zero`` and them."""
    if aicpu is None or not aicpu.phases:
        return AicpuProfile([], 0).build(mhz, zero), zero
    if same:
        aicpu = replace(aicpu, phases=[one._replace(mhz=mhz) for one in aicpu.phases])
    near = aicpu.near(mhz, zero, end, _FAR)
    findings.add(
        "unrelated-phase",
        len(aicpu.phases) - len(near.phases),
        [phase.name for phase in aicpu.phases[:1]],
    )
    # the whole tick before a phase that lies between two
    firsts = [phase.start * mhz // phase.mhz for phase in near.phases]
    origin = min([zero, *firsts])
    return near.build(mhz, origin), origin
