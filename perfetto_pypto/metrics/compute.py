"""Trace summary to values."""

from __future__ import annotations

from typing import Any

from perfetto.trace_processor import TraceProcessor

from perfetto_pypto.engine import query_columns
from perfetto_pypto.metrics.model import Finding, Input, Metric, Metrics, Value
from perfetto_pypto.sql import metric_specs

_WHOLE = {"TIME_NANOS", "COUNT"}


def compute(tp: TraceProcessor) -> Metrics:
    """Computes all metrics of the trace that ``tp`` holds, with the pypto package registered.

    Raises:
        EngineError: the engine refuses a spec.
        QueryError: the trace has no facts of a run.
    """
    summary = tp.trace_summary(list(metric_specs().values()))
    # v52 leaves the id of a template's bundle empty; bundles come in any order.
    by_bundle = {_bundle_id(bundle.specs[0]): bundle for bundle in summary.metric_bundles}
    metrics = [
        metric
        for name in metric_specs()
        if name in by_bundle
        for metric in _bundle(name, by_bundle[name])
    ]
    return Metrics(read_input(tp), metrics, read_findings(tp))


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


def read_findings(tp: TraceProcessor) -> list[Finding]:
    """Reads the findings of the conversion and of the graph, the gravest first."""
    columns = query_columns(
        tp,
        """
        INCLUDE PERFETTO MODULE pypto.summary;
        SELECT code, severity, message, count, examples FROM pypto_finding
        ORDER BY severity = 'info', severity = 'warning', code
        """,
    )
    return [
        Finding(code, severity, message, int(count), examples.split("; ") if examples else [])
        for code, severity, message, count, examples in zip(*columns.values(), strict=True)
    ]


def _bundle(name: str, bundle: Any) -> list[Metric]:
    specs = list(bundle.specs)
    dimensions = [spec.name for spec in specs[0].dimensions_specs]
    return [
        Metric(
            id=spec.id,
            bundle=name,
            dimensions={
                key: _dimension(value) for key, value in zip(dimensions, row.dimension, strict=True)
            },
            value=_value(cell, _unit(spec)),
            unit=_unit(spec),
            polarity=_enum(spec, "polarity"),
        )
        for row in bundle.row
        for spec, cell in zip(specs, row.values, strict=True)
    ]


def _bundle_id(spec: Any) -> str:
    return str(spec.id).removesuffix(f"_{spec.value}")


def _unit(spec: Any) -> str:
    return str(spec.custom_unit) if spec.HasField("custom_unit") else _enum(spec, "unit")


def _enum(message: Any, field: str) -> str:
    descriptor = message.DESCRIPTOR.fields_by_name[field]
    return str(descriptor.enum_type.values_by_number[getattr(message, field)].name)


def _dimension(value: Any) -> str:
    return str(getattr(value, value.WhichOneof("value_oneof")))


def _value(cell: Any, unit: str) -> Value:
    if cell.WhichOneof("value_oneof") != "double_value":
        return None
    value = float(cell.double_value)
    return int(value) if unit in _WHOLE and value.is_integer() else value
