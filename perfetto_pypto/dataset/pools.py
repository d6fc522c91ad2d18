"""Where the work is done: `concurrent.futures` on this machine's cores or on a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import AbstractContextManager, contextmanager
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from perfetto_pypto.errors import PyptoPerfettoError

T = TypeVar("T")
R = TypeVar("R")

_DASK = "dask://"

#: Opens an executor for that many workers (None: all).
Opening = Callable[[int | None], AbstractContextManager[Executor]]


class LostError(Exception):
    """A task whose worker died twice."""


def opening(executor: str) -> tuple[Opening, bool]:
    """How to open an executor, and whether it takes all tasks at once.

    Args:
        executor: ``local``, or ``dask://HOST:PORT`` of a cluster's scheduler.

    Raises:
        PyptoPerfettoError: it is neither, or Dask is missing.
    """
    if executor == "local":
        return _processes, False
    if not executor.startswith(_DASK) or not executor.removeprefix(_DASK):
        raise PyptoPerfettoError(f"--executor {executor}: is neither local nor dask://HOST:PORT")
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise PyptoPerfettoError(
            f"--executor {executor}: needs Dask; pip install 'pypto-perfetto[batch,dask]'"
        ) from None
    # A cluster that grows with its work has to see the work.
    return lambda _jobs: _dask(executor), True


def run_all(
    function: Callable[[T], R], tasks: Iterable[T], executor: str, jobs: int | None
) -> Generator[tuple[T, R | Exception], None, None]:
    """Runs a task for each item, in any order; each comes back exactly once.

    A task whose worker died is done again. On Dask the scheduler sees to that; a local pool
    breaks with its worker, so the few tasks in it are repeated, each in a process of its own:
    the one that kills its process is found, and the others don't suffer.

    Args:
        function: can be pickled; so can its argument and result.
        tasks: what to do.
        executor: as `opening`.
        jobs: local processes; None: one a core.

    Yields:
        The task with its result, or with what went wrong: `LostError`, or the executor's own error.

    Raises:
        PyptoPerfettoError: the executor can't be had.
    """
    opens, takes_all = opening(executor)
    waiting = deque(tasks)
    count = min(jobs or os.cpu_count() or 1, len(waiting))
    while waiting:
        lost: list[T] = []
        with opens(count) as pool:
            yield from _feed(pool, function, waiting, None if takes_all else 2 * count, lost)
        for task in lost:
            with opens(1) as pool:
                yield task, _alone(pool, function, task)


def _feed(
    pool: Executor,
    function: Callable[[T], R],
    waiting: deque[T],
    window: int | None,
    lost: list[T],
) -> Iterator[tuple[T, R | Exception]]:
    """Empties ``waiting``, at most ``window`` tasks in the pool; stops when the pool breaks."""
    running: dict[Future[R], T] = {}
    while running or (waiting and not lost):
        while waiting and not lost and (window is None or len(running) < window):
            try:
                running[pool.submit(function, waiting[0])] = waiting[0]
            except BrokenExecutor:
                break
            waiting.popleft()
        if not running:
            return
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            task = running.pop(future)
            try:
                result: R | Exception = future.result()
            except BrokenExecutor:
                lost.append(task)
                continue
            except Exception as error:  # noqa: BLE001 - the caller's to report
                result = error
            yield task, result


def _alone(pool: Executor, function: Callable[[T], R], task: T) -> R | Exception:
    try:
        return pool.submit(function, task).result()
    except BrokenExecutor:
        return LostError("its worker process died twice: killed, or out of memory")
    except Exception as error:  # noqa: BLE001 - the caller's to report
        return error


@contextmanager
def _processes(jobs: int | None) -> Iterator[Executor]:
    # spawn: a fork would copy the engine's threads half.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_live_with_parent)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _live_with_parent() -> None:
    """In a worker: Ctrl-C ends it without a traceback, and so does its parent's death."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=[parent], daemon=True).start()


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


@contextmanager
def _dask(executor: str) -> Iterator[Executor]:
    import distributed

    client: Any  # its classes have no types
    try:
        client = distributed.Client(  # type: ignore[no-untyped-call]
            f"tcp://{executor.removeprefix(_DASK)}", set_as_default=False
        )
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split()) or "no answer"
        raise PyptoPerfettoError(
            f"--executor {executor}: can't be reached ({reason}); start the scheduler, or check "
            "the address"
        ) from error
    with client:
        pool = client.get_executor(pure=False)
        try:
            yield pool
        finally:
            pool.shutdown(wait=False)
