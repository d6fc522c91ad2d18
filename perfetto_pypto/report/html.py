"""The report as one HTML file: no network, no scripts; charts are drawings inside the page."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfetto.trace_processor import TraceProcessor

from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.lang import words
from perfetto_pypto.metrics import Advice, Finding, Metrics, stock
from perfetto_pypto.report import chart_parts, charts, story
from perfetto_pypto.report.bundles import bundle_table
from perfetto_pypto.report.chart_parts import Chart
from perfetto_pypto.report.log_story import log_lines, log_title

if TYPE_CHECKING:
    from perfetto_pypto.ui.links import Linker

_SUBGRAPHS = 12
_ADVICE = 8
_LABEL = 40

#: The Vega-Lite that draws: every release of the supported range of vl-convert has it.
_VEGA_LITE = "5.20"

#: What all charts share.
_CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": "currentColor",
        "titleColor": "currentColor",
        "titleFontWeight": "normal",
        "domainColor": "currentColor",
        "tickColor": "currentColor",
        "gridColor": "currentColor",
        "gridOpacity": 0.15,
        "domainOpacity": 0.5,
        "tickOpacity": 0.5,
        "labelFontSize": 11,
        "titleFontSize": 11,
    },
    "axisY": {"minExtent": 34},
}

_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_GEOMETRY = re.compile(r' (?:d|transform|x|y|x2|y2|width|height)="[^"]*"')


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart as the page shows it: ``svg`` is safe markup."""

    title: str
    svg: str
    legend: list[tuple[str, str]]


def check_installed() -> None:
    """Checks for the libraries that only this report needs.

    Raises:
        PyptoPerfettoError: one is missing; says how to install both.
    """
    missing = [name for name in ("jinja2", "vl_convert") if find_spec(name) is None]
    if missing:
        raise PyptoPerfettoError(
            f"the HTML report needs {' and '.join(missing)}; "
            "install with: pip install 'pypto-perfetto[html]'"
        )


