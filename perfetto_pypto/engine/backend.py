"""Perfetto's client on the embedded engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

from perfetto.common.exceptions import PerfettoException
from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig
from perfetto.trace_processor.backend import TraceProcessorBackend
from perfetto.trace_processor.platform import PlatformDelegate

from perfetto_pypto.engine.host import REQUEST_BYTES
from perfetto_pypto.engine.protos import shared_protos
from perfetto_pypto.engine.rpc import (
    frame,
    frame_append,
    merge_replies,
    read_replies,
    register_request,
)
from perfetto_pypto.engine.worker import Worker

#: A piece of the trace and its header fill the engine's buffer once: no copy inside the engine.
_PIECE_BYTES = REQUEST_BYTES - 64


class EmbeddedTraceProcessor(TraceProcessor):  # type: ignore[misc]  # perfetto has no types
    """Perfetto's `TraceProcessor` with the engine in this process, and no trace yet.

    The client's own `__init__` isn't called: it would build Perfetto's message classes anew for
    each trace, 5 ms and 0.6 MB that only a full garbage collection frees. What it sets otherwise is
    set here: that version of perfetto (0.59) is pinned.

    Args:
        wasm: path of a trace_processor.wasm.
        timeout: seconds that one request may take; None: no limit.

    Raises:
        EngineError: the engine can't be started.
    """

    def __init__(self, wasm: str, timeout: float | None = None) -> None:
        self._metadata: dict[str, str] = {}
        self.config = TraceProcessorConfig()
        self.platform_delegate = PlatformDelegate()
        self.protos = shared_protos()
        self.resolver_registry = self.platform_delegate.default_resolver_registry()
        self._backend = self.http = EmbeddedBackend(Worker(wasm, timeout), self.protos)


class EmbeddedBackend(TraceProcessorBackend):  # type: ignore[misc]  # perfetto has no types
    """The client's requests as RPC messages; all messages are Perfetto's own protos.

    Raises:
        EngineError: from every method, when the engine crashed, was stopped or is closed.
    """

    def __init__(self, worker: Worker, protos: Any) -> None:
        super().__init__(protos)
        self._worker = worker
        self._seq = 0

    def execute_query(self, query: str) -> Any:
        """Runs SQL; the QueryResult carries the engine's error."""
        request = self._request("TPM_QUERY_STREAMING")
        request.query_args.sql_query = query
        return self._call(request).query_result

    def compute_metric(self, metrics: Sequence[str]) -> Any:
        """Computes metrics of version 1."""
        request = self._request("TPM_COMPUTE_METRIC")
        request.compute_metric_args.metric_names.extend(metrics)
        return self._call(request).metric_result

    def trace_summary(
        self,
        specs: Sequence[str | bytes],
        metric_ids: Sequence[str] | None = None,
        metadata_query_id: str | None = None,
    ) -> Any:
        """Computes metrics of version 2: all of them unless ``metric_ids`` are given."""
        request = self._request("TPM_SUMMARIZE_TRACE")
        args = request.trace_summary_args
        if metric_ids is None:
            args.computation_spec.run_all_metrics = True
        else:
            args.computation_spec.metric_ids.extend(metric_ids)
        if metadata_query_id is not None:
            args.computation_spec.metadata_query_id = metadata_query_id
        for spec in specs:
            if isinstance(spec, str):
                args.textproto_specs.append(spec)
            else:
                args.proto_specs.add().ParseFromString(spec)
        args.output_format = self.protos.TraceSummaryArgs.Format.BINARY_PROTOBUF
        return self._call(request).trace_summary_result

    def enable_metatrace(self) -> None:
        """Starts a trace of the engine itself."""
        self._call(self._request("TPM_ENABLE_METATRACE"))

    def disable_and_read_metatrace(self) -> Any:
        """Ends that trace and returns it."""
        return self._call(self._request("TPM_DISABLE_AND_READ_METATRACE")).metatrace

    def export(self, output_file: BinaryIO, export_format: str) -> None:
        """Exports the tables; v52 knows no export and says so."""
        request = self._request("TPM_EXPORT")
        request.export_args.format = self.protos.ExportArgs.Format.Value(export_format.upper())
        for reply in read_replies(self.protos, self._send(request)):
            if reply.export_result.error:
                raise PerfettoException(reply.export_result.error)
            output_file.write(reply.export_result.data)

    def parse(self, chunk: bytes) -> Any:
        """Appends a piece of the trace, of any size; the result carries the engine's error."""
        result = self.protos.AppendTraceDataResult()
        method = self.protos.TraceProcessorRpc.TPM_APPEND_TRACE_DATA
        data = memoryview(chunk)
        for start in range(0, len(data), _PIECE_BYTES):
            self._seq += 1
            parts = frame_append(self._seq, method, data[start : start + _PIECE_BYTES])
            result = merge_replies(self.protos, self._worker.request(parts)).append_result
            if result.error:
                break
        return result

    def notify_eof(self) -> None:
        """Ends the trace; only here does the engine notice that something is missing."""
        reply = self._call(self._request("TPM_FINALIZE_TRACE_DATA"))
        if reply.finalize_data_result.error:
            raise PerfettoException(reply.finalize_data_result.error)

    def interrupt(self) -> None:
        """Stops the running request, from any thread; the engine is then of no more use."""
        self._worker.interrupt()

    def close(self) -> None:
        """Frees the engine; again: does nothing."""
        self._worker.close()

    def status(self) -> Any:
        """The engine's version."""
        return self._call(self._request("TPM_GET_STATUS")).status

    def register_sql_package(
        self, name: str, modules: Mapping[str, str], *, override: bool = False
    ) -> None:
        """Registers SQL modules, by full name, under a package.

        ``override``: in place of the package's modules, none of which was included yet.
        """
        request = register_request(self.protos, name, modules)
        request.register_sql_package_args.allow_override = override
        reply = self._call(request)
        if reply.register_sql_package_result.error:
            raise PerfettoException(reply.register_sql_package_result.error)

    def _request(self, method: str) -> Any:
        message = self.protos.TraceProcessorRpc()
        message.request = getattr(self.protos.TraceProcessorRpc, method)
        return message

    def _call(self, request: Any) -> Any:
        return merge_replies(self.protos, self._send(request))

    def _send(self, request: Any) -> list[bytes]:
        self._seq += 1
        request.seq = self._seq
        return self._worker.request([frame(request.SerializeToString())])
