"""The report as a page: what is in it, and that it needs nothing else."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest

import perfetto_pypto as pp
from perfetto_pypto import engine
from perfetto_pypto.cli import cli
from perfetto_pypto.report import chart_parts, charts, html
from perfetto_pypto.swimlane.model import Strings
from tests.drawing import swimlane
from tests.paths import TRACES

#: A run with a label that is no safe markup.
RUN = swimlane("""
    AIC_1: mul1 0-8000, mul2 9000-20000
    AIV_1: add 12000-15000
    AIV_2:
    mul1 -> add
""")
RUN = replace(RUN, tasks=replace(RUN.tasks, label=Strings.of(["<b>&mul", "<b>&mul", "add"])))


class Page(HTMLParser):
    """Tags with their attributes, and the text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)


@pytest.fixture(scope="module")
def tp():
    with pp.open_trace(RUN) as tp:
        yield tp


@pytest.fixture(scope="module")
def metrics():
    return pp.compute_metrics(RUN)


@pytest.fixture(scope="module")
def linked():
    """A real run's page with links."""
    return Page(
        pp.html_report(TRACES / "flash_stitch512", trace_url="https://example.org/a.pftrace")
    )


@pytest.fixture(scope="module", params=["en", "zh"])
def flash(request):
    """The largest sample run, in each language."""
    return request.param, pp.html_report(TRACES / "flash_stitch512", lang=request.param)


def test_the_chart_of_the_cores_says_how_many_it_leaves_out(metrics, tp):
    lanes = "\n".join(f"AIV_{number}: add 0-1000" for number in range(203))
    run = swimlane(f"AIC_0: mul 0-1000\n{lanes}")
    page = Page(pp.html_report(run))
    assert "The 200 busiest of 203 AIV cores; 3 left out" in page.text
    assert "busiest of" not in Page(html.to_html(metrics, tp)).text
    assert "203 个 AIV 核中最忙的 200 个；略去 3 个" in pp.html_report(run, lang="zh")


def test_labels_are_text(metrics, tp):
    text = html.to_html(metrics, tp)
    page = Page(text)
    assert "<b>&mul" in page.text
    assert "<b>&mul" not in text


def test_the_page_needs_nothing_else(flash):
    _, text = flash
    page = Page(text)
    assert page.count("svg") == 5
    assert not {"script", "link", "img", "image", "iframe", "object"} & {
        tag for tag, _ in page.tags
    }
    for _, attributes in page.tags:
        for name in ("src", "href", "xlink:href", "style"):
            assert not re.search(r"//|url\(", attributes.get(name) or "")
        assert not any(name.startswith("on") for name in attributes)
    assert "@import" not in text
    assert "url(h" not in text
    assert len(text.encode()) < 400_000


def test_ids_and_links_meet(flash):
    tags = Page(flash[1]).tags
    ids = [value for _, attributes in tags if (value := attributes.get("id"))]
    links = [value for tag, attributes in tags if tag == "a" and (value := attributes.get("href"))]
    assert len(set(ids)) == len(ids)
    assert {link.removeprefix("#") for link in links} <= set(ids)


def test_each_spot_is_a_link_where_the_trace_is_hosted(linked):
    away = [value for tag, value in linked.tags if tag == "a" and value.get("target")]
    assert all(link["rel"] == "noopener noreferrer" for link in away)
    urls = [link["href"] for link in away]
    expected = pp.links(TRACES / "flash_stitch512", "https://example.org/a.pftrace")
    shown = {"run", "critical-path", "worst-gap", "subgraph"}
    assert {link.url for link in expected if link.kind in shown} <= set(urls)
    advice = {link.key: link.url for link in expected if link.kind == "advice"}
    assert [rule for rule, url in advice.items() if url not in urls] == ["utilization-low"]
    assert "utilization-low" not in linked.text  # a second reason for the same knob
    # One finding names a time of the run, the other one nothing that the UI could show.
    found = {link.key: link.url for link in expected if link.kind == "finding"}
    assert [code for code, url in found.items() if url in urls] == ["idle-while-ready"]
    # Nine subgraphs, and up to three places a piece of advice.
    assert len(urls) == 3 + 9 + 14 + 1
    # Whoever can't reach the UI has the commands all the same.
    assert linked.text.count("pypto-perfetto open ") == 5


def test_a_rule_s_place_that_is_not_there(tmp_path):
    rule = """
rules:
- {id: mine, source: me, severity: high, when: SELECT 4000 AS saved, at: core=AIV_9,
   knobs: [{name: k, snippet: k=1}], en: {title: Mine, text: Mine., evidence: all}}
"""
    (tmp_path / "own.yaml").write_text(rule)
    with pp.open_trace(RUN, enriched=True) as tp:
        metrics = pp.compute_metrics(tp, rules=tmp_path / "own.yaml")
        with pytest.raises(
            pp.PyptoPerfettoError, match=r"^rule mine: at: core=AIV_9: no such core"
        ):
            pp.html_report(tp, metrics, trace_url="https://example.org/a.pftrace")


