"""Work on a second thread while this one waits for the engine, which needs no Python."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

_T = TypeVar("_T")


def beside(call: Callable[[], _T]) -> Future[_T]:
    """Starts ``call``; its result, or its error, is the future's.

    An executor's thread would hold up the end of the process after Ctrl-C until the call is done.
    """
    future: Future[_T] = Future()

    def work() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001 - it belongs to the caller
            future.set_exception(error)

    Thread(target=work, name="beside", daemon=True).start()
    return future
