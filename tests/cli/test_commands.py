"""The commands as a user runs them."""

from __future__ import annotations

import gc
import gzip
import json
import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

import perfetto_pypto
from perfetto_pypto import doctor
from perfetto_pypto.characters import STAND_IN
from perfetto_pypto.cli import cli
from tests.paths import TRACES

FFN = TRACES / "ffn" / "merged_swimlane.json.gz"
SCHEMA = json.loads(
    (Path(perfetto_pypto.__file__).parent / "report" / "metrics.schema.json").read_text()
)


def value(document, metric, **dimensions):
    (found,) = (
        m["value"]
        for m in document["metrics"]
        if m["id"] == metric and m["dimensions"] == dimensions
    )
    return found


def test_the_table_fits_80_columns_and_has_no_colour(run):
    done = run("metrics", TRACES / "flash_stitch1")
    assert done.returncode == 0
    assert done.stderr == ""
    # Commands to copy stay whole, however long the path.
    lines = [x for x in done.stdout.splitlines() if not x.startswith("   pypto-perfetto ")]
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in done.stdout
    assert "makespan     3,048.10 µs" in done.stdout


def test_json_keeps_its_schema(run):
    document = json.loads(run("metrics", FFN, "--format", "json").stdout)
    jsonschema.validate(document, SCHEMA)
    assert document["input"]["cores"] == {"AIC": 24, "AIV": 48}
    assert value(document, "pypto_run_makespan") == 42760 - 1
    assert value(document, "pypto_run_control_overhead") is None
    assert value(document, "pypto_engine_task_count", engine="AIC") == 40


def test_several_inputs(run):
    documents = json.loads(run("metrics", FFN, TRACES / "rmsnorm_tiny", "--format", "json").stdout)
    assert [d["input"]["name"] for d in documents] == ["ffn", "rmsnorm_tiny"]


def of_tasks(document):
    """The metrics but those of files beside the merged one: of the pipes and of PyPTO's log."""
    beside = ("pypto_pipe_", "pypto_log_bridge_")
    return [m for m in document["metrics"] if not m["id"].startswith(beside)]


def test_a_folder_stdin_and_a_trace_give_the_same_metrics(run, tmp_path):
    trace = tmp_path / "ffn.pftrace.gz"
    assert run("convert", FFN, "-o", trace).returncode == 0
    from_file = json.loads(run("metrics", FFN, "--format", "json").stdout)
    sources = [(FFN.parent, None), (trace, None), ("-", gzip.decompress(FFN.read_bytes()))]
    for source, stdin in sources:
        document = json.loads(run("metrics", source, "--format", "json", stdin=stdin).stdout)
        assert of_tasks(document) == of_tasks(from_file)


def test_advice_opens_what_was_given(run, tmp_path):
    trace = tmp_path / "ffn.pftrace"
    run("convert", FFN, "-o", trace)
    for source, stdin, given in [(trace, None, trace), ("-", FFN.read_bytes(), "-")]:
        assert f"pypto-perfetto open {given} --at " in run("metrics", source, stdin=stdin).stdout


def test_options_change_the_numbers(run):
    done = run(
        "metrics", FFN, "--format", "json", "--cores", "AIC=30,AIV=60", "--small-task", "7.5us"
    )
    document = json.loads(done.stdout)
    assert document["input"]["cores"] == {"AIC": 30, "AIV": 60}
    assert document["input"]["cores_from"] == "--cores"
    assert document["input"]["small_task_ns"] == 7500
    assert value(document, "pypto_engine_core_count", engine="all") == 90


def test_links_go_with_the_metrics(run):
    url = "https://example.org/ffn.pftrace"
    done = run("metrics", FFN, "--format", "json", "--trace-url", url)
    document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMA)
    assert {"run", "critical-path", "worst-gap"} <= {link["kind"] for link in document["links"]}
    text = run("metrics", FFN, "--format", "markdown", "--trace-url", url).stdout
    assert "](https://ui.perfetto.dev/#!/?url=https%3A%2F%2Fexample.org%2Fffn.pftrace" in text
    done = run("metrics", FFN, "--trace-url", url)
    assert (done.returncode, done.stdout) == (2, "")


def test_output_to_a_file(run, tmp_path):
    done = run("metrics", FFN, "-o", tmp_path / "report.txt")
    assert (done.stdout, done.stderr) == ("", "")
    assert (tmp_path / "report.txt").read_text().startswith("ffn  pypto-merged")


def test_output_into_a_pipe_and_behind_a_link(run, tmp_path):
    assert run("convert", FFN, "-o", tmp_path / "a.pftrace").returncode == 0
    trace = (tmp_path / "a.pftrace").read_bytes()
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to("b.pftrace")
    run("convert", FFN, "-o", link)
    assert (link.is_symlink(), (tmp_path / "b.pftrace").read_bytes()) == (True, trace)
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert run("metrics", FFN, "-o", pipe).returncode == 0
    assert os.read(reader, 1 << 16).decode() == run("metrics", FFN).stdout
    assert pipe.is_fifo()
    os.close(reader)


