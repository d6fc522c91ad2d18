"""A native trace processor: started here, or running already; both are spoken to over HTTP."""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from perfetto.common.exceptions import PerfettoException
from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig
from perfetto.trace_processor.api import SqlPackage

from perfetto_pypto.engine.rpc import frame, merge_replies, register_request
from perfetto_pypto.errors import EngineError

#: What a broken or foreign server does to the client.
UNREACHABLE = (OSError, http.client.HTTPException)


def start(binary: str, packages: Mapping[str, Path], timeout: float | None) -> TraceProcessor:
    """Starts a trace_processor_shell with the SQL packages; closing the client ends it.

    Raises:
        EngineError: it doesn't start.
    """
    config = TraceProcessorConfig(
        bin_path=binary,
        add_sql_packages=[
            SqlPackage(str(folder.resolve()), package=name) for name, folder in packages.items()
        ],
    )
    try:
        tp = TraceProcessor(config=config)
    except (OSError, PerfettoException) as error:
        reason = " ".join(str(error).split())
        raise EngineError(
            f"{binary}: can't be started as a trace processor ({reason}); "
            "pass a trace_processor_shell for this machine, or use the embedded one"
        ) from error
    tp.http.conn.timeout = timeout
    return tp


def connect(address: str, timeout: float | None) -> TraceProcessor:
    """Connects to a running server; closing the client leaves it running.

    Raises:
        EngineError: nothing answers there, or no trace processor.
    """
    tp = TraceProcessor(addr=address)
    tp.http.conn.timeout = timeout
    try:
        version = tp.http.status().human_readable_version
    except (*UNREACHABLE, ValueError, _decode_error()) as error:
        tp.close()
        raise EngineError(_no_server(address, error)) from error
    if not version:
        tp.close()
        raise EngineError(_no_server(address, "no version in its answer"))
    return tp


def register(tp: TraceProcessor, address: str, name: str, modules: Mapping[str, str]) -> None:
    """Registers SQL modules, by full name, in a running server; keeps those that it knows.

    Replacing them would make the server forget which were included, and an included module can't
    be included again.

    Raises:
        EngineError: the server can't do that.
    """
    request = register_request(tp.protos, name, modules)
    connection: http.client.HTTPConnection = tp.http.conn
    try:
        connection.request("POST", "/rpc", body=frame(request.SerializeToString()))
        with connection.getresponse() as response:
            body = response.read()
        if response.status == http.client.OK:
            result = merge_replies(tp.protos, [body])
            error = result.register_sql_package_result.error or _missing(result)
        else:
            error = f"/rpc answers {response.status} {response.reason}"
    except (*UNREACHABLE, PerfettoException) as failure:
        error = str(failure)
    if error and f"Package '{name}' is already registered" not in error:
        raise EngineError(
            f"trace processor {address}: the SQL package {name} can't be registered "
            f"({' '.join(error.split())}); start the server with --add-sql-package FOLDER@{name}"
        )


def _missing(reply: Any) -> str:
    return "" if reply.HasField("register_sql_package_result") else "no answer to the request"


def _no_server(address: str, reason: object) -> str:
    return (
        f"trace processor {address}: no trace processor answers there ({reason}); "
        "start one with: trace_processor_shell -D --http-port PORT"
    )


def _decode_error() -> type[Exception]:
    from google.protobuf.message import DecodeError

    return DecodeError
