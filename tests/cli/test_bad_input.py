"""Bad input: one line that names file, place and remedy; exit code 2; nothing half-written."""

from __future__ import annotations

import gzip
import os
import re
import subprocess

import pytest

from tests.paths import TRACES

FFN = TRACES / "ffn" / "merged_swimlane.json.gz"
GOOD = gzip.decompress(FFN.read_bytes())

BAD_FILES = {
    "empty.json": (b"", r"is empty"),
    "cut.json": (GOOD[: len(GOOD) // 2], r"is cut|truncated|ends"),
    "cut.json.gz": (FFN.read_bytes()[:-200], r"gzip|cut|damaged"),
    "list.json": (b"[1, 2, 3]", r"a JSON list of 3 entries"),
    "page.json": (b"<!DOCTYPE html><html></html>", r"HTML"),
    "text.json": (b"hello world", r"not JSON|no JSON"),
    "object.json": (b'{"a": 1}', r"JSON of another kind \(its keys: 'a'\)"),
    "foreign.json": (
        b'{"traceEvents": [{"ph": "X", "name": "main", "pid": 1, "tid": 1, "ts": 0, "dur": 5}]}',
        r"Chrome trace",
    ),
    "none.json": (b'{"traceEvents": []}', r"has no trace events"),
    "latin1.json": (GOOD.replace(b'"event"', '"\xe9vent"'.encode("latin-1"), 1), r"UTF-8"),
}


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("command", ["metrics", "convert", "query"])
def test_a_bad_file_is_one_line(run, tmp_path, name, command):
    content, expected = BAD_FILES[name]
    file = tmp_path / name
    file.write_bytes(content)
    extra = {"convert": ["-o", tmp_path / "out.pftrace"], "query": ["SELECT 1"]}.get(command, [])
    done = run(command, file, *extra)
    assert_one_line(done, expected)
    assert str(file) in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == [name]


def assert_one_line(done, expected):
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"error: [^\n]*\n", done.stderr), done.stderr
    assert re.search(expected, done.stderr), done.stderr


def test_no_such_file(run):
    assert_one_line(run("metrics", "nowhere.json"), r"nowhere\.json: .*no such file")


def test_a_folder_without_a_swimlane(run, tmp_path):
    assert_one_line(run("metrics", tmp_path), r"merged_swimlane\.json")


def test_an_output_that_cannot_be_written(run, tmp_path):
    missing = tmp_path / "missing" / "out.pftrace"
    done = run("convert", FFN, "-o", missing)
    assert_one_line(done, r"out\.pftrace: can't be written \(No such file or directory\)")
    assert list(tmp_path.iterdir()) == []
    assert_one_line(run("metrics", FFN, "-o", tmp_path), r"can't be written")
    assert list(tmp_path.iterdir()) == []


def test_a_trace_does_not_go_to_a_terminal(run):
    ours, theirs = os.openpty()
    command = [run("--version").args[0], "convert", FFN, "-o", "-"]
    done = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, text=True, check=False)
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 2
    assert done.stderr == "error: a trace is no text for a terminal; name a file with -o\n"


def test_a_full_disk_below_the_output(run):
    program = run("--version").args[0]
    for command in (f"metrics {FFN}", "--help", f"metrics {FFN} --format pb"):
        done = subprocess.run(
            ["bash", "-c", f"{program} {command} > /dev/full"], capture_output=True, text=True
        )
        assert_one_line(done, r"the output: No space left on device; check .* the disk")


def test_a_name_that_no_file_can_have(run):
    assert_one_line(run("metrics", ""), r"'': is no path; name a file .* a variable empty\?")
    assert_one_line(run("metrics", "a" * 300), r"a{300}: File name too long; check the path")


@pytest.mark.parametrize(
    ("cores", "expected"),
    [
        ("AIC", r"'AIC' is not like AIC=24,AIV=48"),
        ("AIC=0", r"'AIC=0' is not like"),
        ("AIC=-1", r"'AIC=-1' is not like"),
        ("AIC=4", r"AIC=4: .* has 24 AIC lanes"),
        ("GPU=4", r"no engine GPU"),
    ],
)
def test_wrong_cores(run, cores, expected):
    assert_one_line(run("metrics", FFN, "--cores", cores), expected)


def test_a_trace_has_its_clock_and_run(run, tmp_path):
    trace = tmp_path / "ffn.pftrace"
    assert run("convert", FFN, "-o", trace).returncode == 0
    again = ["-o", tmp_path / "again.pftrace"]
    for command in [
        ["metrics", trace, "--clock", "50MHz"],
        ["metrics", trace, "--run", "ffn"],
        ["compare", trace, trace, "--clock", "50MHz"],
        ["convert", trace, *again],
    ]:
        done = run(*command)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            f"error: {trace}: is a trace already, its clock and run settled; pass the swimlane "
            "that it was made of\n"
        )


def test_a_name_in_another_encoding(run, tmp_path):
    file = tmp_path / os.fsdecode("名.json".encode("gbk"))
    file.write_bytes(GOOD)
    done = run("metrics", file)
    assert_one_line(done, r"\\udcc3\\udcfb\.json': is a name that is no UTF-8 text; rename it")


def test_a_file_has_no_runs_to_choose_from(run):
    done = run("metrics", FFN, "--run", "ffn")
    assert_one_line(done, r"json\.gz: is no folder to choose run 'ffn' from; leave out --run")


def test_a_profile_on_stdin_has_no_topology_beside_it(run):
    profile = (TRACES / "ffn_device" / "tilefwk_L1_prof_data.json.gz").read_bytes()
    done = run("metrics", "-", stdin=profile)
    assert_one_line(
        done, r"<stdin>: .* the topology beside it; pass the file or its folder by name"
    )


def test_a_wrong_threshold(run):
    done = run("metrics", FFN, "--small-task", "10 parsec")
    assert_one_line(done, r"'10 parsec' is not a time like 10us")


def test_bad_sql_shows_line_and_caret(run):
    done = run("query", FFN, "SELECT core,\n  wrong\nFROM pypto_core")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        'error: no such column: wrong\n  File "stdin" line 2 col 3\n      wrong\n      ^\n'
    )


def test_sql_from_two_places(run, tmp_path):
    file = tmp_path / "q.sql"
    file.write_text("SELECT 1")
    assert_one_line(run("query", FFN, "SELECT 1", "-f", file), r"as an argument or with -f")
    assert_one_line(run("query", FFN), r"as an argument or with -f")
    assert_one_line(run("query", FFN, "-f", tmp_path / "no.sql"), r"no\.sql: can't be read")


def test_a_missing_engine(run):
    done = run("metrics", FFN, "--trace-processor", "/no/such/engine")
    assert_one_line(done, r"'/no/such/engine': no such file")


def test_usage_errors_are_one_line_too(run):
    assert_one_line(run("metrics"), r"Missing argument 'INPUT")
    assert_one_line(run("metric", FFN), r"No such command 'metric'")


@pytest.mark.parametrize(
    "command",
    [
        ("metrics", TRACES / "ffn", "--format", "csv", "-o", "-"),
        ("batch", TRACES / "ffn", "-o", "-"),
        ("extension-server", "-"),
    ],
    ids=lambda command: command[0],
)
def test_a_folder_cannot_go_to_stdout(run, tmp_path, command):
    assert_one_line(run(*command, cwd=tmp_path), r"stdout|name their folder with -o")
    assert list(tmp_path.iterdir()) == []
