"""The enriched trace: facts and overlay in one file, read back through the engine."""

from __future__ import annotations

import gzip
from dataclasses import replace

import pytest

import perfetto_pypto as pp
from perfetto_pypto.engine import open_trace, query_columns
from perfetto_pypto.errors import InputError, PyptoPerfettoError
from perfetto_pypto.opening import enrich
from perfetto_pypto.trace.check import check_load
from perfetto_pypto.trace.writer import chunks_of
from tests.drawing import swimlane
from tests.paths import run_name, sample_runs

RUN = """
    AIC_1: a 0-600
    AIV_1: b 0-300, c 900-1200
    AIV_2:
    a -> c
"""


def rows(path, sql):
    with pp.open_trace(path) as tp:
        columns = query_columns(tp, sql)
        lists = [c.tolist() if hasattr(c, "tolist") else c for c in columns.values()]
        return list(zip(*lists, strict=True))


def test_overlay_shows_what_the_tables_say(tmp_path):
    pp.convert(swimlane(RUN), tmp_path / "run.pftrace")
    sql = """
        SELECT t.name AS row, s.name, s.ts, s.dur
        FROM slice AS s JOIN track AS t ON s.track_id = t.id
        WHERE s.category NOT IN ('task', 'run') ORDER BY s.category, row, s.ts
    """
    assert rows(tmp_path / "run.pftrace", sql) == [
        ("AIC_1", "no more work", 600, 600),
        ("AIV_1", "dependency wait", 300, 300),
        ("AIV_1", "scheduling wait", 600, 300),
        ("AIV_2", "no work at all", 0, 1200),
        ("Critical path", "a", 0, 600),
        ("Critical path", "c", 900, 300),
        ("Critical path", "scheduling wait after its data", 600, 300),
        ("AIC cores (1)", "busy 100%", 0, 600),
        ("AIC cores (1)", "no more work 100% · busy 0%", 600, 600),
        ("AIV cores (2)", "busy 50%", 0, 300),
        ("AIV cores (2)", "dependency wait 100% · busy 0%", 300, 300),
        ("AIV cores (2)", "scheduling wait 50% · busy 0%", 600, 300),
        ("AIV cores (2)", "busy 50%", 900, 300),
        (
            "drawing",
            "1.20 µs · cores 33.3% busy · no schedule is faster than 0.90 µs (1.33x)",
            0,
            1200,
        ),
    ]


def test_counters_show_running_cores_and_ready_tasks(tmp_path):
    pp.convert(swimlane(RUN), tmp_path / "run.pftrace")
    sql = """
        SELECT t.name, c.ts, CAST(c.value AS INTEGER) AS value
        FROM counter AS c JOIN track AS t ON c.track_id = t.id
        WHERE t.name GLOB '* AIV' ORDER BY t.name, c.ts
    """
    assert rows(tmp_path / "run.pftrace", sql) == [
        ("Ready AIV", 0, 0),
        ("Ready AIV", 600, 1),
        ("Ready AIV", 900, 0),
        ("Running AIV", 0, 1),
        ("Running AIV", 300, 0),
        ("Running AIV", 900, 1),
        ("Running AIV", 1200, 0),
    ]


def test_the_trace_alone_gives_the_same_numbers(tmp_path):
    run = swimlane(RUN)
    whole, facts = tmp_path / "run.pftrace", tmp_path / "facts.pftrace.gz"
    pp.convert(run, whole)
    pp.convert(run, facts, facts_only=True)
    expected = pp.compute_metrics(run)
    for trace in (whole, facts):
        metrics = pp.compute_metrics(trace)
        assert metrics.input.path == str(trace)
        assert replace(metrics, input=expected.input) == expected


