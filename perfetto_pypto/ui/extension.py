"""An extension server for the Perfetto UI (v54 and later): static files, for any https host.

Its SQL modules are the package itself under the same names, so INCLUDE PERFETTO MODULE pypto.core
works in the public UI. Its macros stand on the trace alone. The traces hold no messages of our own,
so there are no proto descriptors.
"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

from perfetto_pypto.engine.packages import read_modules
from perfetto_pypto.errors import InputError, PyptoPerfettoError
from perfetto_pypto.files import write_atomically
from perfetto_pypto.sql import PACKAGE, package_dir
from perfetto_pypto.ui import commands, tables
from perfetto_pypto.ui.commands import Command
from perfetto_pypto.ui.server import Served
from perfetto_pypto.ui.view import PUBLIC_UI

_MODULE = "default"
_GITHUB = re.compile(r"github:([\w-]+/[\w.-]+?)(?:@([\w./-]+?))?(?::/?([\w./-]*))?")
_COUNTERS = [
    f"{what} {engine}" for engine in ("AIC", "AIV", "AICORE") for what in ("Running", "Ready")
]

#: Macros by the last part of their id: name in the command palette, and what they run.
_MACROS: dict[str, tuple[str, list[Command]]] = {
    "CriticalPath": (
        "PyPTO: pin the critical path",
        [commands.pin("Critical path"), commands.show_table(tables.PATH)],
    ),
    "Engines": (
        "PyPTO: where each engine's core time went",
        [commands.show_table(tables.ENGINES)],
    ),
    "Bubbles": (
        "PyPTO: bubbles by cause",
        [
            commands.show_table(tables.CAUSES),
            commands.slice_track("Longest waits", tables.LONGEST_WAITS),
        ],
    ),
    "Cores": (
        "PyPTO: compare the cores",
        [commands.expand_cores(), commands.show_table(tables.CORES)],
    ),
    "ReadyQueue": (
        "PyPTO: ready queue",
        [commands.pin(*_COUNTERS), commands.show_table(tables.READY)],
    ),
    "Subgraphs": (
        "PyPTO: subgraphs with the most time",
        [commands.show_table(tables.SUBGRAPHS)],
    ),
    "SmallSubgraphs": (
        "PyPTO: small subgraphs",
        [
            commands.show_table(tables.SMALL_SUBGRAPHS),
            commands.slice_track("Small tasks", tables.SMALL_TASKS),
        ],
    ),
}


def documents() -> dict[str, dict[str, Any]]:
    """Returns the server's JSON documents by path."""
    modules = read_modules(PACKAGE, package_dir())
    return {
        "manifest": {
            "name": "PyPTO swimlanes",
            "namespace": PACKAGE,
            "features": [{"name": "macros"}, {"name": "sql_modules"}],
            "modules": [{"id": _MODULE, "name": "PyPTO metrics"}],
        },
        f"modules/{_MODULE}/macros": {
            "macros": [
                {"id": f"{PACKAGE}.{last}", "name": name, "run": run}
                for last, (name, run) in _MACROS.items()
            ]
        },
        f"modules/{_MODULE}/sql_modules": {
            "sql_modules": [{"name": name, "sql": sql} for name, sql in modules.items()]
        },
    }


def write(folder: Path) -> list[Path]:
    """Writes the files below a folder, which is made if it isn't there; returns their paths.

    Raises:
        InputError: the folder can't be written.
    """
    written = []
    for name, document in documents().items():
        file = folder / name
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            problem = f"can't be made ({error.strerror})"
            raise InputError(file.parent, problem, "choose another folder") from error
        write_atomically(
            file, [json.dumps(document, indent=1, ensure_ascii=False).encode() + b"\n"]
        )
        written.append(file)
    return written


def served(files: list[Path], folder: Path) -> dict[str, Served]:
    """Returns written files as a local server takes them."""
    return {
        f"/{file.relative_to(folder).as_posix()}": Served(file, "application/json")
        for file in files
    }


def share_link(where: str) -> str:
    """Returns the link that offers the server to whoever opens it.

    Args:
        where: ``https://…`` of the folder, or ``github:OWNER/REPO[@REF][:FOLDER]``.

    Raises:
        PyptoPerfettoError: it is neither.
    """
    server: dict[str, Any] = {
        "enabledModules": [_MODULE],
        "enabled": True,
        "auth": {"type": "none"},
    }
    if match := _GITHUB.fullmatch(where):
        repository, ref, folder = match.groups()
        place = {"repo": repository, "ref": ref or "main", "path": f"/{folder or ''}"}
        server = {"type": "github", **place, **server}
    elif re.match(r"https://[^/\s]|http://127\.0\.0\.1[:/]", where):
        server = {"type": "https", "url": where.rstrip("/"), **server}
    else:
        raise PyptoPerfettoError(
            f"--url {where}: is neither https://… nor github:OWNER/REPO[@REF][:FOLDER]"
        )
    packed = base64.b64encode(json.dumps(server).encode()).decode()
    # Percent-encoded: the alphabet has + and /, and the UI reads a + as a space.
    encoded = packed.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D")
    return f"{PUBLIC_UI}#!/?dev.perfetto.ExtensionServers:addServer={encoded}"
