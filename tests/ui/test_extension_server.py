"""The extension server: its documents, macros that run, and its share link."""

from __future__ import annotations

import base64
import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from urllib.parse import unquote

import jsonschema
import pytest

import perfetto_pypto as pp
from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.sql import package_dir
from perfetto_pypto.ui import extension, places
from tests.paths import TRACES
from tests.ui.sound import assert_sound

COMMAND = Path(sys.executable).with_name("pypto-perfetto")
TEXT = {"type": "string", "minLength": 1}


def thing(**properties):
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def many(item):
    return {"type": "array", "items": item, "minItems": 1}


OWN = {"type": "string", "pattern": r"^pypto\.[A-Za-z_]+$"}
SCHEMAS = {
    "manifest": thing(
        name=TEXT,
        namespace={"const": "pypto"},
        features=many(thing(name={"enum": ["macros", "sql_modules", "proto_descriptors"]})),
        modules=many(thing(id={"const": "default"}, name=TEXT)),
    ),
    "modules/default/macros": thing(
        macros=many(
            thing(
                id=OWN,
                name=TEXT,
                run=many(
                    thing(id={"type": "string", "pattern": r"^dev\.perfetto\."}, args=many(TEXT))
                ),
            )
        )
    ),
    "modules/default/sql_modules": thing(sql_modules=many(thing(name=OWN, sql=TEXT))),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("extension") / "new" / "server"
    extension.write(folder)
    return folder


def test_the_documents_keep_the_protocol(folder):
    files = {
        file.relative_to(folder).as_posix(): json.loads(file.read_bytes())
        for file in folder.rglob("*")
        if file.is_file()
    }
    assert set(files) == set(SCHEMAS)
    for name, document in files.items():
        jsonschema.validate(document, SCHEMAS[name])


def test_its_modules_are_the_package(folder):
    modules = json.loads((folder / "modules/default/sql_modules").read_bytes())["sql_modules"]
    assert {entry["name"]: entry["sql"] for entry in modules} == {
        f"pypto.{file.stem}": file.read_text() for file in package_dir().glob("*.sql")
    }


def test_macros_need_nothing_but_the_trace(folder, tmp_path):
    """On a plain engine, without the package: each query answers, each row is there."""
    from perfetto_pypto.engine import open_trace

    pp.convert(TRACES / "rmsnorm_tiny", tmp_path / "run.pftrace")
    macros = json.loads((folder / "modules/default/macros").read_bytes())["macros"]
    assert len(macros) == 7
    with open_trace(tmp_path / "run.pftrace") as tp:
        for macro in macros:
            for command in macro["run"]:
                assert "pypto_" not in "".join(command["args"])
                assert_sound(tp, command)


def test_their_numbers_are_those_of_the_package(tmp_path):
    from perfetto_pypto.ui import tables

    pp.convert(TRACES / "flash_stitch512", tmp_path / "run.pftrace")
    with pp.open_trace(tmp_path / "run.pftrace") as tp:
        engines = places.rows(
            tp,
            """
            SELECT engine, task_count, round(100.0 * utilization, 1) AS u,
              round(100.0 * starved / (busy + starved + blocked + drained), 1) AS s,
              round(100.0 * blocked / (busy + starved + blocked + drained), 1) AS b,
              round(100.0 * drained / (busy + starved + blocked + drained), 1) AS d,
              round(busy / 1e3, 2) AS us
            FROM pypto_engine_stats WHERE engine != 'all' ORDER BY engine
            """,
        )
        assert places.rows(tp, tables.ENGINES) == engines
        cores = places.rows(
            tp,
            """
            SELECT core, task_count, round(busy / 1e3, 2) AS busy
            FROM pypto_core_stats ORDER BY core
            """,
        )
        assert sorted(row[:3] for row in places.rows(tp, tables.CORES)) == cores
        subgraphs = places.rows(
            tp,
            """
            SELECT leaf_hash, engine, task_count, round(total / 1e3, 2) AS total
            FROM pypto_subgraph_stats ORDER BY leaf_hash, engine
            """,
        )
        made = [(h, e, n, us) for h, e, _, n, us, *_ in places.rows(tp, tables.SUBGRAPHS)]
        assert sorted(made) == subgraphs
        small = places.rows(tp, "SELECT leaf_hash FROM pypto_subgraph_stats WHERE is_small")
        assert {row[0] for row in places.rows(tp, tables.SMALL_SUBGRAPHS)} == {h for (h,) in small}


@pytest.mark.parametrize(
    ("where", "server"),
    [
        ("https://example.org/perfetto/", {"type": "https", "url": "https://example.org/perfetto"}),
        ("github:me/repo", {"type": "github", "repo": "me/repo", "ref": "main", "path": "/"}),
        (
            "github:me/my.repo@v1.0/x:tools/ext",
            {"type": "github", "repo": "me/my.repo", "ref": "v1.0/x", "path": "/tools/ext"},
        ),
    ],
)
def test_the_share_link(where, server):
    start, _, packed = extension.share_link(where).partition("addServer=")
    assert start == "https://ui.perfetto.dev/#!/?dev.perfetto.ExtensionServers:"
    assert json.loads(base64.b64decode(unquote(packed), validate=True)) == {
        **server,
        "enabledModules": ["default"],
        "enabled": True,
        "auth": {"type": "none"},
    }


@pytest.mark.parametrize("where", ["ftp://x", "github:x", "http://example.org", "x"])
def test_no_share_link(where):
    with pytest.raises(PyptoPerfettoError, match=r"is neither https://… nor github:"):
        extension.share_link(where)


def test_serve(tmp_path):
    process = subprocess.Popen(
        [COMMAND, "extension-server", tmp_path, "--serve"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert "addServer=" in process.stdout.readline()
        for name, schema in SCHEMAS.items():
            request = urllib.request.Request(
                f"http://127.0.0.1:9001/{name}", headers={"Origin": "https://ui.perfetto.dev"}
            )
            with urllib.request.urlopen(request, timeout=30) as answer:
                assert answer.headers["Access-Control-Allow-Origin"] == "https://ui.perfetto.dev"
                jsonschema.validate(json.load(answer), schema)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        assert (process.returncode, err.splitlines()[-1]) == (0, "stopped")
    finally:
        process.kill()


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PyptoPerfettoError, match="can't be made"):
        extension.write(tmp_path / "file" / "server")
