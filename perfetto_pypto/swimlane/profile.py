"""PyPTO's raw profile: which core executed which task from which tick to which.

``tilefwk_L1_prof_data.json`` comes from a device, ``_simulate.swim.json`` from the simulator; both
are a list of cores with their tasks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane.findings import EXAMPLES, Findings
from perfetto_pypto.swimlane.model import AI_CPU, HUB, OTHER, Core, Int32s, Int64s
from perfetto_pypto.swimlane.opening import Opened
from perfetto_pypto.swimlane.text import read_list

Integer = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Number = int | float

#: Ticks beyond this are no times (the 2^63 of an empty profile is not); sums stay within 64 bits.
TICK_LIMIT = 2**60

_ENGINES = {"AIC": "AIC", "AIV": "AIV", "AICORE": "AICORE", "HUB": HUB, "AI-CPU": AI_CPU}


class _Sync(Struct, gc=False):
    time: Number
    type: str
    idx: Integer = 0


class _Task(Struct, gc=False):
    taskId: Integer  # noqa: N815
    execStart: Number  # noqa: N815
    execEnd: Number  # noqa: N815
    seqNo: Integer = 0  # noqa: N815
    subGraphId: Integer | None = None  # noqa: N815
    leafIndex: Integer | None = None  # noqa: N815
    completeSeq: Any = None  # noqa: N815
    syncEvents: list[_Sync] | None = None  # noqa: N815


class _Block(Struct, gc=False):
    blockIdx: Annotated[int, Meta(ge=0, le=10**8)]  # noqa: N815
    coreType: str = "Core"  # noqa: N815
    tasks: list[_Task] | None = None


class Sync(NamedTuple):
    """A sync event: ``row`` of the profile, ``place`` among the task's own; tick as in the file."""

    row: int
    place: int
    type: str
    tick: Number


@dataclass(frozen=True, slots=True)
class Profile:
    """The executions, a row each, in file order; those without a possible start are left out.

    cores:      all cores of the file, idle ones included
    core:       index into ``cores``
    seq, task_id: identity
    subgraph:   the file's number of the subgraph (-1: none)
    start, end: ticks; the end is as in the file, so perhaps before the start
    present:    executions in the file
    simulated:  whether the simulator wrote the file
    """

    cores: list[Core]
    core: Int32s
    seq: Int64s
    task_id: Int64s
    subgraph: Int64s
    start: Int64s
    end: Int64s
    sync: list[Sync]
    present: int
    simulated: bool

    def name(self, row: int) -> str:
        """The row's name, for messages."""
        return (
            f"seqNo {self.seq[row]} taskId {self.task_id[row]} on {self.cores[self.core[row]].name}"
        )


def read_profile(source: Opened, findings: Findings) -> Profile:
    """Reads a profile.

    Raises:
        InputError: the file is damaged or breaks the format.
    """
    blocks = read_list(source, _Block, "a PyPTO profile", "pypto_profile", findings)
    cores, core_of = _cores(blocks, findings)
    tasks = [(core_of[at], task) for at, block in enumerate(blocks) for task in block.tasks or ()]
    core = np.array([at for at, _ in tasks], dtype=np.int32)
    seq = np.array([task.seqNo for _, task in tasks], dtype=np.int64)
    task_id = np.array([task.taskId for _, task in tasks], dtype=np.int64)
    if not tasks:
        raise InputError(
            source.path,
            f"holds no task on its {len(blocks)} cores, as after a run that was not recorded",
            "profile the operator again",
        )
    # A static topology numbers its tasks through; PyPTO reads the high half as the seqNo.
    seq, task_id = seq + (task_id >> 32), task_id & 0xFFFFFFFF
    start, good = _ticks([task.execStart for _, task in tasks])
    end, ends = _ticks([task.execEnd for _, task in tasks])
    end = np.where(ends, end, start)

    def named(rows: Int64s) -> list[str]:
        return [
            f"seqNo {seq[row]} taskId {task_id[row]} on {cores[core[row]].name}"
            for row in rows[:EXAMPLES]
        ]

    for code, rows in (
        ("impossible-timestamp", np.flatnonzero(~good)),
        ("impossible-duration", np.flatnonzero(good & ~ends)),
        ("negative-duration", np.flatnonzero(good & ends & (end < start))),
    ):
        findings.add(code, len(rows), named(rows))
    kept = np.flatnonzero(good)
    subgraph = np.array(
        [_first(task.subGraphId, task.leafIndex) for _, task in tasks],
        dtype=np.int64,
    )
    return Profile(
        cores=cores,
        core=core[kept],
        seq=seq[kept],
        task_id=task_id[kept],
        subgraph=subgraph[kept],
        start=start[kept],
        end=end[kept],
        sync=[
            Sync(row, event.idx, event.type, event.time)
            for row, task in enumerate(kept.tolist())
            for event in tasks[task][1].syncEvents or ()
        ],
        present=len(tasks),
        simulated=any(task.completeSeq is not None for _, task in tasks)
        or any(one.engine == HUB for one in cores),
    )


def _first(*numbers: int | None) -> int:
    return next((number for number in numbers if number is not None), -1)


def _cores(blocks: list[_Block], findings: Findings) -> tuple[list[Core], list[int]]:
    """The cores in file order, and the core of each block."""
    index: dict[Core, int] = {}
    core_of = []
    for block in blocks:
        kind = block.coreType
        engine = _ENGINES.get(kind, OTHER)
        if kind in ("AICPU", "AI_CPU"):
            engine = AI_CPU
        name = AI_CPU if engine == AI_CPU else kind
        core = Core(f"{name}_{block.blockIdx + 1}", engine, block.blockIdx + 1)
        if engine == OTHER and core not in index:
            findings.add("unknown-lane", 1, [core.name])
        core_of.append(index.setdefault(core, len(index)))
    return list(index), core_of


def _ticks(values: list[Number]) -> tuple[Int64s, NDArray[np.bool_]]:
    """Ticks as integers, and which of them are possible."""
    column = np.array(values)
    if column.dtype != np.int64:
        good = np.array([abs(one) < TICK_LIMIT for one in values], dtype=bool)
        whole = [round(one) if fits else 0 for one, fits in zip(values, good, strict=True)]
        return np.array(whole, dtype=np.int64), good
    good = (column > -TICK_LIMIT) & (column < TICK_LIMIT)
    return np.where(good, column, 0), good
