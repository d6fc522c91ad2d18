"""The trace processor's RPC protocol: a stream of length-delimited TraceProcessorRpc messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from perfetto.common.exceptions import PerfettoException

#: Tag of TraceProcessorRpcStream.msg, and of the fields of an append request.
_MSG = b"\x0a"
_SEQ = b"\x08"
_REQUEST = b"\x10"
_APPEND_TRACE_DATA = b"\xaa\x06"  # field 101, bytes


def frame(message: bytes) -> bytes:
    """Wraps a serialised TraceProcessorRpc for the stream."""
    return _MSG + _varint(len(message)) + message


def frame_append(seq: int, method: int, data: bytes | memoryview) -> list[bytes | memoryview]:
    """The request that appends trace data, without a copy of the data.

    Args:
        seq: number of the request.
        method: TPM_APPEND_TRACE_DATA.
        data: a piece of the trace.
    """
    head = b"".join(
        (_SEQ, _varint(seq), _REQUEST, _varint(method), _APPEND_TRACE_DATA, _varint(len(data)))
    )
    return [_MSG + _varint(len(head) + len(data)) + head, data]


def read_replies(protos: Any, pieces: Iterable[bytes]) -> Iterator[Any]:
    """Decodes a stream of replies into TraceProcessorRpc messages.

    Raises:
        PerfettoException: the engine doesn't know the request, or the stream is broken.
    """
    for body in _unframe(pieces):
        reply = protos.TraceProcessorRpc()
        reply.ParseFromString(body)
        _check(reply)
        yield reply


def merge_replies(protos: Any, pieces: Iterable[bytes]) -> Any:
    """Decodes a reply that comes in several messages, as a query's batches do, into one.

    Raises:
        PerfettoException: as `read_replies`.
    """
    merged = protos.TraceProcessorRpc()
    for body in _unframe(pieces):
        merged.MergeFromString(body)
    _check(merged)
    return merged


def register_request(protos: Any, name: str, modules: Mapping[str, str]) -> Any:
    """The request that registers SQL modules, by full name, under the package ``name``."""
    request = protos.TraceProcessorRpc()
    request.request = protos.TraceProcessorRpc.TPM_REGISTER_SQL_PACKAGE
    args = request.register_sql_package_args
    args.package_name = name
    for module, sql in modules.items():
        args.modules.add(name=module, sql=sql)
    return request


def _check(reply: Any) -> None:
    if reply.HasField("fatal_error"):
        raise PerfettoException(reply.fatal_error)
    if reply.HasField("invalid_request"):
        methods = reply.DESCRIPTOR.enum_types_by_name["TraceProcessorMethod"].values_by_number
        number = reply.invalid_request
        name = methods[number].name if number in methods else number
        raise PerfettoException(f"this trace processor doesn't know {name}")


def _unframe(pieces: Iterable[bytes]) -> Iterator[bytes]:
    stream = b"".join(pieces)
    place = 0
    while place < len(stream):
        if stream[place] != _MSG[0]:
            raise PerfettoException(f"not a reply of a trace processor: tag {stream[place]:#x}")
        size, start = _read_varint(stream, place + 1)
        place = start + size
        yield stream[start:place]


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _read_varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7
