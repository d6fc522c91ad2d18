"""Which task feeds which: PyPTO's ``dyn_topo.txt``, or the static ``topo.json``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated

from msgspec import Meta, Struct

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.opening import Opened
from perfetto_pypto.swimlane.text import read_list, read_text

Integer = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]

#: A task's identity in the raw files: seqNo and taskId.
Key = tuple[int, int]

_SUCCESSORS = "successors"
#: PyPTO's own layout of 2026-01, for a file whose header was cut off.
_COLUMNS = (
    *("seqNo", "taskId", "rootIndex", "rootHash", "opmagic", "leafIndex", "leafHash"),
    *("coreType", "psgId", _SUCCESSORS),
)
_NEEDED = ("seqNo", "taskId", _SUCCESSORS)
_REMEDY = "copy the file again, or rerun the operator"
_NUMBER = re.compile(r"-?[0-9]{1,18}")
_STATIC_NUMBER = re.compile(r"(\d+)_simulate\.topo")


@dataclass(slots=True)
class Node:
    """A task of the graph. Hashes are text ("" for none), numbers -1 where the file has none."""

    seq: int
    task_id: int
    root_index: int = -1
    root_hash: str = ""
    magic: int = -1
    leaf_hash: str = ""
    psg_id: int = -1
    wrap_id: int = -1
    label: str = ""
    function: str = ""
    successors: list[int] = field(default_factory=list)

    @property
    def key(self) -> Key:
        """The identity that the profile uses, too."""
        return self.seq, self.task_id


@dataclass(frozen=True, slots=True)
class Topology:
    """The graph in file order; ``kind`` is ``dynamic`` or ``static``."""

    kind: str
    nodes: list[Node]


def read_dynamic(source: Opened, findings: Findings) -> Topology:
    """Reads ``dyn_topo.txt``: columns by the header's names, the successors at the row's end.

    Raises:
        InputError: a needed column is missing, or a value is no number; names the line.
    """
    try:
        lines = read_text(source).decode().splitlines()
    except UnicodeDecodeError as error:
        raise InputError(
            source.path, f"is not UTF-8 at byte {error.start}", "write the file again as UTF-8"
        ) from None
    first = next((at for at, line in enumerate(lines) if "taskId" in line), None)
    columns = _COLUMNS if first is None else tuple(name.strip() for name in lines[first].split(","))
    if missing := [name for name in _NEEDED if name not in columns]:
        raise InputError(source.path, f"has no column {missing[0]!r} in its header", _REMEDY)
    if columns[-1] != _SUCCESSORS:
        raise InputError(source.path, "has columns behind its successors", _REMEDY)
    nodes: dict[Key, Node] = {}
    begin = 0 if first is None else first + 1
    for at, line in enumerate(lines[begin:], begin + 1):
        text = line.strip()
        if not text or text[0].isalpha():
            continue
        node = _node(source.path, at, columns, [value.strip() for value in text.split(",")])
        if node.key in nodes:
            findings.add(
                "duplicate-node", 1, [f"line {at}: seqNo {node.seq} taskId {node.task_id}"]
            )
        nodes[node.key] = node
    return Topology("dynamic", list(nodes.values()))


def _node(path: str, line: int, columns: tuple[str, ...], values: list[str]) -> Node:
    fixed = len(columns) - 1
    row = dict(zip(columns, values[:fixed], strict=False))

    def number(name: str, default: int | None = -1) -> int:
        text = row.get(name, "")
        if not text and default is not None:
            return default
        return _number(path, line, name, text)

    return Node(
        seq=number("seqNo", None),
        task_id=number("taskId", None),
        root_index=number("rootIndex"),
        root_hash=row.get("rootHash", ""),
        magic=number("opmagic"),
        leaf_hash=row.get("leafHash", ""),
        psg_id=number("psgId"),
        wrap_id=number("wrapId"),
        successors=[_number(path, line, _SUCCESSORS, one) for one in values[fixed:] if one],
    )


def _number(path: str, line: int, column: str, text: str) -> int:
    if not _NUMBER.fullmatch(text):
        shown = text if len(text) < 40 else text[:39] + "…"
        raise InputError(path, f"line {line}: {column} is {shown!r}, no number", _REMEDY)
    return int(text)


class _Static(Struct, gc=False):
    taskId: Integer  # noqa: N815
    successors: list[Integer] = []
    funcName: str | None = None  # noqa: N815
    semanticLabel: str | None = None  # noqa: N815
    rootIndex: Integer = -1  # noqa: N815
    rootHash: int | str | None = None  # noqa: N815
    opMagic: Integer = -1  # noqa: N815
    funcHash: int | str | None = None  # noqa: N815
    psgId: Integer | None = None  # noqa: N815
    wrapId: Integer = -1  # noqa: N815


def read_static(sources: Iterable[Opened], findings: Findings) -> Topology:
    """Reads ``topo.json``, or the ``N_simulate.topo.json`` of several device tasks.

    Raises:
        InputError: a file is damaged or breaks the format.
    """
    nodes: dict[Key, Node] = {}
    for source in sources:
        name = source.file.name if source.file else ""
        numbered = _STATIC_NUMBER.match(name)
        seq = int(numbered[1]) if numbered and len(numbered[1]) < 10 else 0
        for one in read_list(source, _Static, "a static topology", "pypto_topology", findings):
            node = Node(
                seq=seq + (one.taskId >> 32),
                task_id=one.taskId & 0xFFFFFFFF,
                root_index=one.rootIndex,
                root_hash=str(one.rootHash or ""),
                magic=one.opMagic,
                leaf_hash=str(one.funcHash or ""),
                psg_id=-1 if one.psgId is None else one.psgId,
                wrap_id=one.wrapId,
                label=(one.semanticLabel or "").strip(),
                function=(one.funcName or "").strip(),
                successors=[successor & 0xFFFFFFFF for successor in one.successors],
            )
            if node.key in nodes:
                findings.add("duplicate-node", 1, [f"taskId {one.taskId}"])
            nodes[node.key] = node
    return Topology("static", list(nodes.values()))
