"""A wrong formula never passes: each mutant of the SQL pack gives another number somewhere.

The true pack is proved against the oracle on the same kinds of runs, so a mutant that differs from
the true pack on any of them fails that proof.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings

import perfetto_pypto as pp
from perfetto_pypto.engine import open_trace, query_columns
from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.metrics import compute
from perfetto_pypto.predict import predict
from perfetto_pypto.sql import PACKAGE, package_dir
from perfetto_pypto.swimlane.model import Swimlane
from perfetto_pypto.trace import flows
from perfetto_pypto.trace.facts import write_facts
from perfetto_pypto.trace.writer import chunks_of
from tests.drawing import swimlane
from tests.mutation.mutants import MUTANTS
from tests.paths import TRACES
from tests.strategies import runs, scheduled_runs, to_swimlane

#: Drawings for mistakes that random runs seldom show.
DRAWINGS = (
    # four subgraphs to fuse: the three with the most tasks count; one large one
    """
    AIV_1: a1 0-5, a2 6-9, a3 10-12, a4 14-19, b1 20-22, b2 23-25, b3 26-28
    AIV_2: c1 0-5, c2 6-9, d1 10-12, d2 14-19, d3 20-22, d4 23-25, d5 26-28
    AIC_1: z1 0-20000, z2 20005-40005, z3 40010-60010
    """,
    # drag with a detour, an AI-CPU task, hubs in a chain
    """
    AIC_1: a 0-10, b 10-16, d 40-45
    AIV_1: c 12-30, e 50-60
    AI-CPU_1: p 31-34
    HUB_1: h 36-36, i 37-38
    a -> b -> d
    a -> c -> p -> d
    c -> h -> i -> e
    """,
    # a task that starts when one of the two before it ends, the other going on
    "AIC_1: a 0-30, b 5-10, c 10-40",
    # a way around three bottlenecks
    """
    AIC_1: a 0-10, b 10-20, c 20-30, d 30-40, e 40-50
    AIV_1: x 0-35
    a -> b -> c -> d -> e
    x -> e
    """,
    # a task without length at its producer's end; a producer that ends after its consumer starts
    """
    AIC_1: a 0-10, d 10-10
    AIV_1: b 5-15
    AIV_2: c 12-40
    a -> d
    a -> c
    b -> c
    """,
    # a cycle that a scan enters and leaves: it reaches every node
    """
    AIC_1: a 0-10, b 10-20
    AIV_1: c 0-5
    b -> a
    b -> c
    a -> c
    c -> a
    """,
    # the task before on the core is not the one that ended last
    "AIV_1: a 5-30, b 6-10, c 40-60",
    # a hub before the first task
    """
    AIC_1: a 5-10, b 12-20
    HUB_1: h 2-3
    h -> a
    """,
    # the same task twice behind one consumer, device tasks out of order
    """
    AIV_1: a 20-30@2, b 0-10@5, c 31-40@3
    AIV_2: d 2-9@5, e 12-18@2
    a -> c
    """,
)

#: Tasks that overlap on their core, groups that overlap, predecessors that end after their consumer
#: starts, a task of exactly 10 µs, a start before the first task; and a log of it.
OVERLAPS = """
    AIC_1: a 5-25, b 10-15, c 20-35, d 36-45
    AIC_2: o 40-42, q 6-8
    AIV_1: e 7-19, f 8-10@2, g 50-50@2, k 60-10060
    AIV_2: i 12-12, j 40-44@3, m 100-200
    AIV_3: n 18-22
    AIV_4: s 5-30, u 6-10, v 10-12, w 12-40
    HUB_1: h 0-1, l 30-31
    AI-CPU_1: p 46-48
    h -> a -> f
    c -> b
    e -> l -> d -> p -> g
    e -> n -> j
    b -> o
"""
LOG_OF_OVERLAPS = (
    "AIC_1 4: 48 1 1 0\nAIC_2 2: 45 40 30 10\nAIV_1 4: 10060 50 40 10\nAIV_4 4: 40 9 8 1"
)

#: For mistakes about a log beside the input: a run, and what logs may print of it.
LOGGED = """
    AIC_1: a 0-1000, b 1200-2000
    AIV_1: c 400-800
    AIV_2: d 500-900
    AIV_3:
"""
LOGS = (
    # rounded as far as may be; one core's longer span; other tasks; idle cores that only one has
    """
    AIC_1 2: 2003 205 195 0
    AIV_1 1: 850 450 450 0
    AIV_2 2: 900 500 500 0
    AIV_8 0: 0 0 0 0
    """,
    # off by nearly nothing, but more than rounding
    "AIC_1 2: 2004 200 200 0\nAIV_1 1: 800 400 400 0\nAIV_2 1: 900 500 500 0",
    # a lost start, in waits of both kinds
    "AIC_1 2: 2050 250 250 0\nAIV_1 1: 849 449 400 49\nAIV_2 1: 950 550 500 50",
)


def collected(strategy: Any, count: int) -> list[Any]:
    """The first examples of a strategy; always the same ones."""
    found: list[Any] = []

    @settings(max_examples=count, phases=[Phase.generate], derandomize=True, database=None)
    @given(strategy)
    def collect(run: Any) -> None:
        found.append(run)

    collect()
    return found


def samples() -> Iterator[Swimlane]:
    yield from (swimlane(drawing) for drawing in DRAWINGS)
    yield from (swimlane(LOGGED, log=log) for log in LOGS)
    yield swimlane(OVERLAPS, log=LOG_OF_OVERLAPS)
    yield pp.read(TRACES / "ffn_device_aicpu" / "merged_swimlane.json.gz")
    yield pp.read(TRACES / "softmax_stitch8" / "merged_swimlane.json.gz")
    for run in collected(runs(), 25) + collected(scheduled_runs(), 10):
        yield to_swimlane(run)
    for run in collected(runs(cycles=True), 10):
        yield to_swimlane(run, {"AIC": 6})


def answers(chunks: list[bytes], package: Path) -> Any:
    """All metrics, findings, slack and bubbles that a pack gives; its error if it breaks."""
    try:
        with open_trace(chunks, sql_packages={PACKAGE: package}) as tp:
            metrics = compute(tp)
            query_columns(tp, f"INCLUDE PERFETTO MODULE {PACKAGE}.slack")
            slack = query_columns(tp, "SELECT id, slack, drag FROM pypto_slack")
            bubbles = query_columns(tp, "SELECT core, ts, dur, cause, blocked_by FROM pypto_bubble")
            rows = [list(column) for table in (slack, bubbles) for column in table.values()]
            parts = (metrics.metrics, metrics.findings, metrics.log)
            return [*(sorted(map(str, part)) for part in parts), rows]
    except PyptoPerfettoError as error:
        return str(error)


@pytest.fixture(scope="module")
def truth() -> list[tuple[list[bytes], Any]]:
    """Each sample with the true pack's answers."""
    packets = [
        write_facts(
            run,
            flows=flows.NONE,
            small_task_ns=10_000,
            predictions=predict(run, 10_000),
            bare=number % 2 == 0,  # with columns, or with slices
        )
        for number, run in enumerate(samples())
    ]
    traces = [list(chunks_of(parts)) for parts in packets]
    return [(chunks, answers(chunks, package_dir())) for chunks in traces]


def name(mutant: tuple[str, str, str]) -> str:
    return f"{mutant[0]}-{' '.join(mutant[2].split())[:60]}"


@pytest.mark.parametrize("mutant", MUTANTS, ids=name)
def test_a_wrong_formula_is_noticed(tmp_path, truth, mutant):
    module, right, wrong = mutant
    package = tmp_path / "sql"
    shutil.copytree(package_dir(), package)
    file = package / f"{module}.sql"
    text = file.read_text(encoding="utf-8")
    assert text.count(right) == 1, f"{module}.sql changed: write this mutant anew"
    file.write_text(text.replace(right, wrong), encoding="utf-8")
    assert any(answers(chunks, package) != expected for chunks, expected in truth)
