"""Links: what they hold once decoded, and that each leads to the right place."""

from __future__ import annotations

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest

import perfetto_pypto as pp
from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.swimlane.model import Finding
from perfetto_pypto.ui import commands, places
from perfetto_pypto.ui.links import enriched, to_markdown
from perfetto_pypto.ui.view import Selection, View
from tests.drawing import swimlane
from tests.paths import TRACES, merged_file, run_name
from tests.ui.sound import assert_sound

SAMPLES = [file for folder in sorted(TRACES.iterdir()) if (file := merged_file(folder))]
HOSTED = "https://example.org/run.pftrace"
RUN = """
    AIC_1: a 0-600
    AIV_1: b 0-300, c 900-1200
    AIV_2: d1 100-200
    AIV_3: d2 100-200
    a -> c
"""


def values(url):
    """The link's values, decoded; nothing but a fragment of the UI's address."""
    parts = urlsplit(url)
    assert (parts.scheme, parts.netloc, parts.path) == ("https", "ui.perfetto.dev", "/")
    assert re.fullmatch(r"!/\?[A-Za-z0-9%&=._~-]+", parts.fragment)
    decoded = parse_qs(parts.fragment.removeprefix("!/?"), strict_parsing=True)
    return {key: value for key, (value,) in decoded.items()}


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    path = tmp_path_factory.mktemp("drawn") / "run.pftrace"
    pp.convert(swimlane(RUN), path)
    with pp.open_trace(path) as tp:
        yield tp


def test_a_view_is_a_link():
    view = View(
        span=(10, 20),
        selection=Selection(ts=12, dur=3, id=7, is_first=True),
        query="SELECT 'a & b'\n  AS text",
        commands=(commands.pin("Critical path", "AIC (1)"), commands.expand_cores("AIC")),
    )
    decoded = values(view.url(HOSTED))
    assert json.loads(decoded.pop("startupCommands")) == [
        {
            "id": "dev.perfetto.PinTracksByRegex",
            "args": [r"^(Critical path|AIC \(1\))$"],
        },
        {"id": "dev.perfetto.ExpandTracksByRegex", "args": [r"^(AIC) cores \(\d+\)$"]},
    ]
    assert decoded == {
        "url": HOSTED,
        "hideSidebar": "true",
        "ts": "12",
        "dur": "3",
        "visStart": "10",
        "visEnd": "20",
        "query": "SELECT 'a & b' AS text",
    }


def test_a_slice_that_is_not_the_first_of_its_kind_is_named_by_its_id():
    view = View(selection=Selection(ts=12, dur=3, id=7, is_first=False))
    assert values(view.url(HOSTED)) == {
        "url": HOSTED,
        "hideSidebar": "true",
        "ts": "12 AND id=7",
    }


def test_two_tasks_of_one_start_and_duration(drawn):
    first, second = (places.find(drawn, f"task=0-0-{op}").selection for op in (3, 4))
    assert (first.ts, first.dur, first.is_first) == (100, 100, True)
    assert (second.ts, second.dur, second.is_first) == (100, 100, False)
    ids = places.rows(drawn, "SELECT task, slice_id FROM pypto_task")
    assert dict(ids)["0-0-4"] == second.id


def test_options_given_now_leave_the_ids_of_the_file(drawn, tmp_path):
    pp.convert(swimlane(RUN), tmp_path / "run.pftrace")
    with pp.open_trace(tmp_path / "run.pftrace", cores={"AIC": 2, "AIV": 4}) as tp:
        for place in ("task=0-0-2", "task=0-0-4", "subgraph=d"):
            here, there = (places.find(one, place) for one in (drawn, tp))
            assert here.selection == there.selection
            assert here.query == there.query


def test_a_link_that_is_too_long_is_refused():
    with pytest.raises(PyptoPerfettoError, match="use a shorter --trace-url"):
        View().url("https://example.org/" + "x" * 9000)


@pytest.mark.parametrize("place", ["core=AIV_1", "subgraph=d", "critical-path"])
def test_places_over_the_whole_run(drawn, place):
    assert places.find(drawn, place).span == (0, 1200)


def test_a_task_with_its_surroundings(drawn):
    view = places.find(drawn, "task=0-0-2")
    assert view.span == (600, 1200)
    assert (view.selection.ts, view.selection.dur) == (900, 300)


def test_the_longest_gap_of_the_path(drawn):
    view = places.worst_gap(drawn)
    assert (view.selection.ts, view.selection.dur) == (600, 300)
    assert view.span == (300, 1200)


