"""Calls on a second core, and in this process where there is none to be had."""

from __future__ import annotations

import os
import threading

import pytest

from perfetto_pypto.alongside import Forked, on_thread
from tests.one_thread import printed


def test_a_process_of_one_thread_is_copied() -> None:
    code = "print(Forked(os.getpid).result() == os.getpid())"
    cores = len(os.sched_getaffinity(0))
    assert printed(code) == str(cores == 1)


def test_where_there_is_one_core_the_call_is_made_here() -> None:
    code = "os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])\n"
    code += "print(Forked(os.getpid).result() == os.getpid())"
    assert printed(code) == "True"


def test_a_process_with_threads_is_not_copied() -> None:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert Forked(os.getpid).result() == os.getpid()
    finally:
        done.set()
        thread.join()


def test_a_copy_that_is_killed_is_no_loss() -> None:
    code = "here = os.getpid()\n"
    code += "print(Forked(lambda: os.getpid() == here or os.kill(os.getpid(), 9)).result())"
    assert printed(code) == "True"


def test_a_copy_that_is_killed_while_it_sends_is_no_loss() -> None:
    code = "import multiprocessing\nhere = os.getpid()\n"
    code += "call = Forked(lambda: 'here' if os.getpid() == here else 'x' * 10_000_000)\n"
    code += "for copy in multiprocessing.active_children():\n"
    code += "    call._started[0].poll(60)  # the pipe is full\n"
    code += "    copy.kill()\n    copy.join()\n"
    code += "print(call.result() if len(os.sched_getaffinity(0)) > 1 else 'here')"
    assert printed(code) == "here"


def test_an_error_is_raised_where_the_result_is_asked_for() -> None:
    code = "call = Forked(lambda: 1 // 0)\n"
    code += "try: call.result()\nexcept ZeroDivisionError as error: print(error)"
    assert printed(code).startswith("integer division")
    future = on_thread(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        future.result()


def test_a_thread_gives_the_result() -> None:
    assert on_thread(lambda: 6 * 7).result() == 42
