"""An engine on a thread of its own.

Python delivers Ctrl-C on the main thread, at any bytecode: also inside a function that the engine
calls, from where it can't travel through compiled code. So the engine never runs on a thread that
a signal can reach; the caller waits, and stops the engine from outside.
"""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from perfetto_pypto.alongside import ENGINE_THREAD
from perfetto_pypto.engine.host import WasmHost
from perfetto_pypto.errors import EngineError

#: Compiled code may use 2 MiB of it, the host's functions come on top.
_THREAD_STACK_BYTES = 16 * 1024 * 1024

#: Waiting in steps: on Windows a wait without an end can't be interrupted.
_STEP_S = 0.5

#: An interrupted engine stops at its next loop or call.
_STOP_S = 5.0


@dataclass(slots=True)
class _Job:
    run: Callable[[], Any]
    done: threading.Event = field(default_factory=threading.Event)
    result: Any = None
    error: BaseException | None = None


class Worker:
    """Starts an engine on a new thread.

    Args:
        wasm: path of a trace_processor.wasm.
        timeout: seconds that a request may take; None: no limit.

    Raises:
        EngineError: as `WasmHost`.
    """

    def __init__(self, wasm: str, timeout: float | None) -> None:
        self._timeout = timeout
        self._stopped: str | None = None
        self._host: WasmHost | None = None
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        # The thread holds the queue alone: an engine that nobody refers to can be collected.
        self._thread = _start_thread(self._jobs)
        try:
            self._host = self._run(lambda: WasmHost(wasm), None)
        except BaseException:
            self._jobs.put(None)
            raise

    def request(self, parts: Iterable[bytes | memoryview]) -> list[bytes]:
        """As `WasmHost.request`, with Ctrl-C and the time limit.

        Raises:
            EngineError: crashed, out of time, interrupted before, or closed.
        """
        host = self._host
        if host is None:
            raise EngineError("the trace processor is closed; open the trace again")
        if self._stopped:
            raise EngineError(self._stopped)
        replies: list[bytes] = self._run(lambda: host.request(parts), self._timeout)
        return replies

    def interrupt(self) -> None:
        """Stops the running request."""
        if self._host is not None:
            self._host.interrupt()

    def close(self) -> None:
        """Frees the engine and ends its thread; again: does nothing."""
        host, self._host = self._host, None
        # When the interpreter ends its daemon threads are frozen: waiting would be for ever.
        if host is None or sys.is_finalizing() or not self._thread.is_alive():
            return
        self._run(host.close, None)
        self._jobs.put(None)
        self._thread.join()

    def _run(self, call: Callable[[], Any], timeout: float | None) -> Any:
        if not self._thread.is_alive():
            return call()  # in a forked copy, which has but one thread and dies of Ctrl-C
        job = _Job(call)
        self._jobs.put(job)
        try:
            _wait(job.done, timeout)
        except BaseException as error:
            self._stopped = (
                str(error)
                if isinstance(error, EngineError)
                else "the trace processor was interrupted; open the trace again"
            )
            self.interrupt()
            job.done.wait(_STOP_S)
            raise
        if job.error is not None:
            raise job.error
        return job.result


def _wait(done: threading.Event, timeout: float | None) -> None:
    if timeout is None:
        while not done.wait(_STEP_S):
            pass
        return
    end = time.monotonic() + timeout
    while not done.wait(max(0.0, min(_STEP_S, end - time.monotonic()))):
        if time.monotonic() >= end:
            raise EngineError(
                f"the trace processor gave no answer within {timeout:g} s; "
                "open the trace again with a longer timeout"
            )


def _start_thread(jobs: queue.SimpleQueue[_Job | None]) -> threading.Thread:
    before = threading.stack_size(_THREAD_STACK_BYTES)
    try:
        thread = threading.Thread(target=_work, args=(jobs,), name=ENGINE_THREAD, daemon=True)
        thread.start()
    finally:
        threading.stack_size(before)
    return thread


def _work(jobs: queue.SimpleQueue[_Job | None]) -> None:
    while job := jobs.get():
        try:
            job.result = job.run()
        except BaseException as error:  # noqa: BLE001 - it belongs to the caller
            job.error = error
        job.done.set()
        del job  # else the last one would be held until the next comes
