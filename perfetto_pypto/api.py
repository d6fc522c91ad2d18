"""The public functions: read, convert, open, compute. Heavy modules load when they are used."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeGuard

if TYPE_CHECKING:
    from perfetto.trace_processor import TraceProcessor

    from perfetto_pypto.compare import Comparison
    from perfetto_pypto.dataset.build import Batch, Step
    from perfetto_pypto.gate import Verdict
    from perfetto_pypto.metrics import Metrics
    from perfetto_pypto.swimlane.model import Swimlane

FlowChoice = Literal["auto", "all", "critical", "none"]
Lang = Literal["en", "zh"]
SqlPackages = Mapping[str, str | os.PathLike[str]]


def read(
    path: str | os.PathLike[str],
    *,
    cores: Mapping[str, int] | None = None,
    clock_mhz: int | None = None,
    run: str | None = None,
) -> Swimlane:
    """Reads a run into columns; every function below takes the result in place of a path.

    Args:
        path: a file that PyPTO wrote, its `output_*` folder, or the folder above several of
            these. Of a folder the best set of files is read.
        cores: cores per engine, e.g. ``{"AIC": 24, "AIV": 48}``; default: what the file shows.
        clock_mhz: frequency of the file's counter; default: inferred.
        run: which output folder inside ``path``; default: the newest.

    Raises:
        InputError: the file can't be read; says what is wrong and where.
    """
    from perfetto_pypto.inputs import check_input
    from perfetto_pypto.swimlane import read as read_swimlane

    check_input(path, run)
    return read_swimlane(path, cores=cores, clock_mhz=clock_mhz, run=run)


def open_trace(
    source: str | os.PathLike[str] | Swimlane,
    *,
    enriched: bool = False,
    cores: Mapping[str, int] | None = None,
    small_task_ns: int | None = None,
    engine: str | None = None,
    sql_packages: SqlPackages | None = None,
) -> TraceProcessor:
    """Opens a run in the trace processor, with the SQL package `pypto` registered.

    Args:
        source: a swimlane, or a trace made by `convert`.
        enriched: open a swimlane as `convert` would write it: what a `Linker` needs.
        cores: cores per engine.
        small_task_ns: threshold of a small task in ns (10 µs).
        engine: `embedded`, a binary's or wasm's path, or HOST:PORT; default: the environment
            variable PYPTO_PERFETTO_TRACE_PROCESSOR, else embedded.
        sql_packages: package name to folder of more SQL modules: ``x.sql`` in the folder of
            ``mine`` is the module ``mine.x``.

    Returns:
        Perfetto's own client: ``tp.query(sql)``, ``tp.trace_summary(specs)``. Close it.

    Raises:
        InputError: the source can't be read.
        EngineError: the engine can't be started, or lost part of the trace.
    """
    from perfetto_pypto.opening import open_run

    return open_run(
        source,
        cores=cores,
        small_task_ns=small_task_ns,
        engine=engine,
        sql_packages=sql_packages,
        bare=False,
        enriched=enriched,
    )


def compute_metrics(
    source: str | os.PathLike[str] | Swimlane | TraceProcessor,
    *,
    metrics: Iterable[str] | None = None,
    specs: Iterable[str | os.PathLike[str]] = (),
    sql_packages: SqlPackages | None = None,
    rules: str | os.PathLike[str] | None = None,
    baseline: Metrics | None = None,
    lang: Lang = "en",
    cores: Mapping[str, int] | None = None,
    small_task_ns: int | None = None,
    engine: str | None = None,
) -> Metrics:
    """Computes the metrics of a run.

    Args:
        source: as `open_trace`, or what it returned.
        metrics: ids, bundle names or globs such as ``pypto_engine_*``; default: all. Only what
            is asked for is computed; findings about the dependency graph and advice come only
            with all.
        specs: TraceSummarySpec files (textproto) with metrics of your own.
        sql_packages: as `open_trace`; what your specs refer to.
        rules: tuning rules of your own (YAML), judged beside the package's.
        baseline: an earlier run's metrics, for rules that need one.
        lang: language of findings, advice and the reports on them.
        cores: as `open_trace`.
        small_task_ns: as `open_trace`.
        engine: as `open_trace`.

    Raises:
        PyptoPerfettoError: no such metric; names the closest.
        InputError: the source, a spec, a package or a rule can't be read or used.
        EngineError: as `open_trace`.
    """
    from dataclasses import replace

    from perfetto_pypto.advice import advise, load_rules
    from perfetto_pypto.lang import in_language
    from perfetto_pypto.metrics import compute, load
    from perfetto_pypto.opening import held

    specs = list(specs)
    catalog = load(specs, sql_packages)
    wanted = None if metrics is None else catalog.select(metrics)
    judged = None if rules is None else load_rules(rules)
    with held(
        source,
        cores=cores,
        small_task_ns=small_task_ns,
        engine=engine,
        sql_packages=sql_packages,
        # What the user's own SQL reads isn't known.
        bare=not (specs or sql_packages or rules),
        metrics_only=wanted is None,
    ) as tp:
        result = compute(tp, catalog, wanted)
        if wanted is None:
            advice = advise(tp, rules=judged, lang=lang, baseline=baseline)
            result = replace(result, advice=advice)
        return given_as(source, in_language(result, lang))


def given_as(
    source: str | os.PathLike[str] | Swimlane | TraceProcessor, metrics: Metrics
) -> Metrics:
    """Returns a trace's metrics under its own path, not that of the swimlane it was made of."""
    from dataclasses import replace

    if not _is_stored(source):
        return metrics
    return replace(metrics, input=replace(metrics.input, path=os.fspath(source)))


