"""Hundreds of traces in one process: nothing is left behind."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

import perfetto_pypto as pp
from tests.drawing import swimlane

TRACES, SETTLED = 300, 20
RUN = swimlane("AIC_1: a 0-10, b 12-20\nAIV_1: c 21-30\na -> b -> c")


def resident() -> int:
    """Bytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def left_open() -> int:
    """Files that this process has open."""
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - one handle more would count


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_300_traces_leave_nothing_behind():
    for number in range(TRACES):
        with pp.open_trace(RUN) as tp:
            tp.query("SELECT count() AS n FROM slice")
        if number == SETTLED:
            before = resident(), threading.active_count(), left_open()
    memory, threads, files = before
    assert resident() < 1.05 * memory
    assert (threading.active_count(), left_open()) == (threads, files)