def to_html(metrics: Metrics, tp: TraceProcessor, linker: Linker | None = None) -> str:
    """Returns the page.

    Args:
        metrics: all metrics of the run, in the language that the page gets.
        tp: holds the same run.
        linker: makes the links to the spots that the page names; default: no links.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.j2").render(_content(metrics, tp, linker))


def _content(metrics: Metrics, tp: TraceProcessor, linker: Linker | None) -> dict[str, Any]:
    t, run = words(metrics.lang), story.run_row(metrics)
    content: dict[str, Any] = {
        "t": t,
        "metrics": metrics,
        "language": {"zh": "zh-CN"}.get(metrics.lang, metrics.lang),
        "layout": story.layout(metrics),
        "known": story.cores_and_clock(metrics),
        "bundles": [
            bundle_table(metrics, bundle)
            for bundle in metrics.bundles
            if bundle not in stock().bundles
        ],
        "run": run,
        "findings": [(finding, _spot(linker, finding)) for finding in metrics.findings],
        "log_title": log_title(metrics),
        "log_lines": list(log_lines(metrics)),
    }
    if not run:
        return content
    best, hidden = story.top_advice(metrics, _ADVICE)
    subgraphs, more = story.subgraph_rows(metrics, _SUBGRAPHS, _LABEL)
    return content | {
        "headline": list(story.headline(metrics, run)),
        "engine_heads": story.ENGINE_HEADS,
        "engines": [
            (cells, _split(row))
            for cells, row in zip(
                story.engine_rows(metrics, run), metrics.rows("pypto_engine"), strict=True
            )
        ],
        "engine_legend": [
            (colour, t(word))
            for word, colour in (
                chart_parts.BUSY,
                chart_parts.SCHEDULE,
                chart_parts.PREDECESSOR,
                chart_parts.NO_WORK,
            )
        ],
        "cores": _drawing(charts.cores(metrics)),
        "hidden_cores": _hidden_cores(metrics),
        "idle_cores": _idle_cores(metrics),
        "profiles": [_drawing(chart) for chart in charts.profiles(metrics, tp)],
        "durations": _drawing(charts.durations(metrics, tp)),
        "threshold": f"{metrics.input.small_task_ns / 1000:g}",
        "path": _drawing(charts.path(metrics, tp)),
        "links": _links(metrics, linker),
        "path_rows": list(story.path_rows(metrics, run)),
        "static_path": story.static_path(metrics, run),
        "subgraph_heads": story.SUBGRAPH_HEADS,
        "subgraphs": subgraphs,
        "more_subgraphs": more,
        "subgraph_links": [
            linker.at(f"subgraph={row['leaf_hash']}") if linker else None
            for row in metrics.rows("pypto_subgraph")[:_SUBGRAPHS]
        ],
        "advice": [_advice(metrics, advice, run, linker) for advice in best],
        "more_advice": hidden,
    }


def _advice(
    metrics: Metrics, advice: Advice, run: story.Row, linker: Linker | None
) -> dict[str, Any]:
    """Advice with its evidence, each piece with its link; the command works without any."""
    return {
        "says": advice,
        "gain": story.gain(metrics, advice, run),
        "evidence": [
            (found.text, linker.of_advice(advice, found.at) if linker else None)
            for found in advice.evidence
        ],
        "command": story.look(metrics, advice),
    }


def _links(metrics: Metrics, linker: Linker | None) -> dict[str, Any]:
    """Links to what the page as a whole is about."""
    if linker is None:
        return {}
    return {
        "run": linker.whole(),
        "path": linker.at("critical-path"),
        "gap": linker.worst_gap(metrics.lang),
    }


def _spot(linker: Linker | None, finding: Finding) -> str | None:
    """The link to where a finding is to be seen; None where that is no place."""
    if linker is None or linker.spot(finding) is None:
        return None
    return linker.of_finding(finding)


def _split(row: story.Row) -> list[tuple[str, str]]:
    """An engine's core time as (colour, width in per cent)."""
    parts = (
        (chart_parts.BUSY, "busy"),
        (chart_parts.SCHEDULE, "starved"),
        (chart_parts.PREDECESSOR, "blocked"),
        (chart_parts.NO_WORK, "drained"),
    )
    times = [(colour, float(row[key] or 0)) for (_, colour), key in parts]
    whole = sum(time for _, time in times)
    return [(colour, f"{100 * time / whole:.2f}") for colour, time in times if time and whole]


def _hidden_cores(metrics: Metrics) -> list[str]:
    """Says how many cores the chart of the cores leaves out."""
    t = words(metrics.lang)
    counts = Counter(str(row["engine"]) for row in metrics.rows("pypto_core"))
    return [
        t(
            "The {shown} busiest of {count} {engine} cores; {hidden} left out",
            shown=charts.CORES,
            count=counts[engine],
            engine=engine,
            hidden=counts[engine] - charts.CORES,
        )
        for engine in metrics.input.core_counts
        if counts[engine] > charts.CORES
    ]


def _idle_cores(metrics: Metrics) -> list[str]:
    t = words(metrics.lang)
    used = {
        str(row["engine"]): int(row["used_core_count"] or 0) for row in metrics.rows("pypto_engine")
    }
    return [
        t(
            "{idle} of {count} {engine} cores ran no task",
            idle=count - used.get(engine, 0),
            count=count,
            engine=engine,
        )
        for engine, count in metrics.input.core_counts.items()
        if count > used.get(engine, 0)
    ]


def _drawing(chart: Chart | None) -> Drawing | None:
    if chart is None:
        return None
    import vl_convert
    from markupsafe import Markup

    # No spec refers to a file or an address: every value is in it.
    svg = vl_convert.vegalite_to_svg(
        chart.spec | {"config": _CONFIG}, vl_version=_VEGA_LITE, allowed_base_urls=[]
    )
    # A hundredth of a pixel is enough: a third of the size.
    svg = _GEOMETRY.sub(lambda found: _NUMBER.sub(_rounded, found[0]), svg)
    return Drawing(chart.title, Markup(svg), chart.legend)


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