def _is_stored(source: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether it is the path of a trace made by `convert`."""
    from perfetto_pypto.trace.stored import is_trace

    return isinstance(source, str | os.PathLike) and is_trace(source)


def compare_runs(
    base: Iterable[str | os.PathLike[str] | Swimlane],
    new: Iterable[str | os.PathLike[str] | Swimlane],
    *,
    lang: Lang = "en",
    cores: Mapping[str, int] | None = None,
    small_task_ns: int | None = None,
    engine: str | None = None,
) -> Comparison:
    """Compares two sides of at least one run each; other arguments and errors as `open_trace`.

    Args:
        base: the runs before.
        new: the runs after. With several runs a side, medians are compared and differences that
            may be noise are marked as not significant. The folder of a data set made by `batch`
            stands for its runs, as they were measured there.
        lang: language of notes, advice and the reports on them.
        cores: as `open_trace`, for all runs.
        small_task_ns: as `open_trace`, for all runs.
        engine: as `open_trace`.

    Raises:
        ValueError: a side has no run.
    """
    from perfetto_pypto.compare import Run, compare, measure, middle
    from perfetto_pypto.dataset import chosen

    def runs(
        source: str | os.PathLike[str] | Swimlane, baseline: Metrics | None = None
    ) -> list[Run]:
        if choice := chosen(source, cores, small_task_ns):
            from perfetto_pypto.dataset.stored import runs_of

            return [Run(metrics, shapes={}, advice=[]) for metrics in runs_of(choice)]
        with open_trace(source, cores=cores, small_task_ns=small_task_ns, engine=engine) as tp:
            return [measure(tp, baseline, lang)]

    before, after = list(base), list(new)
    if not before or not after:
        raise ValueError("each side needs a run")
    old = [run for source in before for run in runs(source)]
    baseline = middle(old).metrics
    return compare(old, [run for source in after for run in runs(source, baseline)], lang)


def check_run(
    source: str | os.PathLike[str] | Swimlane,
    *,
    maxima: Iterable[str] = (),
    minima: Iterable[str] = (),
    baseline: str | os.PathLike[str] | None = None,
    tolerance: float = 0.03,
    lang: Lang = "en",
    cores: Mapping[str, int] | None = None,
    small_task_ns: int | None = None,
    engine: str | None = None,
) -> Verdict:
    """Checks a run against limits and a baseline; other arguments and errors as `open_trace`.

    Args:
        source: as `open_trace`; or a data set made by `batch`, or its runs of one name as in
            `compare_runs`: their medians, as they were measured there, are checked.
        maxima: upper limits such as ``pypto_run_makespan=120us`` or
            ``pypto_engine_bubble_ratio{engine=AIV}=0.3``; ``=baseline``: the baseline's value,
            with tolerance.
        minima: lower limits, in the same form.
        baseline: a file that ``metrics --format json`` wrote. The makespan must not exceed its
            by more than the tolerance, no metric may be gone, nor half of the tasks.
        tolerance: a fraction: 0.03 is 3 %.
        lang: language of the messages and the reports on them.
        cores: as `open_trace`.
        small_task_ns: as `open_trace`.
        engine: as `open_trace`.

    Raises:
        PyptoPerfettoError: a limit can't be understood, or names no metric.
        InputError: the baseline can't be read, too.
    """
    from perfetto_pypto.dataset import chosen
    from perfetto_pypto.gate import judge, parse_limit, read_baseline

    asked = [parse_limit(text, "max") for text in maxima]
    asked += [parse_limit(text, "min") for text in minima]
    before = None if baseline is None else read_baseline(baseline)
    if choice := chosen(source, cores, small_task_ns):
        from perfetto_pypto.dataset.stored import medians_of

        metrics = medians_of(choice)
    else:
        metrics = compute_metrics(source, cores=cores, small_task_ns=small_task_ns, engine=engine)
    return judge(metrics, asked, before, tolerance, lang)


def batch(
    sources: Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    executor: str = "local",
    jobs: int | None = None,
    cores: Mapping[str, int] | None = None,
    clock_mhz: int | None = None,
    small_task_ns: int | None = None,
    engine: str | None = None,
    on_step: Callable[[Step], None] | None = None,
) -> Batch:
    """Measures many runs into one Parquet data set, or goes on with one.

    ``output/metrics`` gets a file per run, a row per metric; ``output/index.jsonl`` a line per
    run with what became of it. A run that is there already with the same path, content, version
    and options is skipped. A run that can't be measured is a line of the index, not an error.

    Local workers are processes of their own: a script that calls this needs the usual
    ``if __name__ == "__main__":``.

    Args:
        sources: files; folders, for every run below them; globs; URLs that fsspec can read.
        output: a folder.
        executor: ``local``, or ``dask://HOST:PORT``, the scheduler of a Dask cluster whose
            workers have this package and see the sources under the same paths.
        jobs: local processes; default: one a core.
        cores: as `open_trace`, for all runs.
        clock_mhz: as `read`, for all runs.
        small_task_ns: as `open_trace`, for all runs.
        engine: as `open_trace`, but no running server.
        on_step: called after each run.

    Raises:
        PyptoPerfettoError: the extra `batch` is not installed, or the executor can't be had.
        InputError: the output can't be written.
    """
    from perfetto_pypto.dataset import check_installed

    check_installed()
    from perfetto_pypto.dataset.build import build

    return build(
        [os.fspath(source) for source in sources],
        Path(output),
        executor=executor,
        jobs=jobs,
        cores=None if cores is None else dict(cores),
        clock_mhz=clock_mhz,
        small_task_ns=small_task_ns,
        engine=engine,
        on_step=on_step,
    )


def convert(
    source: str | os.PathLike[str] | Swimlane,
    output: str | os.PathLike[str],
    *,
    flows: FlowChoice = "auto",
    facts_only: bool = False,
    cores: Mapping[str, int] | None = None,
    small_task_ns: int | None = None,
    engine: str | None = None,
) -> None:
    """Writes the enriched Perfetto trace of a run; gzipped when ``output`` ends in ``.gz``.

    Args:
        source: a swimlane.
        output: appears complete or not at all.
        flows: arrows to draw: `auto` draws every dependency, but at most 500 a slice and
            direction, `all` every one, `critical` those of the observed path, `none` none.
        facts_only: leave out what the SQL pack computes: bubbles, states, path, counters.
        cores: as `open_trace`.
        small_task_ns: as `open_trace`.
        engine: as `open_trace`.

    Raises:
        InputError: the source can't be read, or the output can't be written.
        EngineError: the engine can't be started, or would lose part of the trace.
    """
    from perfetto_pypto.files import write_atomically
    from perfetto_pypto.opening import enrich
    from perfetto_pypto.swimlane.model import Swimlane
    from perfetto_pypto.trace.writer import chunks_of

    run = source if isinstance(source, Swimlane) else read(source, cores=cores)
    parts = enrich(
        run, flows=flows, facts_only=facts_only, small_task_ns=small_task_ns, engine=engine
    )
    write_atomically(Path(output), chunks_of(parts))
