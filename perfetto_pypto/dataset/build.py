"""Builds a data set, or goes on with one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

import msgspec

from perfetto_pypto.dataset import METRICS
from perfetto_pypto.dataset.index import Entry, merge, read_index, write_index
from perfetto_pypto.dataset.pools import run_all
from perfetto_pypto.dataset.sources import expand
from perfetto_pypto.dataset.stored import entries_of
from perfetto_pypto.dataset.work import Outcome, Work, failure, measure
from perfetto_pypto.engine.choice import choose
from perfetto_pypto.errors import InputError, PyptoPerfettoError
from perfetto_pypto.files import write_atomically


@dataclass(frozen=True, slots=True)
class Step:
    """One run is finished: the ``finished``-th of ``total``."""

    finished: int
    total: int
    entry: Entry


@dataclass(frozen=True, slots=True)
class Batch:
    """What a batch did; an entry per input run, in the order of the inputs.

    computed: runs that were measured now
    skipped:  runs that were there already
    failed:   runs that could not be measured, with the reason
    """

    folder: str
    computed: list[Entry]
    skipped: list[Entry]
    failed: list[Entry]


def build(
    inputs: Iterable[str],
    output: Path,
    *,
    executor: str,
    jobs: int | None,
    cores: dict[str, int] | None,
    clock_mhz: int | None,
    small_task_ns: int | None,
    engine: str | None,
    on_step: Callable[[Step], None] | None,
) -> Batch:
    """See `perfetto_pypto.batch`."""
    if (choice := choose(engine)).kind == "server":
        raise PyptoPerfettoError(
            f"--trace-processor {choice.where}: a running server holds one trace, a batch "
            "loads several at once; give embedded or a binary"
        )
    sources = expand(inputs)
    try:
        (output / METRICS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"can't be made ({error.strerror})"
        raise InputError(output, problem, "choose another folder with -o") from error
    tool = version("pypto-perfetto")
    given = {"cores": cores, "clock_mhz": clock_mhz, "small_task_ns": small_task_ns}
    options = msgspec.json.encode(given, order="sorted").decode()
    before, known = read_index(output), entries_of(output)
    fresh = {
        run for run, entry in known.items() if (entry.version, entry.options) == (tool, options)
    }
    work = Work(cores, clock_mhz, small_task_ns, engine, tool, options, frozenset(fresh))
    outcomes: dict[str, Outcome] = {}
    results = run_all(partial(measure, work), sources, executor, jobs)
    try:
        with closing(results):
            for source, result in results:
                if isinstance(result, Exception):
                    outcome = failure(source, f"{source.path}: {result}")
                else:
                    outcome = result
                entry = known[outcome.entry.run] if outcome.was_there else outcome.entry
                if outcome.parquet:
                    write_atomically(output / METRICS / f"{entry.run}.parquet", [outcome.parquet])
                outcomes[source.path] = Outcome(entry, was_there=outcome.was_there)
                if on_step is not None:
                    on_step(Step(len(outcomes), len(sources), entry))
    finally:
        # Also when it is interrupted: what is done is in the index.
        done = [outcomes[one.path] for one in sources if one.path in outcomes]
        now = [outcome.entry for outcome in done]
        write_index(output, merge(before, entries_of(output).values(), now))
    return Batch(
        str(output),
        computed=[one.entry for one in done if one.entry.status == "done" and not one.was_there],
        skipped=[one.entry for one in done if one.was_there],
        failed=[one.entry for one in done if one.entry.status == "failed"],
    )
