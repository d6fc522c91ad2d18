"""Work on a second core, where there is one: beside the engine, or beside Python itself."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Generic, TypeVar

T = TypeVar("T")

#: Name of the threads on which engines run; between two requests they wait.
ENGINE_THREAD = "trace-processor"

#: From so many tasks on, what is found or drawn of a run takes longer than a process does to start.
MANY_TASKS = 10_000


def on_thread(call: Callable[[], T]) -> Future[T]:
    """Starts ``call`` on a thread: for the time that the engine runs, which needs no Python.

    An executor's thread would hold up the end of the process after Ctrl-C until the call is done.
    """
    future: Future[T] = Future()

    def work() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001 - it belongs to the caller
            future.set_exception(error)

    threading.Thread(target=work, name="alongside", daemon=True).start()
    return future


class Forked(Generic[T]):
    """Starts ``call`` in a copy of this process; its result is sent back.

    Only a process whose other threads are waiting engines is copied, as the command line's is:
    what another thread is about to do would stay half done in the copy. An engine is copied with
    the process, and answers there on the one thread that is left. A worker isn't copied, as others
    have the cores. Then, and where the copy fails, the call is made here, when its result is asked
    for.

    Args:
        call: what is called.
        worth: whether it takes longer than a process does to start.
    """

    def __init__(self, call: Callable[[], T], *, worth: bool = True) -> None:
        self._call = call
        self._started: tuple[Connection, BaseProcess] | None = None
        if worth and cores() > 1:
            with suppress(OSError):  # no more processes or memory for this user
                self._started = _start(call)

    def result(self) -> T:
        """The call's result; its error is raised here."""
        if self._started is not None:
            receiver, copy = self._started
            with receiver, suppress(EOFError, OSError):  # it ended before or while it sent
                result: T = receiver.recv()
                copy.join()
                return result
        return self._call()


def cores() -> int:
    """How many cores there are for copies and this process; 1 where it can't be copied."""
    if sys.platform != "linux" or multiprocessing.parent_process() is not None:
        return 1
    engines = sum(thread.name == ENGINE_THREAD for thread in threading.enumerate())
    try:
        threads = sum(1 for _ in Path("/proc/self/task").iterdir())
    except OSError:
        return 1
    # One that called an engine at this moment would be a thread more.
    return len(os.sched_getaffinity(0)) if threads == 1 + engines else 1


def _start(call: Callable[[], object]) -> tuple[Connection, BaseProcess]:
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    with sender:
        copy = context.Process(target=_send, args=(call, sender), daemon=True)
        with warnings.catch_warnings():
            # Newer Pythons warn of threads, whatever these do.
            warnings.simplefilter("ignore", DeprecationWarning)
            copy.start()
    return receiver, copy


def _send(call: Callable[[], object], sender: Connection) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)  # the copy has nothing to tidy up
    # An error is left to the call that is then made in the first process.
    with sender, suppress(Exception):
        sender.send(call())
