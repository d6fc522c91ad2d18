"""The HTML report in Chromium."""

from __future__ import annotations

import pytest

import perfetto_pypto as pp
from perfetto_pypto.report.html import to_html
from tests.paths import TRACES
from tests.ui.browser import PerfettoUI

_CHARTS = """() => [...document.querySelectorAll('svg')].map((svg) => {
  const box = svg.getBoundingClientRect();
  return [box.width, box.height, svg.querySelectorAll('path').length];
})"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(pp.html_report(TRACES / "flash_stitch512"), encoding="utf-8")
    return path


@pytest.fixture
def shown(chromium, report):
    """``shown(380, "dark")``: the page and everything that it asked for or complained about."""
    pages = []

    def show(width, scheme):
        page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        pages.append(page)
        noise = []
        page.on("request", lambda request: noise.append(request.url))
        page.on("console", lambda message: noise.append(message.text))
        page.goto(report.as_uri())
        return page, noise

    yield show
    for page in pages:
        page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [380, 1400])
def test_charts_are_visible_and_the_page_fits(shown, report, width, scheme):
    page, noise = shown(width, scheme)
    assert noise == [report.as_uri()]
    assert page.evaluate("() => document.documentElement.scrollWidth") == width
    drawn = page.evaluate(_CHARTS)
    assert len(drawn) == 5
    for chart_width, height, paths in drawn:
        assert chart_width >= 600
        assert height > 80
        assert paths > 3


@pytest.mark.parametrize(
    ("words", "pinned", "seen"),
    [
        # A piece of evidence: a core over the whole run.
        ("AIC_5 waits", ["AIC_5", "Critical path"], (0, 259770)),
        # A finding: the time that it names, and itself in a tab.
        ("idle-while-ready", ["Critical path"], (116900, 220810)),
        # A subgraph: its longest task, as a track of its own.
        ("rescale", ["Critical path", "rescale 12617566"], (0, 259770)),
    ],
)
def test_a_link_opens_the_ui_at_the_spot(chromium, server, traces, tmp_path, words, pinned, seen):
    trace = traces["flash_stitch512"]
    with pp.open_trace(trace) as tp:
        linker = pp.Linker(
            tp, f"{server.origin}/trace/flash_stitch512.pftrace", f"{server.origin}/"
        )
        text = to_html(pp.compute_metrics(tp), tp, linker)
    (tmp_path / "report.html").write_text(text, encoding="utf-8")
    page = chromium.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    with page.expect_popup() as popup:
        page.get_by_role("link", name=words).first.click()
    ui = PerfettoUI(popup.value)
    ui.loaded()
    assert ui.problems == []
    assert sorted(ui.pinned()) == pinned
    assert ui.visible() == pytest.approx(seen, abs=4_000)
    if words == "idle-while-ready":
        assert "the run is longer than any schedule" in ui.drawer()
    popup.value.close()
    page.close()


def test_charts_take_the_page_s_ink(shown):
    inks = []
    for scheme in ("light", "dark"):
        page, _ = shown(1400, scheme)
        inks.append(
            page.evaluate("() => getComputedStyle(document.querySelector('svg text')).fill")
        )
        assert inks[-1] == page.evaluate("() => getComputedStyle(document.body).color")
    assert inks[0] != inks[1]


def test_on_paper_nothing_is_cut_off(shown):
    page, _ = shown(700, "dark")
    page.emulate_media(media="print")
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    widths = page.evaluate(
        "() => [...document.querySelectorAll('svg, table')]"
        ".map((one) => one.getBoundingClientRect().right)"
    )
    assert max(widths) <= 700
