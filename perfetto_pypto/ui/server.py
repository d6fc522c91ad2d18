"""A server for this machine's browser: a few files, on the loopback address alone.

A page of any site can send requests to 127.0.0.1. So only GET is answered, only for the paths
given, only under this server's own name (a foreign one is DNS rebinding), and no page but the
Perfetto UI may read an answer.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from perfetto_pypto.errors import PyptoPerfettoError

ADDRESS = "127.0.0.1"
#: The port that ui.perfetto.dev may fetch from.
UI_PORT = 9001
UI_ORIGIN = "https://ui.perfetto.dev"

#: A silent client is dropped after this many seconds.
_CLIENT_TIMEOUT = 30


@dataclass(frozen=True, slots=True)
class Served:
    """A file, or bytes, and its media type."""

    content: Path | bytes
    type: str


class LocalServer(ThreadingHTTPServer):
    """Serves fixed paths on 127.0.0.1.

    Args:
        files: what is served, by path (``/trace/run.pftrace``).
        port: 0 takes a free one.
        awaited: the path whose fetch is what the server is for; None: there is none.

    Raises:
        PyptoPerfettoError: the port can't be had.
    """

    daemon_threads = True
    # On Windows this option would let another program take the port over.
    allow_reuse_address = os.name != "nt"

    def __init__(self, files: Mapping[str, Served], port: int, awaited: str | None = None) -> None:
        self.files = dict(files)
        self.awaited = awaited
        self.fetched = False
        self._busy = 0
        self._last = time.monotonic()
        self._lock = threading.Lock()
        try:
            super().__init__((ADDRESS, port), _Handler)
        except OSError as error:
            raise PyptoPerfettoError(_port_problem(port, error)) from error
        self.origin = f"http://{ADDRESS}:{self.server_port}"

    def run(self, *, idle: float | None, grace: float = 0.0) -> bool:
        """Serves until it is no longer needed, or Ctrl-C.

        Args:
            idle: seconds without a request after which it ends; None: never.
            grace: the same, once the awaited path was fetched.

        Returns:
            Whether the awaited path was fetched.
        """
        self.timeout = 0.1
        try:
            while idle is None or self._idle() < (grace if self.fetched else idle):
                self.handle_request()
        finally:
            self.server_close()
        return self.fetched

    def begin(self) -> None:
        """A request came in."""
        with self._lock:
            self._busy += 1

    def end(self, path: str | None) -> None:
        """A request was answered; ``path`` is what was sent whole."""
        with self._lock:
            self._busy -= 1
            self._last = time.monotonic()
            self.fetched = self.fetched or (path is not None and path == self.awaited)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away is no error."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def _idle(self) -> float:
        with self._lock:
            return 0.0 if self._busy else time.monotonic() - self._last


class _Handler(BaseHTTPRequestHandler):
    server: LocalServer
    timeout = _CLIENT_TIMEOUT
    server_version = "pypto-perfetto"
    sys_version = ""

    def do_GET(self) -> None:
        self.server.begin()
        sent = None
        try:
            sent = self._get()
        finally:
            self.server.end(sent)

    def do_POST(self) -> None:
        # The UI asks 127.0.0.1:9001 in this way for a native trace processor: there is none.
        is_probe = self.path == "/status"
        self.send_error(HTTPStatus.NOT_FOUND if is_probe else HTTPStatus.METHOD_NOT_ALLOWED)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Says nothing: the terminal belongs to the command."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        super().end_headers()

    def _get(self) -> str | None:
        origin = self.headers.get("Origin")
        if f"http://{self.headers.get('Host')}" != self.server.origin:
            self.send_error(HTTPStatus.FORBIDDEN, "Not this server's name")
            return None
        if origin not in (None, UI_ORIGIN, self.server.origin):
            self.send_error(HTTPStatus.FORBIDDEN, "Only for the Perfetto UI")
            return None
        path = urlsplit(self.path).path
        served = self.server.files.get(path)
        if served is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        self._send(served, origin)
        return path

    def _send(self, served: Served, origin: str | None) -> None:
        content = served.content
        size = len(content) if isinstance(content, bytes) else content.stat().st_size
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", served.type)
        self.send_header("Content-Length", str(size))
        self.send_header("Vary", "Origin")
        if origin == UI_ORIGIN:
            self.send_header("Access-Control-Allow-Origin", UI_ORIGIN)
        self.end_headers()
        if isinstance(content, bytes):
            self.wfile.write(content)
        else:
            with content.open("rb") as file:
                shutil.copyfileobj(file, self.wfile)


def _port_problem(port: int, error: OSError) -> str:
    if error.errno in (errno.EADDRINUSE, errno.EACCES):
        return (
            f"port {port} of {ADDRESS} is taken or not allowed ({error.strerror}); end the program "
            "that uses it (perhaps an earlier open --keep, or trace_processor); open can do "
            "without it: --ui local --port 0"
        )
    return f"can't listen on {ADDRESS}:{port} ({error.strerror}); choose another --port"
