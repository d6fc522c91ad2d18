"""Reads what the AICPU alone recorded: its stamps, or the Chrome trace that PyPTO makes of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane import sidelines
from perfetto_pypto.swimlane.aicpu import AicpuProfile, read_aicpu
from perfetto_pypto.swimlane.clock import Timeline, infer_mhz
from perfetto_pypto.swimlane.collect import Collector
from perfetto_pypto.swimlane.decode import batches
from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.lanes import count_cores
from perfetto_pypto.swimlane.model import (
    Dependencies,
    Finding,
    Phases,
    Source,
    Strings,
    Swimlane,
    SyncEvents,
    Tasks,
)
from perfetto_pypto.swimlane.names import PYPTO_AICPU, PYPTO_AICPU_TRACE
from perfetto_pypto.swimlane.opening import Opened

_REMEDY = "profile the operator again"


def read_stamps(source: Opened, cores: Mapping[str, int] | None) -> Swimlane:
    """Reads a ``machine_trace_perf_data_<round>.json``.

    Raises:
        InputError: the file is damaged, breaks the format or holds no phase.
    """
    return from_stamps(source, [source], cores)


def from_stamps(source: Opened, rounds: list[Opened], cores: Mapping[str, int] | None) -> Swimlane:
    """Reads the stamps of several rounds; ``source`` is what the user named."""
    findings = Findings()
    profile = AicpuProfile.joined([read_aicpu(one, findings) for one in rounds], findings)
    if not profile.phases:
        raise InputError(source.path, "holds no AICPU phase", _REMEDY)
    stated = profile.phases[0].mhz
    mhz = source.clock_mhz or stated
    phases = [one._replace(mhz=mhz) if one.mhz == stated else one for one in profile.phases]
    profile = AicpuProfile(phases, profile.present)
    origin = min(phase.start * mhz // phase.mhz for phase in profile.phases)
    known_from = "--clock" if source.clock_mhz else "freq of the AICPU's stamps"
    if mhz != stated:
        findings.add("suspected-clock", 1, [f"freq of the AICPU's stamps: {stated} MHz"])
    files = ", ".join(one.file.name.removesuffix(".gz") for one in rounds if one.file)
    phases_built = profile.build(mhz, origin)
    clock = (mhz, known_from, Timeline(mhz, origin).origin_us)
    present = {"phases": profile.present}
    return _swimlane(
        source, PYPTO_AICPU, f"device; {files}", clock, phases_built, findings, present, cores
    )


def read_trace(source: Opened, cores: Mapping[str, int] | None) -> Swimlane:
    """Reads a ``machine_runtime_operator_trace_<round>.json``.

    Raises:
        InputError: the file is damaged, breaks the format or holds no phase.
    """
    findings = Findings()
    raw = Collector(findings)
    for batch in batches(source, findings):
        raw.add(batch)
    phases = sidelines.choose_phases(raw, np.ones(len(raw.slices.ts), dtype=bool))
    if not len(phases.start_us):
        raise InputError(source.path, "holds no AICPU phase", _REMEDY)
    mhz = infer_mhz([phases.start_us, phases.end_us])
    timeline = Timeline.of(mhz, [phases.start_us], source.clock_mhz or 0)
    known_from = "inferred from the stamps" if mhz else "no known clock fits the stamps"
    clock = (
        source.clock_mhz or mhz,
        "--clock" if source.clock_mhz else known_from,
        timeline.origin_us,
    )
    present = {"phases": phases.present}
    return _swimlane(
        source,
        PYPTO_AICPU_TRACE,
        "device",
        clock,
        phases.build(timeline),
        findings,
        present,
        cores,
    )


def _swimlane(
    source: Opened,
    kind: str,
    layout: str,
    clock: tuple[int, str, str],
    phases: Phases,
    findings: Findings,
    present: dict[str, int],
    cores: Mapping[str, int] | None,
) -> Swimlane:
    findings.add("only-aicpu")
    counts, counts_from = count_cores([], cores, "no core in the file", source.path)
    found: list[Finding] = findings.all()
    return Swimlane(
        name=source.name,
        source=Source(
            path=source.path,
            format=kind,
            layout=layout,
            clock_hz=clock[0] * 1_000_000,
            clock_from=clock[1],
            origin_us=clock[2],
            core_counts=counts,
            core_counts_from=counts_from,
        ),
        cores=[],
        tasks=_no_tasks(),
        dependencies=Dependencies(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32)),
        counters=[],
        phases=phases,
        sync_events=SyncEvents(
            np.zeros(0, dtype=np.int32),
            np.zeros(0, dtype=np.int64),
            Strings.of([]),
            np.zeros(0, dtype=np.int64),
        ),
        findings=found,
        present={"tasks": 0, "dependencies": 0, "counters": 0, "sync_events": 0, **present},
    )


def _no_tasks() -> Tasks:
    numbers = np.zeros(0, dtype=np.int64)
    texts = Strings.of([])
    return Tasks(
        core=np.zeros(0, dtype=np.int32),
        start=numbers,
        end=numbers,
        seq=numbers,
        func=numbers,
        op=numbers,
        task_id=numbers,
        root_index=numbers,
        psg_id=numbers,
        call_op_magic=numbers,
        wrap_id=numbers,
        root_hash=texts,
        leaf_hash=texts,
        label=texts,
        hash_order=texts,
        execution_hint=texts,
        inputs=texts,
        outputs=texts,
        extra=texts,
    )
