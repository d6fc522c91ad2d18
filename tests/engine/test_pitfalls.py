"""What goes wrong with a C++ program in WebAssembly in Python, and that it doesn't here."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from perfetto_pypto.engine import open_trace, query_columns
from perfetto_pypto.errors import EngineError, InputError, QueryError
from tests.engine.traces import ENDLESS, ENGINES, json_trace, proto_trace

ROOT = Path(__file__).parents[2]
PROTO = proto_trace(*((f"slice {i}", i * 10, 5) for i in range(2000)))

PREAMBLE = """
import sys
from perfetto_pypto.engine import open_trace, query_columns
from perfetto_pypto.errors import EngineError
from tests.engine.traces import ENDLESS, json_trace
engine = sys.argv[1]
"""


def run(script: str, engine: str = "embedded") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PREAMBLE + script, engine],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


pytestmark = pytest.mark.parametrize("engine", ENGINES)


def test_1_the_c_stack_holds_long_expressions(engine):
    for terms in (100, 400, 700, 1000):
        with open_trace(json_trace(("a", 1, 2)), engine=engine) as tp:
            total = query_columns(tp, f"SELECT {' + '.join(['dur'] * terms)} AS n FROM slice")
            assert list(total["n"]) == [2000 * terms]
            # A stack that grew into the engine's data would break what comes after.
            assert list(query_columns(tp, "SELECT count() AS n FROM slice")["n"]) == [1]


def test_2_ctrl_c_is_a_clean_keyboard_interrupt(engine):
    # A job in the background of a shell inherits that Ctrl-C is ignored.
    script = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
with open_trace(json_trace(("a", 1, 2)), engine=engine) as tp:
    try:
        print("running", flush=True)
        query_columns(tp, ENDLESS)
    except KeyboardInterrupt:
        print("interrupted")
    try:
        query_columns(tp, "SELECT 1")
    except EngineError as error:
        print(error)
with open_trace(json_trace(("a", 1, 2)), engine=engine) as tp:
    print(query_columns(tp, "SELECT name FROM slice"))
"""
    process = subprocess.Popen(
        [sys.executable, "-c", PREAMBLE + script, engine],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "running\n"
    threading.Event().wait(0.3)  # so that it is inside the engine, most likely
    os.kill(process.pid, signal.SIGINT)
    try:
        out, err = process.communicate(timeout=100)
    finally:
        process.kill()
    assert (process.returncode, err) == (0, "")
    assert out == (
        "interrupted\nthe trace processor was interrupted; open the trace again\n{'name': ['a']}\n"
    )


def test_2_a_query_out_of_time_is_stopped(engine):
    with (
        open_trace(None, engine=engine, timeout=0.5) as tp,
        pytest.raises(EngineError, match=r"gave no answer within 0.5 s; open the trace again"),
    ):
        query_columns(tp, ENDLESS)


def test_3_closing_frees_the_memory(engine):
    done = run(
        """
import resource
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
for turn in range(15):
    with open_trace(json_trace(("a", 1, 2)), engine=engine) as tp:
        query_columns(tp, "SELECT name FROM slice")
    if turn == 2:
        early = peak()
print(peak() - early)
""",
        engine,
    )
    assert done.stderr == ""
    assert int(done.stdout) < 60  # MiB; one engine alone is more


def test_4_leaving_without_close_neither_hangs_nor_complains(engine):
    done = run(
        """
tp = open_trace(json_trace(("a", 1, 2)), engine=engine)  # a global lives to the very end
loop = [open_trace(None, engine=engine)]
loop.append(loop)  # and a cycle may outlive it
print(query_columns(tp, "SELECT name FROM slice"))
""",
        engine,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "{'name': ['a']}\n", "")


def test_5_the_native_stack_holds_the_deepest_legal_expression(engine):
    with open_trace(None, engine=engine) as tp:
        for operator in ("+", "OR", "||"):
            deepest = f"SELECT {f' {operator} '.join(['a'] * 1000)} AS n FROM (SELECT 1 AS a)"
            query_columns(tp, deepest)
            with pytest.raises(QueryError, match="too large"):
                query_columns(tp, deepest.replace("a ", f"a {operator} a ", 1))


def test_6_an_address_space_limit_of_4_gb(engine):
    done = run(
        """
import resource
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
with open_trace(json_trace(("a", 1, 2)), engine=engine) as tp:
    print(query_columns(tp, "SELECT name FROM slice"))
""",
        engine,
    )
    assert (done.stdout, done.stderr) == ("{'name': ['a']}\n", "")


def test_7_a_crash_is_one_clear_error_and_the_engine_is_not_entered_again(engine):
    crash = """
        INCLUDE PERFETTO MODULE graphs.scan;
        SELECT * FROM _graph_scan!(
          (SELECT 0 AS source_node_id, 500000000 AS dest_node_id),
          (SELECT 0 AS id, 1 AS v), (v), (SELECT t.id, t.v FROM $table t))
    """
    message = (
        "the trace processor crashed: it stopped without a reason, perhaps for want of memory; "
        "open the trace again, or with a native trace_processor_shell if it is too large"
    )
    with open_trace(None, engine=engine) as tp:
        for sql in (crash, "SELECT 1"):
            with pytest.raises(EngineError) as caught:
                query_columns(tp, sql)
            assert str(caught.value) == message


@pytest.mark.parametrize("size", [20, -1])
def test_8_a_truncated_file_is_reported(tmp_path, engine, size):
    path = tmp_path / "cut.pftrace.gz"
    path.write_bytes(gzip.compress(PROTO)[:size])
    with pytest.raises(InputError) as caught:
        open_trace(path, engine=engine)
    assert str(caught.value).startswith(f"{path}: the trace processor can't read it (")


# 9, the cache of compiled code: test_cache.py


def test_10_two_engines_run_at_the_same_time(engine):
    with open_trace(None, engine=engine) as busy, open_trace(None, engine=engine) as free:
        errors = []

        def work() -> None:
            try:
                query_columns(busy, ENDLESS)
            except EngineError as error:
                errors.append(str(error))

        thread = threading.Thread(target=work)
        thread.start()
        for number in range(100):
            assert list(query_columns(free, f"SELECT {number} AS n")["n"]) == [number]
        assert thread.is_alive()
        busy.http.interrupt()
        thread.join()
        assert errors == ["the trace processor was interrupted; open the trace again"]
