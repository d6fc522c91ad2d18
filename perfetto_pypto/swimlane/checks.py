"""Looks for what is odd among the tasks, without changing them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from perfetto_pypto.swimlane.columns import shared, sorted_by
from perfetto_pypto.swimlane.findings import EXAMPLES, Findings
from perfetto_pypto.swimlane.model import Doubles, Int32s, Int64s, Tasks

#: With fewer tasks it is no wonder that every stamp is a whole number.
_ENOUGH_TASKS = 10

#: Makes one number of several, modulo 2^64: hardly ever the same one of different numbers.
_MIX = 0x5851F42D4C957F2D


def check(
    tasks: Tasks,
    is_hub: NDArray[np.bool_],
    core_names: list[str],
    start_us: Doubles,
    end_us: Doubles,
    findings: Findings,
) -> None:
    """Reports tasks without length, of one identity, overlapping or unsorted on their core."""

    def report(code: str, rows: Int64s) -> None:
        examples = [
            f"{tasks.seq[t]}-{tasks.func[t]}-{tasks.op[t]} on {core_names[tasks.core[t]]}"
            for t in rows[:EXAMPLES]
        ]
        findings.add(code, len(rows), examples)

    report("zero-duration", np.flatnonzero(end_us == start_us))
    report("duplicate-task-id", _same_identity(tasks))
    real = np.flatnonzero(~is_hub)
    core, start, end = tasks.core[real], tasks.start[real], tasks.end[real]

    by_core = np.argsort(core, kind="stable")
    back = (core[by_core][1:] == core[by_core][:-1]) & (start[by_core][1:] < start[by_core][:-1])
    report("unsorted-tasks", real[by_core[1:][back]])

    report("overlapping-tasks", real[overlapping(core, start, end)])

    if all_whole(start_us[real]):
        findings.add("maybe-cycles", 1)


def all_whole(stamps_us: Doubles) -> bool:
    """Whether so many stamps are whole µs that they hardly are µs."""
    return len(stamps_us) >= _ENOUGH_TASKS and bool(np.all(stamps_us == np.floor(stamps_us)))


def overlapping(core: Int32s, start: Int64s, end: Int64s) -> Int64s:
    """Rows that start before an earlier one on their core has ended, by core and time."""
    by_time = np.lexsort((end, start, core))
    cores = core[by_time].astype(np.int64)
    # Times as ranks: then cores can be set apart by more than any time without an overflow.
    ranks = np.unique(np.concatenate([start, end]), return_inverse=True)[1].reshape(2, -1)
    shift = cores * (2 * len(cores) + 1)
    starts, ends = ranks[0][by_time] + shift, ranks[1][by_time] + shift
    early = (cores[1:] == cores[:-1]) & (starts[1:] < np.maximum.accumulate(ends)[:-1])
    return np.asarray(by_time[1:][early], dtype=np.int64)


def _same_identity(tasks: Tasks) -> Int64s:
    """Tasks whose seq-func-op an earlier task has."""
    rows = shared((tasks.seq * _MIX + tasks.func) * _MIX + tasks.op)
    order, same = sorted_by(rows, (tasks.op, tasks.func, tasks.seq))
    same &= tasks.op[order][1:] >= 0
    return np.sort(order[1:][same])
