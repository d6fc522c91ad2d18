"""Deep links into the Perfetto UI for a trace that is hosted somewhere."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from perfetto_pypto.errors import PyptoPerfettoError

if TYPE_CHECKING:
    from perfetto.trace_processor import TraceProcessor

    from perfetto_pypto.swimlane.model import Swimlane
    from perfetto_pypto.ui.view import View

#: Gaps of cores that get a link.
_BUBBLES = 5
#: A finding's text inside a link is cut here: links must stay short.
_TEXT = 300
_TASK = re.compile(r"\b\d+-\d+-\d+")


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
        ui: the UI's address.
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

    def all(self) -> list[Link]:
        """Returns the links to what a reader of the metrics wants to see."""
        from perfetto_pypto.ui import places

        links = [
            Link("run", "", "The whole run", self.whole()),
            Link("critical-path", "", "Critical path as observed", self.at("critical-path")),
        ]
        if (gap := places.worst_gap(self._tp)) is not None and gap.selection is not None:
            title = f"Longest gap on the critical path: {_us(gap.selection.dur)}"
            links.append(Link("worst-gap", "", title, self._url(gap)))
        parts = (self._bubbles(), self._worst_subgraph(), self._advice(), self._findings())
        return [*links, *chain.from_iterable(parts)]

    def _url(self, view: View) -> str:
        return view.url(self._trace_url, self._ui)

    def _bubbles(self) -> Iterator[Link]:
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
            title = f"{name[0].upper()}{name[1:]} of {_us(dur)} on {core}"
            yield Link("bubble", core, title, self._url(places.bubble(self._tp, slice_id, core)))

    def _worst_subgraph(self) -> Iterator[Link]:
        from perfetto_pypto.ui import places

        found = places.rows(
            self._tp,
            """
            SELECT leaf_hash, label, engine, task_count, total, time_share
            FROM pypto_subgraph_stats LIMIT 1
            """,
        )
        for leaf_hash, label, engine, count, total, share in found:
            title = (
                f"Subgraph with the most time: {label or leaf_hash}, {count:,} tasks on {engine}, "
                f"{_us(total)}, {share:.1%}"
            )
            yield Link("subgraph", leaf_hash, title, self.at(f"subgraph={leaf_hash}"))

    def _advice(self) -> Iterator[Link]:
        from perfetto_pypto.advice import advise

        for advice in advise(self._tp):
            title = f"{advice.severity}: {advice.title}"
            if advice.evidence:
                title += f" ({advice.evidence[0].text})"
            yield Link("advice", advice.rule, title, self.at(advice.at or "critical-path"))

    def _findings(self) -> Iterator[Link]:
        from perfetto_pypto.metrics.compute import read_findings
        from perfetto_pypto.ui import places, tables
        from perfetto_pypto.ui.view import View

        tasks = {task for (task,) in places.rows(self._tp, "SELECT task FROM pypto_task")}
        for finding in read_findings(self._tp):
            examples = "; ".join(finding.examples)
            named = next((task for task in _TASK.findall(examples) if task in tasks), None)
            seen = places.find(self._tp, f"task={named}") if named else places.whole(self._tp)
            query = (
                f"SELECT {tables.text(finding.severity)} AS severity, {finding.count} AS n, "
                f"{tables.text(finding.message[:_TEXT])} AS finding, "
                f"{tables.text(examples[:_TEXT])} AS examples"
            )
            view = View(seen.span, seen.selection if named else None, query, (places.PINNED,))
            title = f"{finding.severity}: {finding.count:,} {finding.code}"
            yield Link("finding", finding.code, title, self._url(view))


def links(
    source: str | os.PathLike[str] | Swimlane,
    trace_url: str,
    *,
    cores: Mapping[str, int] | None = None,
    small_task_ns: int | None = None,
    engine: str | None = None,
) -> list[Link]:
    """Makes deep links into ui.perfetto.dev for a trace that is hosted somewhere.

    Args:
        source: the trace that `convert` wrote, or the swimlane that it was made of.
        trace_url: where the UI can fetch the trace: https with CORS, or this machine's port 9001.
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
    import perfetto_pypto as pp

    _check_url(trace_url)
    options = {"cores": cores, "small_task_ns": small_task_ns, "engine": engine}
    with enriched(source, **options) as trace, pp.open_trace(trace, **options) as tp:  # type: ignore[arg-type]
        return Linker(tp, trace_url).all()


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


def _check_url(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme == "https" and parts.hostname:
        return
    if parts.scheme == "http" and parts.netloc == "127.0.0.1:9001":
        return
    raise PyptoPerfettoError(
        f"--trace-url {url}: ui.perfetto.dev can't fetch from there; "
        "use https://… with CORS, or http://127.0.0.1:9001/…"
    )


def _us(ns: int) -> str:
    return f"{ns / 1e3:,.2f} µs"


def _escaped(text: str) -> str:
    return re.sub(r"[\[\]\\*_`<>|]", r"\\\g<0>", text)
