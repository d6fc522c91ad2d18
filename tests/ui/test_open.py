"""`open` and `link` as a user runs them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import jsonschema
import pytest

import perfetto_pypto as pp
from perfetto_pypto.ui.server import LocalServer
from tests.paths import ROOT, TRACES

COMMAND = Path(sys.executable).with_name("pypto-perfetto")
FFN = TRACES / "ffn"


def run(*args):
    return subprocess.run(
        [COMMAND, *map(str, args)], capture_output=True, text=True, check=False, cwd=ROOT
    )


@contextmanager
def opening(*args):
    """`open --no-browser` while it serves, and the link that it printed."""
    command = [COMMAND, "open", *map(str, args), "--no-browser"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert process.stderr is not None
        assert process.stderr.readline().startswith("serving on http://127.0.0.1:")
        yield process, url
    finally:
        process.kill()
        process.communicate()


def values(url):
    decoded = parse_qs(urlsplit(url).fragment.removeprefix("!/?"), strict_parsing=True)
    return {key: value for key, (value,) in decoded.items()}


def fetch(url, origin="https://ui.perfetto.dev"):
    request = urllib.request.Request(url, headers={"Origin": origin})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read(), answer.headers["Access-Control-Allow-Origin"]


def test_it_serves_the_trace_and_ends_once_the_ui_has_it(tmp_path):
    pp.convert(FFN, tmp_path / "ffn.pftrace")
    with opening(FFN) as (process, url):
        assert url.startswith("https://ui.perfetto.dev/#!/?")
        decoded = values(url)
        assert decoded["url"] == "http://127.0.0.1:9001/trace/ffn.pftrace"
        trace, allowed = fetch(decoded["url"])
        assert allowed == "https://ui.perfetto.dev"
        assert trace == (tmp_path / "ffn.pftrace").read_bytes()
        assert process.wait(timeout=30) == 0


def test_a_converted_trace_is_served_as_it_is(tmp_path):
    pp.convert(FFN, tmp_path / "ffn.pftrace.gz")
    with opening(tmp_path / "ffn.pftrace.gz", "--ui", "local", "--port", 0) as (_, url):
        assert url.startswith("http://127.0.0.1:")
        trace, _ = fetch(values(url)["url"])
        assert trace == (tmp_path / "ffn.pftrace.gz").read_bytes()


def test_ctrl_c_ends_it_cleanly():
    with opening(FFN, "--keep") as (process, url):
        fetch(values(url)["url"])
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (0, "", "stopped\n")


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("core=AIV_41", {"visStart": "3313", "visEnd": "46072"}),
        ("10us..20us", {"visStart": "10000", "visEnd": "20000"}),
    ],
)
def test_at_a_place(place, expected):
    with opening(FFN, "--ui", "local", "--port", 0, "--at", place) as (_, url):
        assert expected.items() <= values(url).items()


def test_the_port_is_taken():
    with LocalServer({}, 9001):
        done = run("open", FFN, "--no-browser")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: port 9001 of 127.0.0.1 is taken")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--at", "core=AIV_99"], "error: core=AIV_99: no such core; the run has AIC_1, AIC_2"),
        (["--port", "9002"], "error: --port 9002: ui.perfetto.dev fetches from port 9001 alone"),
        (["--at", "task=1-2"], "error: task=1-2: no such task; the first ones are "),
    ],
)
def test_bad_options(args, message):
    done = run("open", FFN, "--no-browser", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1


def test_a_bad_input_is_no_page():
    done = run("open", ROOT / "README.md", "--no-browser")
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")


def test_link_as_text_json_and_markdown():
    url = "https://example.org/ffn.pftrace"
    expected = pp.links(FFN, url)
    done = run("link", FFN, "--trace-url", url)
    assert done.stdout == "".join(f"{link.title}\n  {link.url}\n" for link in expected)
    document = json.loads(run("link", FFN, "--trace-url", url, "--format", "json").stdout)
    text = {"type": "string"}
    keys = ["kind", "key", "title", "url"]
    item = {
        "properties": dict.fromkeys(keys, text),
        "required": keys,
        "additionalProperties": False,
    }
    jsonschema.validate(document, {"type": "array", "items": {"type": "object", **item}})
    assert [entry["url"] for entry in document] == [link.url for link in expected]
    lines = run("link", FFN, "--trace-url", url, "--format", "markdown").stdout.splitlines()
    assert lines[0] == f"- [The whole run]({expected[0].url})"
    assert len(lines) == len(expected)


def test_link_to_nowhere():
    done = run("link", FFN, "--trace-url", "ffn.pftrace")
    assert done.returncode == 2
    assert done.stderr.startswith("error: --trace-url ffn.pftrace: ui.perfetto.dev can't fetch")
