"""A run on its way into the trace processor: facts, and what SQL finds in them, as packets."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from perfetto.trace_processor import TraceProcessor

from perfetto_pypto import engine as engines
from perfetto_pypto.alongside import MANY_TASKS, Forked, on_thread
from perfetto_pypto.engine.source import Pieces
from perfetto_pypto.predict import Prediction, predict
from perfetto_pypto.sql import with_package
from perfetto_pypto.swimlane.model import Swimlane
from perfetto_pypto.trace.check import check_load
from perfetto_pypto.trace.facts import write_facts
from perfetto_pypto.trace.flows import MAX_A_SLICE, NO_EDGES, NONE, Ids, draw
from perfetto_pypto.trace.overlay import (
    begin_engines,
    critical_edges,
    find_shared,
    write_overlay,
)
from perfetto_pypto.trace.stored import is_trace, open_stored
from perfetto_pypto.trace.writer import Packets, chunks_of

#: Tasks shorter than this are small (PyPTO's tuning guide: 10 µs).
_SMALL_TASK_NS = 10_000

_SqlPackages = Mapping[str, str | os.PathLike[str]]


@contextmanager
def held(
    source: str | os.PathLike[str] | Swimlane | TraceProcessor, **options: Any
) -> Iterator[TraceProcessor]:
    """Yields a run in the trace processor; options as `open_run`.

    A run that is open already is used as it is, and left open.
    """
    if isinstance(source, TraceProcessor):
        yield source
        return
    with open_run(source, **options) as tp:
        yield tp


def open_run(
    source: str | os.PathLike[str] | Swimlane,
    *,
    cores: Mapping[str, int] | None,
    small_task_ns: int | None,
    engine: str | None,
    sql_packages: _SqlPackages | None = None,
    bare: bool = True,
    enriched: bool = False,
    metrics_only: bool = False,
) -> TraceProcessor:
    """Opens a run; arguments and errors as `perfetto_pypto.open_trace`.

    ``bare``: with nothing but what the SQL pack reads, in a quarter of the time. ``metrics_only``:
    for all metrics and nothing else; those of a large bare run are prepared on two cores.
    """
    from perfetto_pypto.api import read

    if not isinstance(source, Swimlane):
        if is_trace(source):
            return open_stored(
                source,
                cores=cores,
                small_task_ns=small_task_ns,
                engine=engine,
                sql_packages=sql_packages,
            )
        source = read(source, cores=cores)
    if enriched:
        parts = enrich(
            source, flows="auto", facts_only=False, small_task_ns=small_task_ns, engine=engine
        )
        return _load(list(parts), engine, sql_packages)
    small = small_task_ns or _SMALL_TASK_NS
    predictions = _predictions(source, small)
    on_two_cores = False
    if bare and metrics_only:
        # Here: other commands don't wait for the import.
        from perfetto_pypto.metrics import two_cores

        on_two_cores = two_cores.pays(source, engine)
    facts = write_facts(
        source,
        flows=NONE,
        small_task_ns=small,
        predictions=() if on_two_cores else predictions,
        bare=bare,
    )
    tp = _load([next(facts)], engine, sql_packages, later=facts)
    if on_two_cores:
        with _closed_on_error(tp):
            two_cores.include_modules(tp, predictions)
    return tp


def enrich(
    run: Swimlane,
    *,
    flows: str,
    facts_only: bool,
    small_task_ns: int | None,
    engine: str | None,
) -> Iterator[Packets]:
    """Yields the facts, and what is drawn of the SQL pack's findings in them.

    Arguments and errors as `perfetto_pypto.convert`.
    """
    small = small_task_ns or _SMALL_TASK_NS

    def facts(src: Ids, dst: Ids) -> list[Packets]:
        drawn = draw(run, src, dst, math.inf if flows == "all" else MAX_A_SLICE)
        made = write_facts(run, flows=drawn, small_task_ns=small, predictions=predictions)
        return list(made)

    edges = NO_EDGES if flows == "none" else (run.dependencies.src, run.dependencies.dst)
    if facts_only and flows != "critical":
        predictions = _predictions(run, small)
        yield from facts(*edges)
        return
    # Nothing that is drawn comes from the predictions.
    bare = list(write_facts(run, flows=NONE, small_task_ns=small, predictions=(), bare=True))
    predictions = _predictions(run, small)
    with _load(bare, engine) as tp:
        del bare
        if flows == "critical":
            edges = critical_edges(tp)
        # While the engine finds what the whole overlay needs.
        writing = on_thread(lambda: facts(*edges))
        if facts_only:
            yield from writing.result()
            return
        find_shared(tp)
        whole = writing.result()  # a process with a thread at work would not be copied
        del writing
        engines = begin_engines(run, tp)
        while whole:  # let go as soon as they are taken: they are most of the trace
            yield whole.pop(0)
        yield from write_overlay(run, tp, engines)


def _predictions(run: Swimlane, small_task_ns: int) -> Iterable[Prediction]:
    """What `predict` says, which the writer of the facts asks for last."""
    large = len(run.tasks) >= MANY_TASKS
    return _made_by(Forked(lambda: predict(run, small_task_ns), worth=large))


def _made_by(forked: Forked[list[Prediction]]) -> Iterator[Prediction]:
    yield from forked.result()


def _load(
    parts: Sequence[Packets],
    engine: str | None,
    sql_packages: _SqlPackages | None = None,
    *,
    later: Iterable[Packets] = (),
) -> TraceProcessor:
    """Opens packets, and compares what the engine has with what was written.

    ``later``: a few more, which may be in the making while the engine reads the others.
    """
    written = list(parts)

    def chunks() -> Iterator[bytes]:
        yield from chunks_of(parts)
        for part in later:
            written.append(part)
            yield from part.chunks

    pieces = Pieces(chunks(), sum(map(len, chunks_of(parts))))
    tp = engines.open_trace(pieces, engine=engine, sql_packages=with_package(sql_packages))
    with _closed_on_error(tp):
        check_load(tp, *written)
    return tp


@contextmanager
def _closed_on_error(tp: TraceProcessor) -> Iterator[None]:
    try:
        yield
    except BaseException:
        tp.close()
        raise
