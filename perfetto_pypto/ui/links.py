"""Deep links into the Perfetto UI for a trace that is hosted somewhere."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.lang import words
from perfetto_pypto.report import text

if TYPE_CHECKING:
    from perfetto.trace_processor import TraceProcessor

    from perfetto_pypto.api import Lang
    from perfetto_pypto.lang import Words
    from perfetto_pypto.metrics import Advice, Finding, Metrics
    from perfetto_pypto.swimlane.model import Swimlane
    from perfetto_pypto.ui.view import View

#: Gaps of cores that get a link.
_BUBBLES = 5
#: A finding's text inside a link is cut here: links must stay short.
_TEXT = 300
_TASK = re.compile(r"\b(?:\d+-\d+-\d+|(?:r\d+)?t\d+)\b")
_CORE = re.compile(r"\b[A-Z]+_\d+\b")
_TIME = re.compile(r"([\d.]+) (?:to|到) ([\d.]+) µs")


@dataclass(frozen=True, slots=True)
class Link:
    """A link into the UI.

    kind:  ``run``, ``critical-path``, ``worst-gap``, ``bubble``, ``subgraph``, ``advice`` or
           ``finding``
    key:   what it is about: a core, a leaf hash, a rule's id, a finding's code; else ''
    title: one line for people
    """

    kind: str
    key: str
    title: str
    url: str


class Linker:
    """Makes links to places of one trace.

    Args:
        tp: holds the enriched trace, as `open_trace` of a converted file gives it.
        trace_url: where the UI fetches that file.
        ui: the UI's address; default: ui.perfetto.dev.
    """

    def __init__(self, tp: TraceProcessor, trace_url: str, ui: str | None = None) -> None:
        from perfetto_pypto.ui.view import PUBLIC_UI

        self._tp = tp
        self._trace_url = trace_url
        self._ui = ui or PUBLIC_UI

    def at(self, place: str) -> str:
        """Returns the link to a place, e.g. ``core=AIV_12``: see `perfetto_pypto.ui.places.find`.

        Raises:
            PyptoPerfettoError: the run has no such place.
        """
        from perfetto_pypto.ui import places

        return self._url(places.find(self._tp, place))

    def whole(self) -> str:
        """Returns the link to the whole run."""
        from perfetto_pypto.ui import places

        return self._url(places.whole(self._tp))

    def of_advice(self, advice: Advice, place: str | None = None) -> str:
        """Returns the link to where advice, or one piece of its evidence, is to be seen.

        Raises:
            PyptoPerfettoError: the run has no such place; names the rule.
        """
        try:
            return self.at(place or advice.at)
        except PyptoPerfettoError as error:
            raise PyptoPerfettoError(f"rule {advice.rule}: at: {error}") from error

    def of_finding(self, finding: Finding) -> str:
        """Returns the link to the spot of a finding, else to the run; a tab tells what it is."""
        from perfetto_pypto.ui import places, tables
        from perfetto_pypto.ui.view import View

        spot = self.spot(finding)
        seen = places.find(self._tp, spot) if spot else places.whole(self._tp)
        query = (
            f"SELECT {tables.text(finding.severity)} AS severity, {finding.count} AS n, "
            f"{tables.text(finding.message[:_TEXT])} AS finding, "
            f"{tables.text('; '.join(finding.examples)[:_TEXT])} AS examples"
        )
        if spot is None:
            return self._url(View(seen.span, None, query, (places.PINNED,)))
        return self._url(View(seen.span, seen.selection, query, seen.commands))

    def spot(self, finding: Finding) -> str | None:
        """Returns the task, core or time that a finding names, as a place; None where none is."""
        from perfetto_pypto.ui import places, tables

        examples = "; ".join(finding.examples)
        for named in _TASK.findall(examples):
            sql = f"SELECT 1 AS is_there FROM pypto_task WHERE task = {tables.text(named)}"
            if places.rows(self._tp, sql):
                return f"task={named}"
        for named in _CORE.findall(examples):
            sql = f"SELECT 1 AS is_there FROM pypto_core WHERE core = {tables.text(named)}"
            if places.rows(self._tp, sql):
                return f"core={named}"
        time = _TIME.search(examples)
        return f"{time[1]}us..{time[2]}us" if time else None

    def worst_gap(self, lang: str = "en") -> Link | None:
        """Returns the link to the longest gap of the observed path; None where it has none."""
        from perfetto_pypto.ui import places

        gap = places.worst_gap(self._tp)
        if gap is None or gap.selection is None:
            return None
        title = words(lang)(
            "Longest gap on the critical path: {time}", time=text.us(gap.selection.dur)
        )
        return Link("worst-gap", "", title, self._url(gap))

    def all(self, metrics: Metrics | None = None, lang: Lang = "en") -> list[Link]:
        """Returns the links to what a reader of the metrics wants to see.

        Args:
            metrics: all metrics of the run: whose advice and findings, and in which language;
                default: computed here.
            lang: language where the metrics are computed here.
        """
        import perfetto_pypto as pp

        told = metrics or pp.compute_metrics(self._tp, lang=lang)
        t = words(told.lang)
        return [
            Link("run", "", t("The whole run"), self.whole()),
            Link("critical-path", "", t("Critical path as observed"), self.at("critical-path")),
            *filter(None, [self.worst_gap(told.lang)]),
            *self._bubbles(t),
            *self._worst_subgraph(told, t),
            *self._advice(told, t),
            *self._findings(told, t),
        ]

    def _url(self, view: View) -> str:
        return view.url(self._trace_url, self._ui)

    def _bubbles(self, t: Words) -> Iterator[Link]:
        from perfetto_pypto.ui import places

        found = places.rows(
            self._tp,
            f"""
            SELECT s.id, t.name AS core, s.name, s.dur
            FROM slice AS s JOIN track AS t ON s.track_id = t.id
            WHERE s.category = 'bubble' AND s.name GLOB '* wait*'
            ORDER BY s.dur DESC, s.ts, core LIMIT {_BUBBLES}
            """,
        )
        for slice_id, core, name, dur in found:
            causes = t(", ").join(map(t, name.split(", ")))
            title = t(
                "{causes} of {time} on {core}",
                causes=f"{causes[0].upper()}{causes[1:]}",
                time=text.us(dur),
                core=core,
            )
            yield Link("bubble", core, title, self._url(places.bubble(self._tp, slice_id, core)))

    def _worst_subgraph(self, metrics: Metrics, t: Words) -> Iterator[Link]:
        for row in metrics.rows("pypto_subgraph")[:1]:
            leaf_hash = str(row["leaf_hash"])
            title = t(
                "Subgraph with the most time: {label}, {tasks} on {engine}, {total}, {share}",
                label=row["label"] or leaf_hash,
                tasks=t.plural(int(row["task_count"] or 0), "task"),
                engine=row["engine"],
                total=text.us(text.number(row["total"])),
                share=text.percent(text.number(row["time_share"])),
            )
            yield Link("subgraph", leaf_hash, title, self.at(f"subgraph={leaf_hash}"))

    def _advice(self, metrics: Metrics, t: Words) -> Iterator[Link]:
        for advice in metrics.advice:
            title = f"{t(advice.severity)}{t(': ')}{advice.title}"
            if advice.evidence:
                title += f" ({advice.evidence[0].text})"
            yield Link("advice", advice.rule, title, self.of_advice(advice))

    def _findings(self, metrics: Metrics, t: Words) -> Iterator[Link]:
        for finding in metrics.findings:
            title = f"{t(finding.severity)}{t(': ')}{finding.count:,} {finding.code}"
            yield Link("finding", finding.code, title, self.of_finding(finding))


def links(
    source: str | os.PathLike[str] | Swimlane | TraceProcessor,
    trace_url: str,
    metrics: Metrics | None = None,
    *,
    lang: Lang = "en",
    cores: Mapping[str, int] | None = None,
    small_task_ns: int | None = None,
    engine: str | None = None,
) -> list[Link]:
    """Makes deep links into ui.perfetto.dev for a trace that is hosted somewhere.

    Args:
        source: the trace that `convert` wrote, or the swimlane that it was made of; or what
            `open_trace` returned for it, enriched.
        trace_url: where the UI can fetch the trace: https with CORS, or this machine's port 9001.
        metrics: as `Linker.all`.
        lang: as `Linker.all`.
        cores: as `open_trace`.
        small_task_ns: as `open_trace`.
        engine: as `open_trace`.

    Returns:
        The whole run, critical path, longest gaps, the subgraph with the most time, each piece of
        advice, each finding.

    Raises:
        InputError: the source can't be read.
        PyptoPerfettoError: the UI can't fetch from ``trace_url``.
    """
    from perfetto_pypto.opening import held

    check_url(trace_url)
    options = {"cores": cores, "small_task_ns": small_task_ns, "engine": engine}
    with held(source, enriched=True, **options) as tp:
        return Linker(tp, trace_url).all(metrics, lang)


def to_markdown(made: list[Link]) -> str:
    """Returns links as a Markdown list."""
    return "".join(f"- [{_escaped(link.title)}]({link.url})\n" for link in made)


@contextmanager
def enriched(
    source: str | os.PathLike[str] | Swimlane,
    *,
    cores: Mapping[str, int] | None,
    small_task_ns: int | None,
    engine: str | None,
) -> Iterator[Path]:
    """Yields the enriched trace of a source: the file itself, or a temporary one made of it."""
    import perfetto_pypto as pp
    from perfetto_pypto.swimlane.model import Swimlane
    from perfetto_pypto.trace.stored import is_trace

    if not isinstance(source, Swimlane) and is_trace(source):
        yield Path(source)
        return
    with tempfile.TemporaryDirectory(prefix="pypto-perfetto-") as folder:
        run = source if isinstance(source, Swimlane) else pp.read(source, cores=cores)
        trace = Path(folder) / "run.pftrace"
        pp.convert(run, trace, small_task_ns=small_task_ns, engine=engine)
        yield trace


def check_url(url: str) -> None:
    """Checks that ui.perfetto.dev can fetch from an address.

    Raises:
        PyptoPerfettoError: it can't.
    """
    parts = urlsplit(url)
    if parts.scheme == "https" and parts.hostname:
        return
    if parts.scheme == "http" and parts.netloc == "127.0.0.1:9001":
        return
    raise PyptoPerfettoError(
        f"--trace-url {url}: ui.perfetto.dev can't fetch from there; "
        "use https://… with CORS, or http://127.0.0.1:9001/…"
    )


def _escaped(text: str) -> str:
    return re.sub(r"[\[\]\\*_`<>|]", r"\\\g<0>", text)
