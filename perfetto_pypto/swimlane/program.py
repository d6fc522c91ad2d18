"""``program.json``, PyPTO's compiled program: labels, shapes and source lines of the tasks.

A task is a call in a root function (by the topology's rootHash and opmagic) of a leaf function.
The operations it was made of stand in the tile graph that belongs to the root, under the call's
subgraphid, with the file and line of the user's code. The file can have 90 MB: only the needed
fields are decoded.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.hints import tensor_text
from perfetto_pypto.swimlane.opening import Opened
from perfetto_pypto.swimlane.text import convert, load, read_text

_ROOT = 2
_TILE_GRAPH = 1
_LEAF = 3

#: Part of the path of PyPTO's own files, whose lines tell a user nothing.
_OWN = "/pypto/"


class _Label(Struct, gc=False):
    label: str | None = None
    filename: str | None = None
    lineno: int | None = None


class _Operation(Struct, gc=False):
    opmagic: int = -1
    calleehash: int | str | None = None
    subgraphid: int | None = None
    semantic_label: _Label | None = None
    file: str | None = None
    line: int | None = None
    ioperands: list[int] = []
    ooperands: list[int] = []


class _Tensor(Struct, gc=False):
    magic: int
    shape: list[Any] = []
    rawtensor: int = -1


class _RawTensor(Struct, gc=False):
    rawmagic: int
    datatype: int = -1


class _Function(Struct, gc=False):
    hash: int | str = ""
    graphtype: int = -1
    funcmagic: int = -1
    func_magicname: str = ""
    root_func_magic: int | None = None
    operations: list[_Operation] = []
    tensors: list[_Tensor] = []
    rawtensors: list[_RawTensor] = []


class _Program(Struct, gc=False):
    functions: list[_Function]


class Call(NamedTuple):
    """What the program says of a task; "" where it says nothing.

    inputs, outputs: one line per tensor, as in ``Tasks``
    """

    label: str
    function: str
    inputs: str
    outputs: str
    source_line: str


_UNKNOWN = Call("", "", "", "", "")


class Program:
    """The calls of a compiled program."""

    def __init__(self, functions: list[_Function]) -> None:
        self._index: dict[str, int] = {}
        for place, function in enumerate(functions):
            self._index.setdefault(str(function.hash), place)
        self._functions = functions
        self._calls: dict[str, dict[int, Call]] = {}

    def root_index(self, root_hash: str) -> int:
        """The root function's place in the program; -1 where it isn't there."""
        return self._index.get(root_hash, -1)

    def call(self, root_hash: str, magic: int) -> Call:
        """The call ``magic`` of a root function."""
        if root_hash not in self._calls:
            place = self._index.get(root_hash)
            self._calls[root_hash] = {} if place is None else self._read(self._functions[place])
        return self._calls[root_hash].get(magic, _UNKNOWN)

    def _read(self, root: _Function) -> dict[int, Call]:
        tensors = _tensor_texts(root)
        lines = self._lines(root)
        calls: dict[int, Call] = {}
        for one in root.operations:
            place = self._index.get(str(one.calleehash))
            leaf = self._functions[place] if place is not None and one.calleehash else None
            if leaf is not None and leaf.graphtype != _LEAF:
                leaf = None
            label = one.semantic_label or _Label()
            source = lines.get(one.subgraphid) if one.subgraphid is not None else None
            calls.setdefault(
                one.opmagic,
                Call(
                    (label.label or "").strip(),
                    leaf.func_magicname if leaf else "",
                    _operands(one.ioperands, tensors),
                    _operands(one.ooperands, tensors),
                    source
                    or (_line_of(leaf.operations) if leaf else None)
                    or _place(label.filename, label.lineno)
                    or "",
                ),
            )
        return calls

    def _lines(self, root: _Function) -> dict[int, str | None]:
        """The source line of each subgraph of the tile graph that became this root function."""
        parts: dict[int, list[_Operation]] = defaultdict(list)
        for function in self._functions:
            if function.graphtype == _TILE_GRAPH and function.root_func_magic == root.funcmagic:
                for one in function.operations:
                    if one.subgraphid is not None and one.file:
                        parts[one.subgraphid].append(one)
        return {subgraph: _line_of(operations) for subgraph, operations in parts.items()}


def read_program(source: Opened, findings: Findings) -> Program:
    """Reads ``program.json``.

    Raises:
        InputError: the file isn't JSON or breaks the format.
    """
    text = read_text(source)
    try:
        return Program(msgspec.json.decode(text, type=_Program).functions)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    loaded = load(source.path, text, 0)
    functions = loaded.get("functions") if isinstance(loaded, dict) else None
    if not isinstance(functions, list):
        raise InputError(source.path, 'has no list of "functions"', "compile the operator again")
    return Program(
        [
            convert(source.path, one, _Function, f"functions[{at}]", "pypto_program", findings)
            for at, one in enumerate(functions)
        ]
    )


def _line_of(operations: list[_Operation]) -> str | None:
    """Where most of the operations stand, in the user's own files if any does."""
    places = Counter(
        (one.file, one.line) for one in operations if one.file and one.line is not None
    )
    if not places:
        return None
    ranked = sorted(
        places.items(), key=lambda item: (_OWN in item[0][0], -item[1], item[0][0], item[0][1])
    )
    return _place(*ranked[0][0])


def _place(file: str | None, line: int | None) -> str | None:
    return f"{PurePosixPath(file).name}:{line}" if file and line is not None else None


def _tensor_texts(root: _Function) -> dict[int, str]:
    kinds = {raw.rawmagic: raw.datatype for raw in root.rawtensors}
    return {
        tensor.magic: tensor_text(tensor.magic, tensor.shape, kinds.get(tensor.rawtensor, -1))
        for tensor in root.tensors
    }


def _operands(magics: list[int], tensors: dict[int, str]) -> str:
    return "\n".join(tensors[magic] for magic in dict.fromkeys(magics) if magic in tensors)
