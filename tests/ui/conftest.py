from __future__ import annotations

from collections.abc import Iterator

import pytest

import perfetto_pypto as pp
from perfetto_pypto.ui.server import LocalServer
from tests.drawing import swimlane
from tests.paths import TRACES, merged_file
from tests.ui import browser

#: Every sample run, and one whose tasks overlap, with a label that is not ASCII.
SAMPLES = sorted(folder.name for folder in TRACES.iterdir() if folder.is_dir())
OVERLAPS = """
    AIC_1: 矩阵乘 0-10000, b 3000-5000, c 4000-12000, d 20000-30000
    AIC_2: e 1000-9000, f 9000-9000, g 15000-26000
    AIV_1: h 12000-20000, i 14000-22000, j 30000-40000
    AIV_2: k 13000-21000
    AIV_3:
    矩阵乘 -> h -> d -> j
    e -> k
"""


@pytest.fixture(scope="session")
def traces(tmp_path_factory):
    """The enriched traces by name."""
    folder = tmp_path_factory.mktemp("traces")
    sources = {name: merged_file(TRACES / name) for name in SAMPLES} | {
        "overlaps": swimlane(OVERLAPS)
    }
    made = {}
    for name, source in sources.items():
        made[name] = folder / f"{name}.pftrace"
        pp.convert(source, made[name])
    return made


@pytest.fixture(scope="session")
def server(traces) -> Iterator[LocalServer]:
    with browser.serving(traces) as server:
        yield server


@pytest.fixture(scope="session")
def chromium():
    with browser.chromium() as chromium:
        yield chromium


@pytest.fixture
def ui(chromium) -> Iterator[browser.PerfettoUI]:
    """A fresh page: nothing is kept of the one before."""
    page = chromium.new_page(viewport={"width": 1600, "height": 1000})
    yield browser.PerfettoUI(page)
    page.close()


@pytest.fixture
def show(ui, server, traces):
    """``show("ffn", "task=0-0-1")``: opens a trace at a place, and returns the page."""

    def show(name: str, place: str | None = None) -> browser.PerfettoUI:
        ui.open(link(server, traces, name, place))
        assert ui.problems == []
        return ui

    return show


@pytest.fixture(scope="module")
def flash(chromium, server, traces):
    """A page with a larger run, for several tests: loading takes longest."""
    page = chromium.new_page(viewport={"width": 1600, "height": 1000})
    ui = browser.PerfettoUI(page)
    ui.open(link(server, traces, "flash_stitch512"))
    yield ui
    page.close()


def link(server, traces, name, place=None) -> str:
    with pp.open_trace(traces[name]) as tp:
        linker = pp.Linker(tp, f"{server.origin}/trace/{name}.pftrace", f"{server.origin}/")
        return linker.at(place) if place else linker.whole()