def test_an_interval_is_cut_to_the_run(drawn):
    assert places.find(drawn, "100ns .. 0.5us").span == (100, 500)
    assert places.find(drawn, "1us..9ms").span == (1000, 1200)
    # A moment is shown with its surroundings.
    assert places.find(drawn, "0.6us..0.6us").span == (588, 612)


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("core=AIV_9", "no such core; the run has AIC_1, AIV_1, AIV_2, AIV_3"),
        ("core=AIV_1' OR 1=1 --", "no such core"),
        ("subgraph=z", "no such leaf hash; the run has: "),
        ("subgraph=", "is no place"),
        ("task=0-0-9", "no such task; the first ones are 0-0-0, 0-0-1, 0-0-3, 0-0-4, 0-0-2"),
        ("9us..10us", "not inside the run; it lasts from 0us to 1.2us"),
        ("5us..1us", "not inside the run"),
        ("somewhere", "is no place; use core=AIV_12"),
    ],
)
def test_places_that_are_not_there(drawn, place, problem):
    with pytest.raises(PyptoPerfettoError) as error:
        places.find(drawn, place)
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


def test_an_ambiguous_subgraph(tmp_path):
    pp.convert(swimlane("AIC_1: ab 0-1, ac 1-2, a 2-3"), tmp_path / "run.pftrace")
    with pp.open_trace(tmp_path / "run.pftrace") as tp:
        # A whole hash wins over those that begin with it.
        assert "'a'" in json.dumps(places.find(tp, "subgraph=a").commands)
    pp.convert(swimlane("AIC_1: ab 0-1, ac 1-2"), tmp_path / "run.pftrace")
    with (
        pp.open_trace(tmp_path / "run.pftrace") as tp,
        pytest.raises(PyptoPerfettoError, match="is the beginning of several: ab, ac"),
    ):
        places.find(tp, "subgraph=a")


def test_links_of_a_run():
    finding = Finding("overlap", "warning", "tasks overlap", 2, ("0-0-2 on AIV_1",))
    made = pp.links(swimlane(RUN, findings=(finding,)), HOSTED)
    advice = [link for link in made if link.kind == "advice"]
    others = [link for link in made if link.kind != "advice"]
    assert advice
    assert [(link.kind, link.key, link.title) for link in others] == [
        ("run", "", "The whole run"),
        ("critical-path", "", "Critical path as observed"),
        ("worst-gap", "", "Longest gap on the critical path: 0.30 µs"),
        ("bubble", "AIV_1", "Dependency wait of 0.30 µs on AIV_1"),
        ("bubble", "AIV_1", "Scheduling wait of 0.30 µs on AIV_1"),
        ("bubble", "AIV_2", "Scheduling wait, start-up of 0.10 µs on AIV_2"),
        ("bubble", "AIV_3", "Scheduling wait, start-up of 0.10 µs on AIV_3"),
        ("subgraph", "a", "Subgraph with the most time: a, 1 task on AIC, 0.60 µs, 42.9%"),
        ("finding", "overlap", "warning: 2 overlap"),
    ]
    of_finding = values(made[-1].url)
    assert (of_finding["ts"], of_finding["dur"]) == ("900", "300")
    assert of_finding["query"] == (
        "SELECT 'warning' AS severity, 2 AS n, 'tasks overlap' AS finding, "
        "'0-0-2 on AIV_1' AS examples"
    )


def test_each_advice_has_a_link():
    run = TRACES / "rmsnorm_tiny"
    links = [link for link in pp.links(run, HOSTED) if link.kind == "advice"]
    advice = pp.compute_metrics(run).advice
    assert [link.key for link in links] == [given.rule for given in advice]
    assert links[0].title == f"high: {advice[0].title} ({advice[0].evidence[0].text})"
    assert advice[0].at == "core=AIV_48"
    assert "(Critical path|AIV_48)" in values(links[0].url)["startupCommands"]


@pytest.mark.parametrize("run", SAMPLES, ids=run_name)
def test_every_link_of_every_sample(run):
    """Inside the trace, on a slice that is there, with SQL and commands that are sound."""
    options = {"cores": None, "small_task_ns": None, "engine": None}
    with enriched(run, **options) as trace, pp.open_trace(trace) as tp:
        ((low, high),) = places.rows(tp, "SELECT start_ts, end_ts FROM trace_bounds")
        for link in pp.Linker(tp, HOSTED).all():
            assert len(link.url) < 8192
            decoded = values(link.url)
            if "visStart" in decoded:
                assert low <= int(decoded["visStart"]) < int(decoded["visEnd"]) <= high
            if "ts" in decoded:
                where = f"ts = {decoded['ts']}"
                where += f" AND dur = {decoded['dur']}" if "dur" in decoded else ""
                assert places.rows(tp, f"SELECT id FROM slice WHERE {where}")
            if "query" in decoded:
                assert places.rows(tp, decoded["query"])
            for command in json.loads(decoded.get("startupCommands", "[]")):
                assert_sound(tp, command)


@pytest.mark.parametrize(
    "url",
    ["run.pftrace", "http://example.org/x", "file:///x", "https://", "http://localhost:9001/x"],
)
def test_an_address_that_the_ui_cannot_fetch_from(url):
    with pytest.raises(PyptoPerfettoError, match=r"can't fetch from there; use https://"):
        pp.links(TRACES / "ffn", url)


def test_markdown():
    made = pp.Link("run", "", "a [b] *c*", "https://x/#!/?y=%28")
    assert to_markdown([made]) == "- [a \\[b\\] \\*c\\*](https://x/#!/?y=%28)\n"
