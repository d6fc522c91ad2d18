"""A trace processor's HTTP server as a program: Perfetto's endpoints on the embedded engine.

python -m tests.engine.serving -D --http-port PORT [--add-sql-package FOLDER@NAME]… [--no-rpc]
"""

from __future__ import annotations

import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import pairwise
from pathlib import Path

from perfetto_pypto.engine import open_trace
from perfetto_pypto.engine.backend import EmbeddedTraceProcessor
from perfetto_pypto.engine.choice import bundled_wasm
from perfetto_pypto.engine.packages import read_modules


class Server(HTTPServer):
    def __init__(self, port: int, trace: bytes | None = None, *, rpc: bool = True) -> None:
        super().__init__(("localhost", port), Handler)
        self.rpc = rpc
        self.tp = (
            EmbeddedTraceProcessor(str(bundled_wasm())) if trace is None else open_trace(trace)
        )


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *_args: object) -> None:
        pass

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, body: bytes) -> None:
        backend, protos = self.server.tp.http, self.server.tp.protos
        if self.path == "/status":
            reply = backend.status().SerializeToString()
        elif self.path == "/parse":
            reply = backend.parse(body).SerializeToString()
        elif self.path == "/notify_eof":
            backend.notify_eof()
            reply = b""
        elif self.path == "/query":
            sql = protos.QueryArgs.FromString(body).sql_query
            reply = backend.execute_query(sql).SerializeToString()
        elif self.path == "/rpc" and self.server.rpc:
            reply = b"".join(backend._worker.request([body]))
        else:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)


def main(args: list[str]) -> None:
    server = Server(int(args[args.index("--http-port") + 1]))
    for flag, value in pairwise(args):
        if flag == "--add-sql-package":
            folder, _, name = value.rpartition("@")
            server.tp.http.register_sql_package(name, read_modules(name, Path(folder)))
    server.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])
