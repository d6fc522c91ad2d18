"""Metrics as Perfetto's own TraceSummary message, which its tools read."""

from __future__ import annotations

from google.protobuf import text_format

from perfetto_pypto.metrics import Metrics
from perfetto_pypto.metrics.specs import new_message


def to_textproto(metrics: Metrics) -> str:
    """Returns the summary as textproto: its metadata say which run it is about."""
    message = new_message("TraceSummary")
    message.ParseFromString(metrics.summary)
    return text_format.MessageToString(message, as_utf8=True)
