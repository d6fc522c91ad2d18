"""The one model that every reader gives: a run as columns.

A task is a row; its index is its dense id (0 … n-1, in file order) everywhere: in
``Dependencies``, in the trace and in SQL. Times are integer nanoseconds from the
earliest event of the run, which ``Source.origin_us`` places on the file's own clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Doubles = NDArray[np.float64]

#: Lanes that are no AI cores: their tasks count as no work of a core.
HUB = "HUB"
AI_CPU = "AI-CPU"
OTHER = "OTHER"
NOT_A_CORE = frozenset({HUB, AI_CPU, OTHER})


@dataclass(frozen=True, slots=True)
class Strings:
    """A column of repeated strings: ``values[codes[row]]``; code -1 is an absent value.

    A run of 100k tasks has 60 different labels and shapes: the readers keep each text once.
    """

    codes: Int32s
    values: list[str]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str | None:
        code = int(self.codes[row])
        return None if code < 0 else self.values[code]

    @classmethod
    def of(cls, rows: Iterable[str | None]) -> Strings:
        """Builds the column from one string (or None) a row."""
        index: dict[str, int] = {}
        codes = [-1 if row is None else index.setdefault(row, len(index)) for row in rows]
        return cls(np.array(codes, dtype=np.int32), list(index))


@dataclass(frozen=True, slots=True)
class Core:
    """A lane of the file, its overlap lanes merged into it.

    ``engine`` is AIC, AIV or AICORE for cores; HUB and AI-CPU lanes are kept, but are no cores.
    """

    name: str
    engine: str
    number: int


@dataclass(frozen=True, slots=True)
class Tasks:
    """One row a task or hub, in file order.

    core:        index into ``Swimlane.cores``
    start, end:  ns, ``end >= start``
    seq, func, op: the ``[seq-func-op]`` of the task's name
    task_id:     the file's own taskId (0 for every task of a static topology)
    root_index, psg_id: the root function's index and the subgraph's number inside it (-1: unknown)
    call_op_magic, wrap_id: -1 where the file has none
    root_hash, leaf_hash, label, hash_order, execution_hint: text, absent where the file has none
    inputs, outputs: one line per tensor, joined by newline: ``128x128 fp32 (tensor 3345)``
    extra:       JSON text of whatever else the event carried (unknown args, unparsable hints)
    dispatch, finish: when the AICPU handed the task to its core and when it noticed the end (ns,
        -1: not recorded); None where the file has no such times at all
    source_line: where in the user's code the task's operations stand: ``kernel.py:42``; None where
        no compiled program was read
    token:       the file's own id of the task where that is not seq-func-op: ``r1t3``. Executions
        of one task on several cores share it; each is a row of its own
    """

    core: Int32s
    start: Int64s
    end: Int64s
    seq: Int64s
    func: Int64s
    op: Int64s
    task_id: Int64s
    root_index: Int64s
    psg_id: Int64s
    call_op_magic: Int64s
    wrap_id: Int64s
    root_hash: Strings
    leaf_hash: Strings
    label: Strings
    hash_order: Strings
    execution_hint: Strings
    inputs: Strings
    outputs: Strings
    extra: Strings
    dispatch: Int64s | None = None
    finish: Int64s | None = None
    token: Strings | None = None
    source_line: Strings | None = None

    def __len__(self) -> int:
        return len(self.core)

    def subgraphs(self) -> list[str]:
        """The isomorphic subgraph of each row: its leaf hash, else ``<root index>-<psg id>``."""
        hashes = self.leaf_hash.values
        return [
            hashes[code] if code >= 0 else f"{root}-{psg}"
            for code, root, psg in zip(
                self.leaf_hash.codes.tolist(),
                self.root_index.tolist(),
                self.psg_id.tolist(),
                strict=True,
            )
        ]


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Distinct edges ``src -> dst`` (dense task ids, hubs included), sorted by (dst, src)."""

    src: Int32s
    dst: Int32s

    def __len__(self) -> int:
        return len(self.src)


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter track of the file: one value from each ``ts`` (ns) on."""

    name: str
    ts: Int64s
    value: Doubles


@dataclass(frozen=True, slots=True)
class Phases:
    """AICPU control phases: ``PHASE_<round>(<device task>)`` slices of the AICPU view."""

    thread: Strings
    name: Strings
    start: Int64s
    end: Int64s
    round: Int64s
    dev_task: Int64s

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True, slots=True)
class SyncEvents:
    """Cube-vector synchronisation events: ``CV_SYNC_SET`` and ``CV_SYNC_WAIT`` inside a task."""

    task: Int32s
    ts: Int64s
    type: Strings
    event_id: Int64s

    def __len__(self) -> int:
        return len(self.ts)


@dataclass(frozen=True, slots=True)
class PipeSpans:
    """What the pipes inside the cores (CUBE, MTE1, …) executed: one row an operation.

    core:    index into ``Swimlane.cores``
    start, end: ns, ``end >= start``
    name:    the operation's code: ``A_MUL_B``
    tile_op: the simulator's whole line on it, operands included
    """

    core: Int32s
    pipe: Strings
    start: Int64s
    end: Int64s
    name: Strings
    tile_op: Strings

    def __len__(self) -> int:
        return len(self.start)

    @classmethod
    def none(cls) -> PipeSpans:
        """No spans: most runs record none."""
        empty = np.zeros(0, dtype=np.int64)
        texts = Strings.of([])
        return cls(np.zeros(0, dtype=np.int32), texts, empty, empty, texts, texts)


@dataclass(frozen=True, slots=True)
class LogCore:
    """A core as PyPTO's bubble_analysis.log prints it; times in ns, negative ones are the log's."""

    core: str
    task_count: int
    core_total_work: int
    total_wait: int
    wait_schedule: int
    wait_predecessor: int


@dataclass(frozen=True, slots=True)
class Finding:
    """Something dropped, moved, repaired or suspicious, with how often and where.

    code:     stable, kebab-case: ``duplicate-dependency``
    severity: ``info``, ``warning`` or ``error``
    message:  one sentence for people, without the count
    examples: up to three places, e.g. task names
    """

    code: str
    severity: str
    message: str
    count: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """Where the run came from and how its numbers are to be read.

    format:      ``pypto-merged`` …
    layout:      the version of the layout as far as the file shows it, for people
    clock_hz:    counter frequency that the stamps fit (0: none of the known clocks)
    clock_from:  how it is known, for people: ``inferred from the stamps``
    origin_us:   the file's own time of our 0, in µs, as decimal text (exact)
    core_counts: engine -> number of cores m_k used in every ratio
    core_counts_from: ``--cores``, file metadata, or lanes seen
    """

    path: str
    format: str
    layout: str
    clock_hz: int
    clock_from: str
    origin_us: str
    core_counts: dict[str, int]
    core_counts_from: str


@dataclass(frozen=True, slots=True)
class Swimlane:
    """One operator run.

    ``present`` counts what the file held, kind by kind (tasks, dependencies, counters, phases,
    sync_events, pipe_spans), for the balance ``imported + reported = present``: what was imported
    is counted from the columns, what was not is in the findings.
    ``log`` is what a bubble_analysis.log beside the input prints; empty without one.
    """

    name: str
    source: Source
    cores: Sequence[Core]
    tasks: Tasks
    dependencies: Dependencies
    counters: Sequence[Counter]
    phases: Phases
    sync_events: SyncEvents
    findings: Sequence[Finding]
    present: dict[str, int] = field(default_factory=dict)
    pipe_spans: PipeSpans = field(default_factory=PipeSpans.none)
    log: Sequence[LogCore] = ()
