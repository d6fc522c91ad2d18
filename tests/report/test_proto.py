"""Perfetto's TraceSummary: read back with Perfetto's own message classes."""

from __future__ import annotations

from google.protobuf import text_format
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory

from perfetto_pypto.report.proto import to_textproto

PROTOS = ProtoFactory(PlatformDelegate())


def test_text_and_bytes_are_one_message(metrics):
    text = text_format.Parse(to_textproto(metrics), PROTOS.TraceSummary())
    assert text == PROTOS.TraceSummary.FromString(metrics.summary)


def test_values_are_those_of_the_other_formats(metrics):
    summary = PROTOS.TraceSummary.FromString(metrics.summary)
    cells = [
        cell.double_value if cell.HasField("double_value") else None
        for bundle in summary.metric_bundles
        for row in bundle.row
        for cell in row.values
    ]
    assert cells == [metric.value for metric in metrics.metrics]


def test_bundles_have_names_and_the_order_of_the_reports(part):
    summary = PROTOS.TraceSummary.FromString(part.summary)
    assert [bundle.bundle_id for bundle in summary.metric_bundles] == [
        "pypto_run",
        "pypto_observed_path",
    ]
    assert [spec.id for spec in summary.metric_bundles[0].specs] == [
        "pypto_run_makespan",
        "pypto_run_task_count",
    ]


def test_metadata_say_which_run_it_is(part):
    summary = PROTOS.TraceSummary.FromString(part.summary)
    metadata = {entry.key: entry.value for entry in summary.metadata}
    assert metadata["name"] == "drawing"
    assert metadata["small_task_ns"] == "10000"
