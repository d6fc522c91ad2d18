"""Which build of the bundled engine: by the size of the trace."""

from __future__ import annotations

import gzip

import pytest

from perfetto_pypto.engine import choice, open_trace, query_columns
from perfetto_pypto.engine.choice import Choice, bundled_wasm, choose, for_size
from perfetto_pypto.engine.source import Pieces, size_of
from tests.engine.traces import proto_trace

LARGE = bundled_wasm().with_name("trace_processor_memory64.wasm")


def test_a_small_trace_gets_32_bits(caplog):
    assert for_size(choose("embedded"), choice.MOST_BYTES) == choose("embedded")
    assert for_size(choose("embedded"), None) == choose("embedded")
    assert not caplog.records


def test_a_huge_trace_gets_64_bits_and_says_so(caplog):
    assert for_size(choose("embedded"), 1_500_000_000) == Choice("embedded", str(LARGE))
    assert "a trace of 1.5 GB: using the trace processor with 64-bit memory" in caplog.text


def test_an_engine_that_was_asked_for_stays():
    native = Choice("native", "/usr/bin/trace_processor_shell")
    assert for_size(native, 1 << 40) == native


def test_a_binary_in_this_folder_is_found_without_a_path(tmp_path, monkeypatch):
    (tmp_path / "trace_processor_shell").touch()
    monkeypatch.chdir(tmp_path)
    found = Choice("native", str(tmp_path / "trace_processor_shell"))
    assert choose("trace_processor_shell") == found


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_the_size_is_known_before_the_trace_is_read(tmp_path, suffix):
    path = tmp_path / f"run.pftrace{suffix}"
    path.write_bytes(gzip.compress(b"x" * 5000) if suffix else b"x" * 5000)
    assert size_of(path) == size_of(str(path)) == 5000
    assert size_of(b"x" * 5000) == size_of([b"x" * 2000, b"x" * 3000]) == 5000
    assert size_of(Pieces(iter([]), 5000)) == 5000
    assert size_of(iter([])) is None


def test_the_size_of_a_file_that_is_cut_off_is_unknown(tmp_path):
    path = tmp_path / "run.pftrace.gz"
    path.write_bytes(b"\x1f\x8b" + b"\xff" * 100)
    assert size_of(path) is None


def test_the_trace_is_loaded_by_it(monkeypatch, caplog):
    monkeypatch.setattr(choice, "MOST_BYTES", 10)
    with open_trace(proto_trace(("a", 10, 5))) as tp:
        assert query_columns(tp, "SELECT name FROM slice")["name"] == ["a"]
    assert "64-bit" in caplog.text