def test_options_override_those_of_the_trace(tmp_path):
    pp.convert(swimlane(RUN), tmp_path / "run.pftrace.gz")
    metrics = pp.compute_metrics(tmp_path / "run.pftrace.gz", cores={"AIV": 48}, small_task_ns=400)
    assert metrics.input.core_counts == {"AIC": 1, "AIV": 48}
    assert metrics.rows("pypto_engine")[0]["small_task_count"] == 2
    with pytest.raises(PyptoPerfettoError, match=r"AIV=1: .* has 2 AIV lanes"):
        pp.compute_metrics(tmp_path / "run.pftrace.gz", cores={"AIV": 1})


@pytest.mark.parametrize(
    ("choice", "expected"),
    [("auto", [("a", "c"), ("b", "c")]), ("critical", [("a", "c")]), ("none", [])],
)
def test_flows(tmp_path, choice, expected):
    run = swimlane(RUN + "b -> c")
    pp.convert(run, tmp_path / "run.pftrace", flows=choice)
    sql = """
        SELECT a.name AS producer, b.name AS consumer FROM flow AS f
        JOIN slice AS a ON a.id = f.slice_out JOIN slice AS b ON b.id = f.slice_in
        ORDER BY producer
    """
    assert rows(tmp_path / "run.pftrace", sql) == expected


@pytest.mark.parametrize(("choice", "arrows"), [("auto", 500), ("all", 600)])
def test_all_draws_every_arrow_and_auto_what_the_ui_bears(tmp_path, choice, arrows):
    consumers = ", ".join(f"b{i} {i + 10}-{i + 11}" for i in range(600))
    edges = "\n".join(f"a -> b{i}" for i in range(600))
    run = swimlane(f"AIC_1: a 0-10\nAIV_1: {consumers}\n{edges}")
    pp.convert(run, tmp_path / "run.pftrace", flows=choice, facts_only=True)
    assert rows(tmp_path / "run.pftrace", "SELECT count() AS n FROM flow") == [(arrows,)]


def test_the_same_run_gives_the_same_bytes(tmp_path):
    for name in ("one.pftrace.gz", "two.pftrace.gz"):
        pp.convert(swimlane(RUN), tmp_path / name)
    one, two = (tmp_path / name for name in ("one.pftrace.gz", "two.pftrace.gz"))
    assert one.read_bytes() == two.read_bytes()


def test_a_damaged_trace_is_an_error(tmp_path):
    whole, cut = tmp_path / "whole.pftrace.gz", tmp_path / "cut.pftrace.gz"
    pp.convert(swimlane(RUN), whole)
    cut.write_bytes(whole.read_bytes()[:-50])
    with pytest.raises(InputError, match="is damaged"):
        pp.compute_metrics(cut)
    raw = gzip.decompress(whole.read_bytes())
    cut = tmp_path / "cut.pftrace"
    cut.write_bytes(raw[: len(raw) // 3])
    with pytest.raises(PyptoPerfettoError, match=r"cut\.pftrace"):
        pp.compute_metrics(cut)


def test_a_foreign_trace_is_an_error(tmp_path):
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

    foreign = Trace()
    foreign.packet.add(timestamp=1).track_event.name = "x"
    (tmp_path / "other.pftrace").write_bytes(foreign.SerializeToString())
    with pytest.raises(InputError, match="a Perfetto trace without a PyPTO run"):
        pp.compute_metrics(tmp_path / "other.pftrace")


def test_a_run_without_cores_has_no_overlay(tmp_path):
    pp.convert(swimlane("AI-CPU_1: a 0-5"), tmp_path / "run.pftrace")
    sql = "SELECT category, ts, dur FROM slice ORDER BY category"
    assert rows(tmp_path / "run.pftrace", sql) == [("off_core", 0, 5), ("run", 0, 5)]


@pytest.mark.parametrize("path", sample_runs(), ids=run_name)
def test_the_engine_loads_what_is_written(path):
    if "edge_empty_prof" in run_name(path):
        with pytest.raises(InputError, match="holds no executed task"):
            pp.read(path)
        return
    run = pp.read(path)
    parts = list(enrich(run, flows="auto", facts_only=False, small_task_ns=None, engine=None))
    with open_trace(chunks_of(parts)) as tp:
        check_load(tp, *parts)
