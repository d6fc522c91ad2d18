"""A running server, and a binary that this package starts: the same answers over HTTP."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from perfetto_pypto.engine import engine_info, open_trace, query_columns
from perfetto_pypto.errors import EngineError, InputError, QueryError
from tests.engine.serving import Server
from tests.engine.traces import json_trace, proto_trace

ROOT = Path(__file__).parents[2]
PROTO = proto_trace(("a", 10, 5), ("b", 20, 7))


@pytest.fixture
def serve():
    """Starts a server; returns HOST:PORT."""
    running = []

    def start(trace: bytes | None = None, *, rpc: bool = True) -> str:
        server = Server(0, trace, rpc=rpc)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        running.append((server, thread))
        return f"localhost:{server.server_port}"

    yield start
    for server, thread in running:
        server.shutdown()
        thread.join()
        server.server_close()
        server.tp.close()


@pytest.fixture
def package(tmp_path):
    (tmp_path / "sql").mkdir()
    (tmp_path / "sql" / "total.sql").write_text(
        "CREATE PERFETTO TABLE mine_total AS SELECT sum(dur) AS total FROM slice;"
    )
    return {"mine": tmp_path / "sql"}


@pytest.fixture
def binary(tmp_path):
    """An executable that serves as trace_processor_shell does."""
    path = tmp_path / "trace_processor_shell"
    path.write_text(
        f"#!{sys.executable}\n"
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from tests.engine.serving import main\nmain(sys.argv[1:])\n"
    )
    path.chmod(0o755)
    return str(path)


TOTAL = "INCLUDE PERFETTO MODULE mine.total; SELECT total FROM mine_total"


def test_a_trace_is_loaded_into_a_running_server(serve, package):
    with open_trace(PROTO, engine=serve(), sql_packages=package) as tp:
        assert query_columns(tp, TOTAL)["total"].tolist() == [12]


def test_no_trace_asks_what_the_server_holds(serve, package):
    address = serve(PROTO)
    for _ in range(2):
        with open_trace(None, engine=address, sql_packages=package) as tp:
            assert query_columns(tp, TOTAL)["total"].tolist() == [12]


def test_a_trace_replaces_what_the_server_holds(serve, package):
    address = serve(PROTO)
    with open_trace(json_trace(("c", 1, 2)), engine=address, sql_packages=package) as tp:
        assert query_columns(tp, TOTAL)["total"].tolist() == [2000]


def test_a_server_that_takes_no_sql_packages_needs_them_at_its_start(serve, package):
    address = serve(PROTO, rpc=False)
    with pytest.raises(EngineError) as caught:
        open_trace(None, engine=address, sql_packages=package)
    assert str(caught.value) == (
        f"trace processor {address}: the SQL package mine can't be registered "
        "(/rpc answers 404 Not Found); start the server with --add-sql-package FOLDER@mine"
    )


def test_errors_of_a_server(serve):
    address = serve(PROTO)
    with open_trace(None, engine=address) as tp, pytest.raises(QueryError, match="no such column"):
        query_columns(tp, "SELECT nope")
    with pytest.raises(InputError, match="can't read it"):
        open_trace(b"hello, world, this is no trace" * 100, engine=address)


def test_nobody_answers(serve):
    with pytest.raises(EngineError) as caught:
        open_trace(None, engine="localhost:1")
    assert str(caught.value).startswith("trace processor localhost:1: no trace processor answers")
    assert str(caught.value).endswith("start one with: trace_processor_shell -D --http-port PORT")


def test_a_binary_is_started_and_ended(binary, package):
    with open_trace(PROTO, engine=binary, sql_packages=package) as tp:
        assert query_columns(tp, TOTAL)["total"].tolist() == [12]
        process = tp.subprocess
    assert process.wait(30) is not None


def test_a_file_that_is_no_binary(tmp_path):
    path = tmp_path / "trace_processor_shell"
    path.write_text("#!/bin/sh\nexit 3\n")
    for mode in (0o644, 0o755):
        path.chmod(mode)
        with pytest.raises(EngineError) as caught:
            open_trace(None, engine=str(path))
        assert str(caught.value).startswith(f"{path}: can't be started as a trace processor (")
        assert "\n" not in str(caught.value)


def test_engine_info_of_a_server(serve):
    address = serve()
    info = engine_info(address)
    assert (info.kind, info.where, info.wasmtime, info.cached) == ("server", address, None, None)
    assert info.version.startswith("Perfetto v")
