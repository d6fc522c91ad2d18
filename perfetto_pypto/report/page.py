"""The report of a run as a page; what draws it loads when it is used."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfetto.trace_processor import TraceProcessor

    from perfetto_pypto.api import Lang
    from perfetto_pypto.metrics import Metrics
    from perfetto_pypto.swimlane.model import Swimlane


def html_report(
    source: str | os.PathLike[str] | Swimlane | TraceProcessor,
    metrics: Metrics | None = None,
    *,
    trace_url: str | None = None,
    lang: Lang = "en",
    cores: Mapping[str, int] | None = None,
    small_task_ns: int | None = None,
    engine: str | None = None,
) -> str:
    """Returns a run's report as one HTML page that needs neither network nor scripts.

    Args:
        source: as `open_trace`, or what it returned: enriched where there is a ``trace_url``.
        metrics: what `compute_metrics` returned for the same run and options, all metrics of
            it; default: computed here. The page has its language.
        trace_url: as `links`: each spot that the page names is a link into the UI. Without it the
            page names the command that shows the spot.
        lang: language where the metrics are computed here.
        cores: as `open_trace`.
        small_task_ns: as `open_trace`.
        engine: as `open_trace`.

    Raises:
        PyptoPerfettoError: the optional dependencies (`html`) aren't installed, or the UI can't
            fetch from ``trace_url``.
        InputError: the source can't be read.
        EngineError: as `open_trace`.
    """
    from perfetto_pypto.api import compute_metrics
    from perfetto_pypto.opening import held
    from perfetto_pypto.report.html import check_installed, to_html
    from perfetto_pypto.ui.links import Linker, check_url

    check_installed()
    if trace_url is not None:
        check_url(trace_url)
    with held(
        source,
        enriched=trace_url is not None,
        cores=cores,
        small_task_ns=small_task_ns,
        engine=engine,
    ) as tp:
        if metrics is None:
            metrics = compute_metrics(tp, lang=lang)
        return to_html(metrics, tp, None if trace_url is None else Linker(tp, trace_url))
