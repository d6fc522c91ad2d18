"""A run drawn as text, for tests that read as pictures.

    AIC_1: a 0-10, b 12-20
    AIV_1: c 21-30@1
    HUB_1: h 20-20
    a -> c
    b -> h -> c

A line per lane; a task is ``name start-end`` in ns, ``@1`` puts it into device task 1. Its name
without trailing digits is its label and subgraph: ``a1`` and ``a2`` are isomorphic. Tasks get
their dense ids in the order of the text.

A bubble_analysis.log is drawn by a line per core: ``AIC_1 2: 20 9 9 0`` is its task count, then
total work, total wait, wait schedule and wait predecessor in ns.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from perfetto_pypto.swimlane.model import (
    AI_CPU,
    HUB,
    OTHER,
    Core,
    Dependencies,
    Finding,
    LogCore,
    Phases,
    Source,
    Strings,
    Swimlane,
    SyncEvents,
    Tasks,
)

_TASK = re.compile(r"(\w+) (\d+)-(\d+)(?:@(\d+))?")


def swimlane(
    text: str,
    *,
    cores: dict[str, int] | None = None,
    findings: tuple[Finding, ...] = (),
    log: str = "",
) -> Swimlane:
    """Parses a drawing; ``cores`` overrides the counted lanes."""
    lanes: list[Core] = []
    names: list[str] = []
    rows: list[tuple[int, int, int, int]] = []
    edges: set[tuple[int, int]] = set()
    for line in filter(None, map(str.strip, text.splitlines())):
        if "->" in line:
            chain = [names.index(name.strip()) for name in line.split("->")]
            edges.update(pairwise(chain))
            continue
        lane, _, tasks = line.partition(":")
        lanes.append(_core(lane.strip()))
        for name, start, end, seq in _TASK.findall(tasks):
            names.append(name)
            rows.append((len(lanes) - 1, int(start), int(end), int(seq or 0)))
    core, start, end, seq = (
        np.array(column, dtype=np.int64)
        for column in (zip(*rows, strict=True) if rows else [()] * 4)
    )
    count = len(rows)
    numbers = np.arange(count, dtype=np.int64)
    constant = np.zeros(count, dtype=np.int64)
    labels = Strings.of([name.rstrip("0123456789") for name in names])
    absent = Strings.of([None] * count)
    sorted_edges = sorted(edges, key=lambda edge: (edge[1], edge[0]))
    counts: dict[str, int] = {}
    for lane_core in lanes:
        if lane_core.engine not in (HUB, AI_CPU, OTHER):
            counts[lane_core.engine] = counts.get(lane_core.engine, 0) + 1
    return Swimlane(
        name="drawing",
        source=Source(
            "drawing", "drawing", "text", 0, "drawn", "0", cores or counts, "lanes of the drawing"
        ),
        cores=lanes,
        tasks=Tasks(
            core=core.astype(np.int32),
            start=start,
            end=end,
            seq=seq,
            func=constant,
            op=numbers,
            task_id=numbers,
            root_index=constant,
            psg_id=constant,
            call_op_magic=constant - 1,
            wrap_id=constant - 1,
            root_hash=absent,
            leaf_hash=labels,
            label=labels,
            hash_order=absent,
            execution_hint=absent,
            inputs=absent,
            outputs=absent,
            extra=absent,
        ),
        dependencies=Dependencies(
            np.array([src for src, _ in sorted_edges], dtype=np.int32),
            np.array([dst for _, dst in sorted_edges], dtype=np.int32),
        ),
        counters=(),
        phases=Phases(Strings.of([]), Strings.of([]), *(np.array([], dtype=np.int64),) * 4),
        sync_events=SyncEvents(
            np.array([], dtype=np.int32),
            np.array([], dtype=np.int64),
            Strings.of([]),
            np.array([], dtype=np.int64),
        ),
        findings=findings,
        log=[_logged(line) for line in filter(None, map(str.strip, log.splitlines()))],
    )


def _logged(line: str) -> LogCore:
    head, _, figures = line.partition(":")
    core, count = head.split()
    return LogCore(core, int(count), *map(int, figures.split()))


def _core(name: str) -> Core:
    kind, _, number = name.rpartition("_")
    engine = {"HUB": HUB, "Fake Core": HUB, "AI-CPU": AI_CPU, "lane": OTHER}.get(kind, kind)
    return Core(name, engine, int(number))
