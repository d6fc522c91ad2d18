"""Hundreds of traces in one process: nothing is left behind."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from statistics import median

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
    memory, handles = [], []
    for _ in range(TRACES):
        with pp.open_trace(RUN) as tp:
            tp.query("SELECT count() AS n FROM slice")
        memory.append(resident())
        handles.append((threading.active_count(), left_open()))
    # Medians: an engine's pages are given back a little sooner or later.
    first, last = median(memory[SETTLED : 2 * SETTLED]), median(memory[-SETTLED:])
    assert last < 1.05 * first, memory
    assert handles[-1] == handles[SETTLED]
