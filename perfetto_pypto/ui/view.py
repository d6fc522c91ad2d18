"""A place in a trace as a link of the Perfetto UI."""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.ui.commands import Command

#: The public UI.
PUBLIC_UI = "https://ui.perfetto.dev/"

#: Longer links are cut by chat programs, mailers and proxies.
MAX_LINK = 8 * 1024


@dataclass(frozen=True, slots=True)
class Selection:
    """A slice that the UI selects.

    The UI selects the first slice with a start and a duration, in ns. Where that is another one,
    the link names the slice's id too: the UI puts the value into SQL as it is.
    """

    ts: int
    dur: int
    id: int
    is_first: bool

    def parameters(self) -> dict[str, str]:
        """The link's values."""
        if self.is_first:
            return {"ts": str(self.ts), "dur": str(self.dur)}
        return {"ts": f"{self.ts} AND id={self.id}"}


@dataclass(frozen=True, slots=True)
class View:
    """What the UI shows once the trace is loaded.

    span:      (start, end) of the visible time, ns, inside the trace; None: the whole trace
    selection: the slice to select
    query:     SQL whose rows are shown in a tab
    commands:  start-up commands
    """

    span: tuple[int, int] | None = None
    selection: Selection | None = None
    query: str | None = None
    commands: tuple[Command, ...] = ()

    def url(self, trace_url: str, ui: str = PUBLIC_UI) -> str:
        """Returns the link: each value percent-encoded, none of them cut.

        Raises:
            PyptoPerfettoError: the link is too long to be passed on.
        """
        values = {"url": trace_url, "hideSidebar": "true"}
        if self.selection is not None:
            values |= self.selection.parameters()
        if self.span is not None:
            values |= {"visStart": str(self.span[0]), "visEnd": str(self.span[1])}
        if self.query is not None:
            values["query"] = " ".join(self.query.split())
        if self.commands:
            values["startupCommands"] = json.dumps(self.commands, separators=(",", ":"))
        url = f"{ui}#!/?{urlencode(values, quote_via=quote, safe='')}"
        if len(url) >= MAX_LINK:
            raise PyptoPerfettoError(
                f"a link of {len(url):,} characters is too long; use a shorter --trace-url"
            )
        return url
