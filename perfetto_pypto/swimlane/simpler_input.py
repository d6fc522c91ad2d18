"""The simpler runtime's JSON files: decoding with exact errors, and the files beside a record."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
from msgspec import Struct, field

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.folder import DEPS, NAME_MAP, find
from perfetto_pypto.swimlane.model import Int64s
from perfetto_pypto.swimlane.opening import Opened
from perfetto_pypto.swimlane.simpler_graph import Graph
from perfetto_pypto.swimlane.text import convert, load, read_text

REMEDY = "repair the file there, or run the case again"

_FIRST, _LAST = -(2**63), 2**63 - 1

Document = TypeVar("Document", bound=Struct)


class DepTask(Struct, gc=False):
    """A task of deps.json; ``kernel_ids``: cube, vector 0, vector 1, -1 for none."""

    task_id: int | str
    kernel_ids: list[int] = []


class DepEdge(Struct, gc=False):
    """An edge of deps.json; one for every argument that causes it."""

    pred: int | str
    succ: int | str


class Deps(Struct, gc=False):
    """deps.json."""

    edges: list[DepEdge]
    tasks: list[DepTask] = []


class NameMap(Struct, gc=False):
    """name_map_<case>.json."""

    names: dict[str, str] = field(name="callable_id_to_name", default_factory=dict)


def decode(opened: Opened, kind: type[Document], schema: str, findings: Findings) -> Document:
    """Decodes a document; what the strict way refuses goes through the standard library.

    Raises:
        InputError: it is no JSON, or breaks the schema; says where.
    """
    text = read_text(opened)
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        value = load(opened.path, text, 0)
    return convert(opened.path, value, kind, "$", schema, findings)


def read_deps(opened: Opened, findings: Findings) -> tuple[Graph, dict[int, list[int]]]:
    """The graph in the deps.json beside the file, and each task's kernels.

    Raises:
        InputError: deps.json is damaged.
    """
    nothing = np.zeros(0, dtype=np.int64)
    beside = _beside(opened, DEPS)
    if not beside:
        findings.add("no-dependencies")
        return Graph(nothing, nothing, nothing), {}
    deps = decode(beside[0], Deps, "simpler_deps", findings)
    path = beside[0].path
    kernels = {_token(path, task.task_id): task.kernel_ids for task in deps.tasks}
    graph = Graph(
        tokens(_token(path, edge.pred) for edge in deps.edges),
        tokens(_token(path, edge.succ) for edge in deps.edges),
        tokens(task for task, ids in kernels.items() if all(one < 0 for one in ids)),
    )
    return graph, {signed(task): ids for task, ids in kernels.items()}


def read_names(opened: Opened, findings: Findings) -> dict[str, str]:
    """Kernel number (text) -> name, from the name_map file beside the file; empty without one.

    Raises:
        InputError: the name_map file is damaged.
    """
    beside = _beside(opened, NAME_MAP)
    if len(beside) > 1:
        names = [Path(one.path).name for one in beside]
        findings.add("several-name-maps", 1, [", ".join(names)])
    return decode(beside[0], NameMap, "simpler_names", findings).names if beside else {}


def _beside(opened: Opened, pattern: str) -> list[Opened]:
    if opened.file is None:
        return []
    return [Opened(str(path), path.name, path) for path in find(opened.file.parent, pattern)]


def _token(path: str, value: int | str) -> int:
    if isinstance(value, int):
        return value
    if value.removeprefix("-").isdecimal() and value.isascii() and len(value) <= 20:
        return int(value)
    raise InputError(path, f"the task id {value[:40]!r} is no number", REMEDY)


def signed(token: int) -> int:
    """A token, which has 64 bits without a sign, as the int64 of the same bits."""
    return (token - _FIRST) % 2**64 + _FIRST


def tokens(values: Iterable[int]) -> Int64s:
    """A column of tokens."""
    return np.array([signed(value) for value in values], dtype=np.int64)


def integers(values: list[int]) -> Int64s:
    """A column of numbers; those beyond 64 bits become the nearest, which is no possible time."""
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError:
        return np.array([min(max(value, _FIRST), _LAST) for value in values], dtype=np.int64)
