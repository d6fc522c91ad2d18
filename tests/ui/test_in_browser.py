"""The enriched traces in the real Perfetto UI."""

from __future__ import annotations

import pytest

import perfetto_pypto as pp
from perfetto_pypto.ui import extension, places
from tests.ui.conftest import SAMPLES


@pytest.mark.parametrize("name", SAMPLES)
def test_the_whole_run(show, traces, name):
    """Every row in its order, the critical path and busiest cores pinned, the table shown."""
    with pp.open_trace(traces[name]) as tp:
        rows = [
            row
            for (row,) in places.rows(
                tp,
                """
                SELECT t.name FROM track AS t JOIN track AS root ON t.parent_id = root.id
                WHERE root.parent_id IS NULL GROUP BY t.name
                ORDER BY min(extract_arg(t.source_arg_set_id, 'sibling_order_rank'))
                """,
            )
        ]
        busiest = places.rows(
            tp,
            """
            SELECT engine, core FROM pypto_core_stats AS s WHERE busy = (
              SELECT max(busy) FROM pypto_core_stats WHERE engine = s.engine
            ) AND busy > 0 GROUP BY engine ORDER BY engine
            """,
        )
        engines = places.rows(
            tp, "SELECT engine, task_count FROM pypto_engine_stats WHERE engine != 'all'"
        )
        (run,) = places.rows(tp, "SELECT ts, end_ts FROM pypto_span")
    ui = show(name)
    assert ui.tracks() == rows
    assert rows[0] == "Critical path"
    pinned = ui.pinned()
    assert pinned[:2] == ["Critical path", "Its longest gaps"]
    assert [core.partition("_")[0] for core in pinned[2:]] == [engine for engine, _ in busiest]
    ran = [engine for engine, count in engines if count]
    expanded = [row for row in ui.expanded() if "cores" in row]
    assert expanded == [
        group for group in rows if group.partition(" ")[0] in ran and "cores" in group
    ]
    start, end = ui.visible()
    assert start <= run[0]
    assert run[1] <= end
    for engine, count in engines:
        assert f"{engine} {count} " in ui.drawer()


def test_rows_of_a_run(flash):
    assert flash.tracks() == [
        "Critical path",
        "Running AIC",
        "Ready AIC",
        "AIC cores (24)",
        "Running AIV",
        "Ready AIV",
        "AIV cores (48)",
        "Hub tasks (96)",
        "Counters of the file",
    ]
    assert flash.children("AIC cores (24)") == [f"AIC_{number}" for number in range(1, 25)]
    assert flash.page.evaluate("() => app.trace.timeline.timestampFormat") == "microseconds"


def test_tasks_that_overlap_share_the_row_of_their_core(show):
    ui = show("overlaps", "task=0-0-0")
    assert ui.children("AIC cores (2)") == ["AIC_1", "AIC_2"]
    drawer = ui.drawer()
    assert "label 矩阵乘" in drawer
    depths = ui.query(
        "SELECT count() AS n FROM slice JOIN track ON track.id = track_id "
        "WHERE track.name = 'AIC_1' AND category = 'task'"
    )
    assert depths == [{"n": 4}]


def test_details_and_flows_of_a_task(flash):
    ui = flash
    (task,) = ui.query(
        """
        INCLUDE PERFETTO MODULE pypto.dependency;
        SELECT t.slice_id, t.name, t.task, t.subgraph, t.core,
          extract_arg(s.arg_set_id, 'debug.inputs[0]') AS input,
          extract_arg(s.arg_set_id, 'debug.root_hash') AS root_hash,
          extract_arg(s.arg_set_id, 'debug.predecessors[0]') AS predecessor,
          (SELECT count() FROM flow WHERE slice_in = s.id) AS before,
          (SELECT count() FROM flow WHERE slice_out = s.id) AS after
        FROM pypto_task AS t JOIN slice AS s ON s.id = t.slice_id
        WHERE before > 0 AND after > 0 AND input IS NOT NULL ORDER BY t.id LIMIT 1
        """
    )
    ui.select(task["slice_id"])
    drawer = ui.drawer()
    assert f"Slice {task['name']}" in drawer
    assert f"label {task['name']}" in drawer
    assert f"task {task['task']}" in drawer
    assert task["input"] in drawer
    assert f"leaf_hash {task['subgraph']}" in drawer
    assert f"root_hash {task['root_hash']}" in drawer
    assert task["predecessor"] in drawer
    assert "Preceding Flows" in drawer
    assert "Following Flows" in drawer
    # What the UI draws: the arrows of the slice, and those that they lead to.
    arrows = ui.page.evaluate(
        "() => app.trace.flows.connectedFlows.map(f => [f.begin.sliceId, f.end.sliceId])"
    )
    direct = [arrow for arrow in arrows if task["slice_id"] in arrow]
    assert len(direct) == task["before"] + task["after"] > 1


