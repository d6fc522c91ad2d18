"""The local server against what a hostile page, program or neighbour may try."""

from __future__ import annotations

import http.client
import socket
import threading
from contextlib import contextmanager

import pytest

from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.ui.server import LocalServer, Served

UI = "https://ui.perfetto.dev"
TRACE = "/trace/run.pftrace"


@contextmanager
def serving(files, **options):
    """A server in a thread."""
    with LocalServer(files, 0, **options) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    (folder / "run.pftrace").write_bytes(b"the trace")
    (folder / "secret.txt").write_text("secret")
    with serving({TRACE: Served(folder / "run.pftrace", "application/octet-stream")}) as server:
        yield server


def ask(server, method="GET", path=TRACE, **headers):
    """Sends one request, byte for byte, and returns status, headers and body."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    connection.close()
    return found


def test_the_ui_gets_the_trace(server):
    status, headers, body = ask(server, Origin=UI)
    assert (status, body) == (200, b"the trace")
    assert headers["content-type"] == "application/octet-stream"
    assert headers["content-length"] == "9"
    assert headers["access-control-allow-origin"] == UI
    assert headers["vary"] == "Origin"
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"


def test_no_other_page_does(server):
    for origin in (
        "https://evil.example",
        "http://ui.perfetto.dev",
        "https://ui.perfetto.dev.evil.example",
        "https://ui.perfetto.dev:444",
        "null",
    ):
        status, headers, body = ask(server, Origin=origin)
        assert status == 403
        assert "access-control-allow-origin" not in headers
        assert b"the trace" not in body


def test_a_page_without_an_origin_cannot_read_it(server):
    # An image or script of another site: the browser drops the answer.
    _, headers, _ = ask(server)
    assert "access-control-allow-origin" not in headers
    assert headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "localhost:{port}", "127.0.0.1", "", "[::1]:{port}"],
)
def test_a_foreign_name_is_refused(server, host):
    status, _, body = ask(server, Host=host.format(port=server.server_port))
    assert status == 403
    assert b"the trace" not in body


def test_its_own_name_is_not(server):
    assert ask(server, Host=f"127.0.0.1:{server.server_port}")[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE"])
def test_only_get(server, method):
    status, headers, body = ask(server, method=method, Origin=UI)
    assert status in (405, 501)
    assert "access-control-allow-origin" not in headers
    assert b"the trace" not in body


def test_the_probe_for_a_native_trace_processor(server):
    assert ask(server, "POST", "/status", Origin=UI)[0] == 404


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/trace/",
        "/trace/secret.txt",
        "/trace/../trace/run.pftrace",
        "/../../../../../../etc/passwd",
        "//etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/trace/..%2fsecret.txt",
        "/trace/run.pftrace/",
        "/trace/run.pftrace%00.txt",
        "/trace\\run.pftrace",
        "/TRACE/run.pftrace",
    ],
)
def test_only_what_it_was_told_to_serve(server, path):
    status, _, body = ask(server, path=path)
    assert status == 404
    assert b"secret" not in body


def test_a_query_is_ignored(server):
    assert ask(server, path=f"{TRACE}?x=../secret.txt")[2] == b"the trace"


def test_only_on_the_loopback_address(server):
    assert server.server_address[0] == "127.0.0.1"
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10):
        pass
    # Another address of this machine: nobody listens there.
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.2", server.server_port), timeout=10)


def test_nonsense_is_no_traceback(server, capfd):
    for nonsense in (b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02", b"GET / HTTP/9.9\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as client:
            client.sendall(nonsense)
            client.shutdown(socket.SHUT_WR)
            client.recv(1000)
    assert ask(server)[0] == 200
    assert capfd.readouterr().err == ""


def test_a_reader_that_goes_away_is_not_counted(tmp_path):
    big = tmp_path / "big"
    big.write_bytes(bytes(50_000_000))
    with serving({TRACE: Served(big, "x/y")}, awaited=TRACE) as server:
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as client:
            client.sendall(
                f"GET {TRACE} HTTP/1.0\r\nHost: 127.0.0.1:{server.server_port}\r\n\r\n".encode()
            )
            client.recv(1000)
        assert ask(server, path="/other")[0] == 404
        assert not server.fetched
        assert len(ask(server)[2]) == 50_000_000
        assert server.fetched


def test_it_ends_when_nobody_asks():
    server = LocalServer({}, 0, awaited=TRACE)
    assert server.run(idle=0.2) is False
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", server.server_port), timeout=10)


def test_it_ends_once_the_trace_was_fetched():
    server = LocalServer({TRACE: Served(b"the trace", "x/y")}, 0, awaited=TRACE)
    answers = []
    client = threading.Thread(target=lambda: answers.append(ask(server)))
    client.start()
    assert server.run(idle=60, grace=0.2) is True
    client.join()
    assert answers[0][2] == b"the trace"


def test_a_port_that_is_taken():
    with LocalServer({}, 0) as first, pytest.raises(PyptoPerfettoError) as error:
        LocalServer({}, first.server_port)
    assert str(error.value).startswith(f"port {first.server_port} of 127.0.0.1 is taken")
    assert "\n" not in str(error.value)
