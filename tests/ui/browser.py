"""The real Perfetto UI in a headless Chromium, served by the project's own server."""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from perfetto_pypto.ui.local import ui_files
from perfetto_pypto.ui.server import LocalServer, Served

_READY = "() => window.app?.trace && !app.isLoadingTrace"


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, or the one that CHROMIUM names."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    assert path, "no chromium: apt-get install chromium, or set CHROMIUM to its path"
    options = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=options)
        yield browser
        browser.close()


@contextmanager
def serving(traces: dict[str, Path]) -> Iterator[LocalServer]:
    """Serves the UI and traces, each as ``/trace/NAME.pftrace``, in a thread."""
    files = {
        f"/trace/{name}.pftrace": Served(path, "application/octet-stream")
        for name, path in traces.items()
    }
    server = LocalServer({**ui_files(), **files}, 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class PerfettoUI:
    """One page with the UI in it.

    Attributes:
        problems: what the UI complained about: dialogs, modal boxes and errors of the page.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.problems: list[str] = []
        page.on("dialog", self._dialog)
        page.on("pageerror", lambda error: self.problems.append(str(error)))

    def open(self, url: str, timeout: float = 120_000) -> None:
        """Goes to a link and waits until the trace is there and the UI has come to rest."""
        self.page.goto("about:blank")
        self.page.goto(url)
        self.loaded(timeout)

    def loaded(self, timeout: float = 120_000) -> None:
        """Waits until the trace is there and the UI has come to rest."""
        self.page.wait_for_function(_READY, timeout=timeout)
        self.rest()
        self.problems += self.page.locator(".pf-modal-dialog").all_inner_texts()

    def rest(self) -> None:
        """Waits until nothing is under way."""
        self.page.evaluate("() => window.waitForPerfettoIdle(200)")

    def tracks(self) -> list[str]:
        """The top rows of the run, in their order."""
        return self.page.evaluate("() => app.trace.workspace.children[0].children.map(t => t.name)")

    def children(self, row: str) -> list[str]:
        """The rows below one."""
        return self.page.evaluate(
            "(name) => app.trace.workspace.flatTracks.find(t => t.name === name)"
            ".children.map(t => t.name)",
            row,
        )

    def pinned(self) -> list[str]:
        """Names of the pinned rows."""
        return self.page.evaluate("() => app.trace.workspace.pinnedTracks.map(t => t.name)")

    def expanded(self) -> list[str]:
        """Names of the groups that are open."""
        return self.page.evaluate(
            "() => app.trace.workspace.flatTracks"
            ".filter(t => t.hasChildren && t.expanded).map(t => t.name)"
        )

    def query(self, sql: str) -> list[dict[str, Any]]:
        """Runs SQL in the page's own engine."""
        return self.page.evaluate(
            """async (sql) => {
              const result = await app.trace.engine.query(sql);
              const rows = [];
              for (const it = result.iter({}); it.valid(); it.next()) {
                rows.push(Object.fromEntries(result.columns().map((c) => {
                  const value = it.get(c);
                  return [c, typeof value === 'bigint' ? Number(value) : value];
                })));
              }
              return rows;
            }""",
            sql,
        )

    def selected(self) -> int | None:
        """The id of the selected slice."""
        return self.page.evaluate("() => app.trace.selection.selection.eventId ?? null")

    def select(self, slice_id: int) -> None:
        """Selects a slice, as a click does."""
        self.page.evaluate(
            "(id) => app.trace.selection.selectSqlEvent('slice', id,"
            " {scrollToSelection: true, switchToCurrentSelectionTab: true})",
            slice_id,
        )
        self.page.wait_for_function(
            "(id) => app.trace.selection.selection.eventId === id", arg=slice_id
        )
        self.rest()

    def drawer(self) -> str:
        """The text of the panel at the bottom, one line, without its icons."""
        text = self.page.locator(".pf-split-panel__drawer").inner_text()
        return re.sub(r"\s+", " ", re.sub(r"arrow_drop_down|call_made", " ", text))

    def visible(self) -> tuple[float, float]:
        """Start and end of the visible time, ns."""
        start, end = self.page.evaluate(
            "() => { const w = app.trace.timeline.visibleWindow;"
            " return [w.start.toNumber(), w.end.toNumber()]; }"
        )
        return start, end

    def _dialog(self, dialog: Any) -> None:
        self.problems.append(dialog.message)
        dialog.dismiss()