def test_convert_says_what_it_wrote(run, tmp_path):
    done = run("convert", FFN, "-o", tmp_path / "a.pftrace")
    assert done.stdout == ""
    assert done.stderr.startswith(f"wrote {tmp_path / 'a.pftrace'} (")
    assert [p.name for p in tmp_path.iterdir()] == ["a.pftrace"]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("table", "engine  core_count  absent\nAIC             24\nAIV             48\n"),
        ("csv", "engine,core_count,absent\nAIC,24,\nAIV,48,\n"),
        (
            "json",
            json.dumps(
                [
                    {"engine": "AIC", "core_count": 24, "absent": None},
                    {"engine": "AIV", "core_count": 48, "absent": None},
                ],
                indent=2,
            )
            + "\n",
        ),
    ],
)
def test_query_formats(run, form, expected):
    sql = "SELECT *, NULL AS absent FROM pypto_core_count"
    assert run("query", FFN, sql, "--format", form).stdout == expected


def test_query_from_a_file_with_its_own_includes(run, tmp_path):
    file = tmp_path / "own.sql"
    file.write_text(
        "INCLUDE PERFETTO MODULE pypto.stitch;\n"
        "CREATE PERFETTO TABLE mine AS SELECT seq_no FROM pypto_stitch_stats;\n"
        "SELECT count() AS n FROM mine;\n"
    )
    assert run("query", FFN, "-f", file, "--format", "csv").stdout == "n\n1\n"


def test_query_without_rows(run):
    sql = "SELECT core FROM pypto_core WHERE core = 'x'"
    assert run("query", FFN, sql, "--format", "csv").stdout == "core\n"
    assert run("query", FFN, sql, "--format", "json").stdout == "[]\n"


def test_doctor(run):
    done = run("doctor")
    assert done.returncode == 0
    assert "\nengine             embedded: " in done.stdout
    assert done.stdout.endswith("everything works\n")


def test_doctor_says_what_is_missing_and_for_what(monkeypatch):
    def version(name):
        if name in ("pyarrow", "isal"):
            raise PackageNotFoundError(name)
        return "1.2"

    monkeypatch.setattr(doctor.metadata, "version", version)
    report, healthy = doctor.examine("/no/such/engine")
    assert not healthy
    assert "\nmsgspec            1.2\nisal               not installed\n" in report
    wanted = "not installed; only for batch: pip install 'pypto-perfetto[batch]'"
    assert f"\npyarrow            {wanted}\n" in report
    assert "\nengine             FAILED: trace processor '/no/such/engine': no such file;" in report


def test_a_stopped_command_leaves_no_temporary_file(run, tmp_path):
    command = [run("--version").args[0], "open", FFN, "--no-browser", "--ui", "local"]
    with subprocess.Popen(
        [*command, "--port", "0"],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout.readline().startswith(b"http://127.0.0.1:")
        assert list(tmp_path.iterdir()) != []
        process.terminate()
    assert (process.returncode, list(tmp_path.iterdir())) == (143, [])


@pytest.mark.parametrize(
    ("encoding", "makespan", "legend"),
    [
        (
            "ascii",
            "42.76 us",
            "# busy  = scheduling wait  - dependency wait  : start-up  . no more",
        ),
        ("gbk", "42.76 μs", "█ busy  ▓ scheduling wait  - dependency wait  : start-up  · no more"),
        (
            "cp1252",
            "42.76 µs",
            "# busy  = scheduling wait  - dependency wait  : start-up  · no more",
        ),
    ],
)
def test_a_terminal_without_the_characters(run, encoding, makespan, legend):
    done = subprocess.run(
        [run("--version").args[0], "metrics", FFN],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=True,
    )
    text = done.stdout.decode(encoding)
    assert f"  makespan        {makespan}   72 tasks" in text
    assert f"\n  {legend} work\n" in text
    assert done.stderr == b""


def test_python_runs_the_package(run):
    command = [sys.executable, "-m", "perfetto_pypto", "metrics", "--list", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == run("metrics", "--list", "--format", "json").stdout


@pytest.mark.parametrize(
    ("args", "collects"), [(["metrics", "--list"], False), (["extension-server"], True)]
)
def test_only_a_command_that_runs_on_looks_for_garbage(args, collects, tmp_path):
    gc.disable()
    try:
        CliRunner().invoke(cli, [*args, str(tmp_path)] if collects else args)
        assert gc.isenabled() == collects
    finally:
        gc.enable()


def test_text_that_no_encoding_has():
    assert "a\udcffµ".encode("utf-8", STAND_IN) == "a?µ".encode()
    assert "气 4 → 5 µs…".encode("ascii", STAND_IN) == b"? 4 -> 5 us..."


def test_a_closed_output_takes_everything(run):
    done = subprocess.run(
        ["bash", "-c", f"{run('--version').args[0]} metrics {FFN} >&-"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""


def test_a_reader_that_stops_is_no_error(run):
    command = f"{run('--version').args[0]} query {FFN} 'SELECT * FROM slice' --format csv | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_a_dash_as_the_output_is_stdout(run, tmp_path):
    program = run("--version").args[0]

    def of(*args):
        command = [program, *map(str, args)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout

    trace = tmp_path / "ffn.pftrace"
    of("convert", FFN, "-o", trace)
    assert of("convert", FFN, "-o", "-") == trace.read_bytes()
    assert of("metrics", FFN, "-o", "-") == of("metrics", FFN)
    pb = ("metrics", FFN, "--format", "pb")
    assert of(*pb, "-o", "-") == of(*pb)
    assert list(tmp_path.iterdir()) == [trace]