def test_a_link_to_one_of_many_alike(show, traces):
    """Two tasks of one start and duration: the UI's own choice would be the first."""
    with pp.open_trace(traces["flash_stitch512"]) as tp:
        ((task, slice_id, ts, dur),) = places.rows(
            tp,
            """
            SELECT task, slice_id, ts, dur FROM pypto_task AS t WHERE slice_id != (
              SELECT min(id) FROM slice WHERE ts = t.ts AND dur = t.dur
            ) ORDER BY id LIMIT 1
            """,
        )
    ui = show("flash_stitch512", f"task={task}")
    assert ui.selected() == slice_id
    start, end = ui.visible()
    assert start <= ts
    assert ts + dur <= end
    assert f"task {task}" in ui.drawer()


@pytest.mark.parametrize("place", ["critical-path", "core=AIV_41", "subgraph=2210"])
def test_places(show, place):
    ui = show("ffn", place)
    start, end = ui.visible()
    assert (start, end) != (0, 0)
    if place == "critical-path":
        assert ui.pinned() == ["Critical path", "Its longest gaps"]
        assert "5.9 gap scheduling wait after its core before 0-1-9 up on AIC_8" in ui.drawer()
    elif place == "core=AIV_41":
        assert ui.pinned() == ["Critical path", "AIV_41"]
        assert "swiglu task 2" in ui.drawer()
    else:
        assert ui.pinned() == ["gate 22100548", "Critical path"]
        (found,) = ui.query(f"SELECT category, dur FROM slice WHERE id = {ui.selected()}")
        assert found["category"] == "task"


def test_a_link_to_a_gap(ui, server, traces):
    with pp.open_trace(traces["ffn"]) as tp:
        linker = pp.Linker(tp, f"{server.origin}/trace/ffn.pftrace", f"{server.origin}/")
        link = next(link for link in linker.all() if link.kind == "bubble")
    ui.open(link.url)
    assert ui.problems == []
    (found,) = ui.query(f"SELECT ts, dur, category FROM slice WHERE id = {ui.selected()}")
    assert found["category"] == "bubble"
    start, end = ui.visible()
    assert start <= found["ts"]
    assert found["ts"] + found["dur"] <= end
    assert f"{found['dur'] / 1e3:,.2f} µs" in link.title
    assert "next_task" in ui.drawer()


def test_the_package_works_in_the_page(flash, traces):
    metrics = pp.compute_metrics(traces["flash_stitch512"])
    expected = {row["engine"]: row["utilization"] for row in metrics.rows("pypto_engine")}
    ui = flash
    found = ui.query(
        "INCLUDE PERFETTO MODULE pypto.engine; SELECT engine, utilization FROM pypto_engine_stats"
    )
    assert {row["engine"]: row["utilization"] for row in found} == pytest.approx(expected)
    # The same from the page's own query box.
    ui.page.keyboard.press("Escape")
    box = ui.page.locator(".pf-omnibox input")
    box.fill(":")  # the box becomes one for SQL, and is drawn anew
    ui.rest()
    box.fill(
        "INCLUDE PERFETTO MODULE pypto.subgraph; SELECT label FROM pypto_subgraph_stats LIMIT 1"
    )
    ui.rest()
    box.press("Enter")
    ui.page.get_by_text("Omnibox Query").wait_for()
    ui.rest()
    assert "softmax" in ui.drawer()


def test_macros_of_the_extension_server(show):
    """Each of them, in a page without the package's help."""
    ui = show("rmsnorm_tiny", "10us..40us")
    assert [round(time) for time in ui.visible()] == [10_000, 40_000]
    for macro in extension.documents()["modules/default/macros"]["macros"]:
        for command in macro["run"]:
            ui.page.evaluate(
                "([id, args]) => app.commands.runCommand(id, ...args)",
                [command["id"], command["args"]],
            )
            ui.rest()
            assert "rror" not in ui.drawer(), macro
    assert ui.problems == []
    assert {"Critical path", "Longest waits", "Small tasks", "Ready AIV"} <= set(ui.pinned())


def test_a_bare_address_shows_the_trace(ui, traces, tmp_path):
    from tests.ui.browser import serving

    with serving({"run": traces["ffn"]}) as server:
        server.files["/localtrace"] = server.files["/trace/run.pftrace"]
        ui.open(f"{server.origin}/")
        assert ui.problems == []
        assert ui.tracks()[0] == "Critical path"


def test_a_missing_trace_is_seen_by_these_tests(ui, server):
    """The UI shows an empty page without a word: so waiting for the trace is what finds it."""
    from playwright.sync_api import TimeoutError as PageTimeoutError

    with pytest.raises(PageTimeoutError):
        ui.open(f"{server.origin}/#!/?url=none", timeout=1_500)
