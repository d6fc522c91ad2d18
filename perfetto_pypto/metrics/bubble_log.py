"""What the SQL says of a bubble_analysis.log beside the input."""

from __future__ import annotations

from collections import defaultdict

from perfetto.trace_processor import TraceProcessor

from perfetto_pypto.engine import query_columns
from perfetto_pypto.metrics.model import LogCore, LogFigure

#: The row of a figure in `pypto_log_bridge` that is no reason but the printed value.
PRINTED = "log"


def read_log(tp: TraceProcessor) -> list[LogCore]:
    """Returns the log's cores, engine by engine; none without a log."""
    checks = query_columns(
        tp,
        """
        INCLUDE PERFETTO MODULE pypto.log_bridge;
        SELECT core, engine, status FROM pypto_log_check
        ORDER BY engine, CAST(substr(core, instr(core, '_') + 1) AS INTEGER)
        """,
    )
    if not len(checks["core"]):
        return []
    reasons: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    bridge = query_columns(tp, "SELECT core, figure, reason, dur FROM pypto_log_bridge")
    for core, figure, reason, dur in zip(*bridge.values(), strict=True):
        if reason != PRINTED:
            reasons[core, figure][reason] = int(dur)
    figures: dict[str, dict[str, LogFigure]] = defaultdict(dict)
    columns = query_columns(
        tp, "SELECT core, figure, printed, reproduced, ours FROM pypto_log_figure"
    )
    for core, figure, *values in zip(*columns.values(), strict=True):
        printed, reproduced, ours = map(int, values)
        figures[core][figure] = LogFigure(printed, reproduced, ours, reasons[core, figure])
    return [
        LogCore(core, engine, status, figures[core])
        for core, engine, status in zip(*checks.values(), strict=True)
    ]
