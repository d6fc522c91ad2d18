"""Reads PyPTO's ``merged_swimlane.json``."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane import checks, flows, layout, sidelines, tasks
from perfetto_pypto.swimlane.clock import CLOCKS_MHZ, Timeline, infer_mhz
from perfetto_pypto.swimlane.collect import Collector, collection_paused, read_whole
from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.lanes import count_cores, name_cores
from perfetto_pypto.swimlane.model import HUB, Core, Int32s, Source, Swimlane
from perfetto_pypto.swimlane.names import PYPTO_MERGED
from perfetto_pypto.swimlane.opening import Opened
from perfetto_pypto.swimlane.parts import read_parts

_RERUN = "profile the operator again and pass the new merged_swimlane.json"

#: How far apart a wrong divisor sets two views of one run, and how exactly: a run is short beside
#: the time since the machine was started.
_FACTORS = tuple({a / b for a in CLOCKS_MHZ for b in CLOCKS_MHZ if a > b})
_NEAR = 1e-3


def read_merged(source: Opened, cores: Mapping[str, int] | None) -> Swimlane:
    """Reads a merged swimlane.

    Args:
        source: the opened file.
        cores: the user's core counts.

    Raises:
        InputError: the file is damaged, breaks the format or holds no executed task.
        PyptoPerfettoError: ``cores`` contradicts the file.
    """
    findings = Findings()
    with collection_paused():
        raw = read_parts(source, findings) or read_whole(source, findings)

    kept = tasks.choose(raw)
    _demand_tasks(source.path, raw, kept)
    phases = sidelines.choose_phases(raw, kept.is_phase)
    counters = sidelines.choose_counters(raw)
    sync = sidelines.choose_sync(raw, kept.rows)

    mhz = infer_mhz([kept.start_us, kept.end_us])
    whole = mhz > 0 and source.clock_mhz is not None and checks.all_whole(kept.start_us)
    if source.clock_mhz is None:
        _suspect(kept, phases, findings)
    timeline = Timeline.of(
        1 if whole else mhz,
        [kept.start_us, phases.start_us, sync.time_us, *(c.ts_us for c in counters)],
        source.clock_mhz or 0,
    )
    all_cores, core = _place(raw, kept)
    is_hub = np.array([one.engine == HUB for one in all_cores])[core]
    if is_hub.all():
        raise InputError(
            source.path, f"holds no executed task, only {len(is_hub)} hub tasks", _RERUN
        )
    table = tasks.build(raw, kept, timeline, core, all_cores)
    names = [one.name for one in all_cores]
    checks.check(table, is_hub, names, kept.start_us, kept.end_us, findings)
    edges = flows.connect(raw, kept, timeline)
    simulated = layout.is_simulated(mhz, all_cores)
    counts, counts_from = count_cores(
        all_cores, cores, layout.lanes_are(simulated=simulated), source.path
    )
    return Swimlane(
        name=source.name,
        source=Source(
            path=source.path,
            format=PYPTO_MERGED,
            layout=layout.describe(raw, edges.offset_us, simulated=simulated),
            clock_hz=(mhz and (source.clock_mhz or mhz)) * 1_000_000,
            clock_from=_clock_from(source.clock_mhz, mhz),
            origin_us=timeline.origin_us,
            core_counts=counts,
            core_counts_from=counts_from,
        ),
        cores=all_cores,
        tasks=table,
        dependencies=edges.dependencies,
        counters=[counter.build(timeline) for counter in counters],
        phases=phases.build(timeline),
        sync_events=sync.build(timeline),
        findings=findings.all(),
        present={
            "tasks": kept.count,
            "dependencies": edges.present,
            "counters": len(raw.counts.ts),
            "phases": phases.present,
            "sync_events": len(raw.slices.sync),
        },
    )


def _suspect(kept: tasks.Kept, phases: sidelines.RawPhases, findings: Findings) -> None:
    """Compares the tasks' times with the AICPU's: PyPTO divides them by different numbers."""
    if not len(kept.start_us) or not len(phases.start_us):
        return
    ours, theirs = float(np.median(kept.start_us)), float(np.median(phases.start_us))
    if min(ours, theirs) <= 0:
        return
    factor = max(ours, theirs) / min(ours, theirs)
    if any(abs(factor / one - 1) < _NEAR for one in _FACTORS):
        words = f"tasks are at {ours:.4g} µs, the AICPU's phases at {theirs:.4g} µs"
        findings.add("suspected-clock", 1, [f"{words}: {factor:.0f} times"])


def _clock_from(asked: int | None, mhz: int) -> str:
    if not mhz:
        return "no known clock fits the stamps"
    return "inferred from the stamps" if asked is None else "--clock"


def _demand_tasks(path: str, raw: Collector, kept: tasks.Kept) -> None:
    if not kept.count:
        raise InputError(path, "holds no task", _RERUN)
    if not len(kept.rows):
        first = raw.slices.ts[int(np.flatnonzero(~kept.is_phase)[0])]
        raise InputError(
            path,
            f"holds no executed task: none of its {kept.count} tasks has a possible time"
            f" (the first is at {first:.0f} µs), as after an empty profile",
            _RERUN,
        )


def _place(raw: Collector, kept: tasks.Kept) -> tuple[list[Core], Int32s]:
    """The cores, and the core of each kept task."""
    aicpu = sidelines.aicpu_pids(raw)
    named = {lane: name for lane, name in raw.threads.items() if lane[0] not in aicpu}
    keys = list(raw.lanes)
    used = {keys[lane]: int(count) for lane, count in enumerate(np.bincount(kept.lane)) if count}
    cores, core_of = name_cores(named, used, raw.findings)
    return cores, np.array([core_of.get(key, -1) for key in keys], dtype=np.int32)[kept.lane]