def test_both_languages(flash):
    lang, text = flash
    heads = {"en": "Time split of each core", "zh": "各核的时间构成"}
    assert ('<html lang="zh-CN">' if lang == "zh" else '<html lang="en">') in text
    for key, head in heads.items():
        assert (head in text) == (key == lang)
    assert "259.77 µs" in text
    assert "pypto-perfetto open " in text


def test_cores_fill_the_makespan(metrics):
    aic, aiv = charts.cores(metrics).spec["hconcat"]
    assert [list(bar.values()) for bar in aic["data"]["values"]] == [
        ["1", "busy", 0, 0.95],
        ["1", "scheduling wait", 0.95, 1],
    ]
    assert [list(bar.values()) for bar in aiv["data"]["values"]] == [
        ["1", "busy", 0, 0.15],
        ["1", "start-up", 0.15, 0.75],
        ["1", "no more work", 0.75, 1],
        ["2", "no more work", 0, 1],
    ]


def test_profile_is_the_mean_of_each_slot(metrics, tp):
    aiv = list(charts.profiles(metrics, tp))[1].spec["vconcat"]
    points = [p for p in aiv[0]["data"]["values"] if p["part"] == "busy"]
    # 240 slots of 83.3 ns, and the end of the last one.
    assert len(points) == 241
    assert [(p["at"], p["high"]) for p in points if p["at"] in (0, 11.75, 12, 14.75, 15, 20)] == [
        (0, 0),
        (11.75, 0),
        (12, 1),
        (14.75, 1),
        (15, 0),
        (20, 0),
    ]
    assert {p["at"]: p["high"] for p in aiv[1]["data"]["values"]}[10] == 1  # add waits for a core


def test_a_bin_of_the_histogram_ends_at_the_threshold(metrics, tp):
    bars = charts.durations(metrics, tp).spec["layer"][0]["data"]["values"]
    short = [bar for bar in bars if bar["to"] <= 10]
    assert sum(bar["high"] - bar["low"] for bar in short) == 2
    assert [bar["from"] for bar in bars if bar not in short] == [10]


def test_path_has_a_lane_per_engine_and_one_for_gaps(metrics, tp):
    pieces = charts.path(metrics, tp).spec["data"]["values"]
    assert [(p["lane"], p["from"], p["to"]) for p in pieces] == [
        ("AIC", 0, 8),
        ("AIC", 9, 20),
        ("gap", 8, 9),
    ]


def test_short_pieces_become_one_as_pale_as_they_fill_it_little():
    assert chart_parts.joined([(0, 1), (3, 4), (100, 150), (160, 160)], 5) == [
        (0, 4, 0.5),
        (100, 150, 1.0),
        (160, 160, 1.0),
    ]


def test_tasks_without_a_label_go_by_their_leaf_hash():
    run = replace(RUN, tasks=replace(RUN.tasks, label=Strings.of([None] * 3)))
    with pp.open_trace(run) as tp:
        legend = charts.durations(pp.compute_metrics(tp), tp).legend
    assert [word for _, word in legend] == ["mul", "add"]


def test_the_run_is_opened_once(monkeypatch, tmp_path):
    opened = []
    open_trace = engine.open_trace

    def counting(*args, **kwargs):
        opened.append(args)
        return open_trace(*args, **kwargs)

    monkeypatch.setattr(engine, "open_trace", counting)
    page = tmp_path / "report.html"
    cli.main(
        ["metrics", str(TRACES / "ffn"), "--format", "html", "-o", str(page)],
        standalone_mode=False,
    )
    assert page.exists()
    assert len(opened) == 1


def test_points_stay_few_in_a_long_run():
    tasks = ", ".join(f"a{i} {i * 10}-{i * 10 + 6 + i % 3}" for i in range(3000))
    run = swimlane(f"AIV_1: {tasks}")
    metrics = pp.compute_metrics(run)
    with pp.open_trace(run) as tp:
        assert len(charts.path(metrics, tp).spec["data"]["values"]) <= 600
        assert len(html.to_html(metrics, tp)) < 400_000


def test_a_run_without_tasks():
    assert "The run has no task." in pp.html_report(swimlane("AIC_1:"))


def test_command(run, tmp_path):
    page = tmp_path / "report.html"
    done = run("metrics", TRACES / "rmsnorm_merged", "--format", "html", "-o", page)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert page.read_text().startswith("<!doctype html>\n")


@pytest.mark.parametrize("more", [[TRACES / "ffn"], ["--metrics", "pypto_run"]])
def test_one_whole_run(run, more):
    done = run("metrics", TRACES / "ffn", "--format", "html", *more)
    assert done.returncode == 2
    assert "--format html" in done.stderr


def test_missing_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(pp.PyptoPerfettoError) as caught:
        pp.html_report(TRACES / "ffn")
    assert str(caught.value) == (
        "the HTML report needs vl_convert; install with: pip install 'pypto-perfetto[html]'"
    )
