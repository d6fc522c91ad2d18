"""Metrics as Markdown, compact enough for a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from perfetto_pypto.lang import words
from perfetto_pypto.metrics import Metrics, stock
from perfetto_pypto.report import story
from perfetto_pypto.report.bundles import bundle_table
from perfetto_pypto.report.log_story import log_lines, log_title

_SUBGRAPHS = 5
_ADVICE = 3


def to_markdown(metrics: Metrics, *, whole: bool = True) -> str:
    """Returns the report; a table per bundle where the metrics are not the ``whole``."""
    t, source = words(metrics.lang), metrics.input
    parts = [
        f"### {escape(source.name)}",
        f"{escape(source.format)} ({escape(story.layout(metrics))}); "
        f"{'; '.join(map(escape, story.cores_and_clock(metrics)))}.",
    ]
    run = story.run_row(metrics)
    if whole and run:
        parts.append(
            "\n".join(f"- **{n} {v}**: {note}" for n, v, note in story.headline(metrics, run))
        )
        parts.append(table([*map(t, story.ENGINE_HEADS)], story.engine_rows(metrics, run)))
        rows, hidden = story.subgraph_rows(metrics, _SUBGRAPHS)
        heads = [*map(t, story.SUBGRAPH_HEADS)]
        heads[0] = t("subgraph (µs)") + (t("; {count} more", count=hidden) if hidden else "")
        parts.append(table(heads, rows, left=3))
        heads = [*map(t, ("critical path as observed", "µs", "share"))]
        path = ([words, time, share] for time, share, words in story.path_rows(metrics, run))
        parts.append(table(heads, path))
        if static := story.static_path(metrics, run):
            parts.append(static + t("."))
        parts += _advice(metrics, run)
    for bundle in metrics.bundles:
        if not whole or bundle not in stock().bundles:
            shown = bundle_table(metrics, bundle)
            parts.append(f"**{escape(bundle)}**")
            parts.append(table(shown.heads, shown.rows, left=shown.dimension_count))
    if title := log_title(metrics):
        heads = [title, *map(t, ("log µs", "ours µs", "why"))]
        rows = [
            [
                f"{line.name} ({line.meaning})",
                line.printed,
                line.ours,
                t("; ").join(f"{amount} {reason}" for amount, reason in line.reasons),
            ]
            for line in log_lines(metrics)
        ]
        parts.append(table(heads, rows))
    findings = [
        f"- {t(finding.severity)}, {finding.count:,}: **{finding.code}**, {escape(finding.message)}"
        for finding in metrics.findings
    ]
    if findings:
        parts.append("\n".join(findings))
    return "\n\n".join(parts) + "\n"


def _advice(metrics: Metrics, run: story.Row) -> Iterator[str]:
    t = words(metrics.lang)
    best, hidden = story.top_advice(metrics, _ADVICE)
    if not best:
        return
    title = t("What to try next, one knob at a time")
    yield title + (t("; {count} more in --format json", count=hidden) if hidden else "") + t(":")
    items = []
    for place, advice in enumerate(best, start=1):
        gain = story.gain(metrics, advice, run)
        text = f"{place}. **{escape(advice.title)}**: {escape(advice.text)}"
        items.append(f"{text} {escape(gain)}{t('.')}" if gain else text)
        items.append(f"   `{advice.snippet.replace('`', '')}`")
    yield "\n".join(items)


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    left: int = 1,
    escaped: bool = False,
) -> str:
    """Returns a table whose first ``left`` columns are texts and the others numbers.

    Cells that are Markdown already are ``escaped``, but for the sign that ends a cell.
    """
    lines = [
        heads,
        [":--" if place < left else "--:" for place in range(len(heads))],
        *([cell.replace("|", "\\|") if escaped else escape(cell) for cell in row] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def escape(text: str) -> str:
    """Makes text safe in a cell: it may come from the swimlane."""
    for sign in "\\`*_[]|":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.replace("<", "&lt;").split())
