"""pypto-perfetto: PyPTO swimlanes as enriched Perfetto traces, with exact SQL metrics.

    >>> import perfetto_pypto as pp
    >>> metrics = pp.compute_metrics("merged_swimlane.json")
    >>> tp = pp.open_trace("merged_swimlane.json")     # a perfetto TraceProcessor
    >>> pp.convert("merged_swimlane.json", "run.pftrace")

The command line uses nothing else.
"""

from __future__ import annotations

from perfetto_pypto.api import (
    batch,
    check_run,
    compare_runs,
    compute_metrics,
    convert,
    open_trace,
    read,
)
from perfetto_pypto.errors import EngineError, InputError, PyptoPerfettoError, QueryError
from perfetto_pypto.report.page import html_report
from perfetto_pypto.ui.links import Link, Linker, links

__all__ = [
    "EngineError",
    "InputError",
    "Link",
    "Linker",
    "PyptoPerfettoError",
    "QueryError",
    "batch",
    "check_run",
    "compare_runs",
    "compute_metrics",
    "convert",
    "html_report",
    "links",
    "open_trace",
    "read",
]
