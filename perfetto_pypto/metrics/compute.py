"""Trace summary to values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from perfetto.common.exceptions import PerfettoException
from perfetto.trace_processor import TraceProcessor

from perfetto_pypto.engine import query_columns
from perfetto_pypto.errors import EngineError, InputError
from perfetto_pypto.metrics.bubble_log import read_log
from perfetto_pypto.metrics.catalog import Catalog, MetricInfo, stock
from perfetto_pypto.metrics.model import Finding, Input, Metric, Metrics, Value
from perfetto_pypto.metrics.specs import SpecFile, new_message

_WHOLE = {"TIME_NANOS", "COUNT"}

#: The query of the spec files that fills the summary's metadata.
_METADATA = "pypto_metadata"


def compute(
    tp: TraceProcessor, catalog: Catalog | None = None, wanted: Sequence[str] | None = None
) -> Metrics:
    """Computes metrics of the trace that ``tp`` holds.

    Args:
        tp: with the packages of the catalog registered.
        catalog: the metrics that there are; default: the package's own.
        wanted: ids of metrics, by `Catalog.select`; default: all. The engine runs no SQL for
            the others. Findings about the dependency graph and what a bubble_analysis.log says
            come only with all metrics.

    Raises:
        InputError: a spec of the user's, or SQL behind it, fails.
        EngineError: the engine refuses a spec of the package.
        QueryError: the trace has no facts of a run.
    """
    catalog = catalog or stock()
    summary = _summarize(tp, catalog, wanted)
    return Metrics(
        read_input(tp),
        [metric for bundle in summary.metric_bundles for metric in _bundle(catalog, bundle)],
        read_findings(tp, "_pypto_import_finding" if wanted is not None else "pypto_finding"),
        summary.SerializeToString(deterministic=True),
        log=read_log(tp) if wanted is None else [],
    )


def read_input(tp: TraceProcessor) -> Input:
    """Reads the facts of the run from its trace."""
    facts = query_columns(
        tp, "INCLUDE PERFETTO MODULE pypto.run; SELECT key, text, number FROM pypto_run_fact"
    )
    text = dict(zip(facts["key"], facts["text"], strict=True))
    number = dict(zip(facts["key"], facts["number"], strict=True))
    counts = query_columns(tp, "SELECT engine, core_count FROM pypto_core_count")
    return Input(
        name=text["name"],
        path=text["path"],
        format=text["format"],
        layout=text["layout"],
        core_counts={
            engine: int(count)
            for engine, count in zip(counts["engine"], counts["core_count"], strict=True)
        },
        core_counts_from=text["core_counts_from"],
        clock_hz=int(number["clock_hz"]),
        clock_from=text["clock_from"],
        origin_us=text["origin_us"],
        small_task_ns=int(number["small_task_ns"]),
    )


def read_findings(tp: TraceProcessor, table: str = "pypto_finding") -> list[Finding]:
    """Reads the findings of the conversion and of the graph, the gravest first."""
    module = "pypto.run" if table == "_pypto_import_finding" else "pypto.finding"
    columns = query_columns(
        tp,
        f"""
        INCLUDE PERFETTO MODULE {module};
        SELECT code, severity, message, count, examples FROM {table}
        ORDER BY severity = 'info', severity = 'warning', code
        """,
    )
    return [
        Finding(code, severity, message, int(count), examples.split("; ") if examples else [])
        for code, severity, message, count, examples in zip(*columns.values(), strict=True)
    ]


def _summarize(tp: TraceProcessor, catalog: Catalog, wanted: Sequence[str] | None) -> Any:
    """Returns a TraceSummary with the bundles in the order of the catalog, all of them named."""
    specs = [spec.text for spec in catalog.specs]
    try:
        summary = tp.trace_summary(specs, wanted, _METADATA)
    except PerfettoException as error:
        raise _failure(tp, catalog, str(error)) from error
    place = {identifier: number for number, identifier in enumerate(catalog.metrics)}
    bundles = sorted(summary.metric_bundles, key=lambda bundle: place[bundle.specs[0].id])
    ordered = new_message("TraceSummary")
    for entry in sorted(summary.metadata, key=lambda entry: entry.key):
        ordered.metadata.add(key=entry.key, value=entry.value)
    for bundle in bundles:
        # v52 leaves the id of a template's bundle empty.
        bundle.bundle_id = catalog.metrics[bundle.specs[0].id].bundle
        ordered.metric_bundles.add().ParseFromString(bundle.SerializeToString())
    return ordered


def _bundle(catalog: Catalog, bundle: Any) -> list[Metric]:
    infos = [catalog.metrics[spec.id] for spec in bundle.specs]
    return [
        Metric(
            id=info.id,
            bundle=info.bundle,
            dimensions={
                key: _dimension(value)
                for key, value in zip(info.dimensions, row.dimension, strict=True)
            },
            value=_value(cell, info),
            unit=info.unit,
            polarity=info.polarity,
        )
        for row in bundle.row
        for info, cell in zip(infos, row.values, strict=True)
    ]


def _dimension(value: Any) -> str:
    kind = value.WhichOneof("value_oneof")
    return "" if kind == "null_value" else str(getattr(value, kind))


def _value(cell: Any, info: MetricInfo) -> Value:
    if cell.WhichOneof("value_oneof") != "double_value":
        return None
    value = float(cell.double_value)
    return int(value) if info.unit in _WHOLE and value.is_integer() else value


def _failure(tp: TraceProcessor, catalog: Catalog, error: str) -> EngineError | InputError:
    """Says which spec of the user's it was: the one that fails alone."""
    for spec in catalog.specs[len(stock().specs) :]:
        if problem := _refusal(tp, spec):
            missing = "Package " in problem and "not found" in problem
            remedy = (
                "give its folder: --sql-package DIR@NAME"
                if missing
                else "correct the spec or the SQL behind it"
            )
            return InputError(spec.path, problem, remedy)
    return EngineError(f"the trace processor refuses the metric specs: {_line(error)}")


def _refusal(tp: TraceProcessor, spec: SpecFile) -> str:
    try:
        tp.trace_summary([spec.text])
    except PerfettoException as error:
        return _line(str(error))
    return ""


def _line(error: str) -> str:
    """The engine's message in one line: what, then in which module, line and column."""
    lines = error.strip().splitlines()
    told = [line for line in lines if not line.startswith((" ", "Traceback"))]
    metric = [line.removesuffix(" Traceback (most recent call last):") for line in told[:-1]]
    places = [line.strip() for line in lines if line.startswith("  Module include ")]
    where = f" ({places[-1].removeprefix('Module include ')})" if places else ""
    return " ".join([*metric, told[-1] if told else error.strip()]) + where
