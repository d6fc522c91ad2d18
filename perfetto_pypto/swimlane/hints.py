"""The texts of a task: its name and hints, which PyPTO writes for people."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

#: ``seq-func-op-root-psg(label)``; any number may be negative, the label may hold anything.
_NUMBER = r"-?[0-9]{1,18}"
_PARTS = rf"({_NUMBER})-({_NUMBER})-({_NUMBER})-({_NUMBER}-{_NUMBER}\(.*\))"
_NAME = re.compile(_PARTS, re.DOTALL)
_NAME_LINES = re.compile(rf"^{_PARTS}$", re.MULTILINE)
_KIND = re.compile(rf"({_NUMBER})-({_NUMBER})\((.*)\)", re.DOTALL)
_TASK = re.compile(r"Task:\[(-?[0-9]{1,18})-(-?[0-9]{1,18})-(-?[0-9]{1,18})")
_HASHES = re.compile(r"rootHash:([^,]*), callOpMagic:(-?[0-9]{1,18}|None), leafHash:([^,]*)")
_PHASE = re.compile(r"(.+?)_([0-9]{1,18})(?:\((-?[0-9]{1,18})\))?")

#: Numbers with fewer digits fit 64 bits.
_DIGITS = 19

#: How PyPTO writes "there is none".
_NO_HASH = frozenset({"", "0", "-1", "None"})

#: PyPTO's data type numbers.
_DTYPES = [
    *("int4", "int8", "int16", "int32", "int64", "fp8", "fp16", "fp32", "bf16", "hf4", "hf8"),
    *("uint8", "uint16", "uint32", "uint64", "bool", "double", "fp8e5m2", "fp8e4m3", "fp8e8m0"),
]


class Kind(NamedTuple):
    """What a task's name says besides its identity; psg and root are -1 where unknown."""

    root_index: int
    psg_id: int
    label: str


class Hashes(NamedTuple):
    """What an event-hint says besides the task's identity."""

    root_hash: str | None
    call_op_magic: int
    leaf_hash: str | None


class Phase(NamedTuple):
    """An AICPU phase's name taken apart; dev_task is -1 where the phase has none."""

    name: str
    round: int
    dev_task: int


def split_names(names: list[str]) -> list[tuple[str, ...] | None]:
    """``0-0-13--1-2(c)`` to seq, func, op and ``-1-2(c)``, its `Kind`; None for any other text."""
    lines = "\n".join(names)
    found: list[tuple[str, ...]] = _NAME_LINES.findall(lines)
    # One search in all is twice as fast as one each; an odd name or one of several lines shows.
    if len(found) == len(names) == lines.count("\n") + 1:
        return [*found]
    matches = map(_NAME.fullmatch, names)
    return [None if match is None else match.groups() for match in matches]


def parse_kind(text: str) -> Kind | None:
    """``-1-2(c)`` to its parts; None for any other text."""
    match = _KIND.fullmatch(text)
    return None if match is None else Kind(int(match[1]), int(match[2]), match[3])


def parse_identity(event_hint: str) -> tuple[str, ...] | None:
    """The ``[seq-func-op]`` of an event-hint."""
    match = _TASK.match(event_hint)
    return None if match is None else match.groups()


def split_event_hint(hint: str) -> tuple[str, str, str]:
    """Cuts an event-hint into its parts; of another text it makes no hashes.

    Returns:
        The text of root, magic and leaf, shared by many tasks; the task id's; the lines below.
    """
    first, _, lines = hint.partition("\n")
    hashes, _, task_id = first.partition("], ")[2].rpartition(", TaskId:")
    return hashes, task_id, lines.strip()


def parse_task_id(text: str) -> int:
    """The task id of an event-hint; -1 for any other text."""
    return int(text) if text.isdecimal() and len(text) < _DIGITS else -1


def parse_hashes(text: str) -> Hashes | None:
    """``rootHash:R, callOpMagic:M, leafHash:L``; None for any other text."""
    match = _HASHES.fullmatch(text)
    if match is None:
        return None
    root, magic, leaf = match.groups()
    return Hashes(
        real_hash(root),
        -1 if magic == "None" else int(magic),
        real_hash(leaf),
    )


def real_hash(text: str) -> str | None:
    """The hash, or None for PyPTO's ways to write that there is none."""
    return None if text in _NO_HASH else text


def parse_phase(name: str) -> Phase:
    """``DEV_TASK_BUILD_0(3)`` to its parts; a name of another form stays whole, in round -1."""
    match = _PHASE.fullmatch(name)
    if match is None:
        return Phase(name, -1, -1)
    return Phase(match[1], int(match[2]), -1 if match[3] is None else int(match[3]))


def parse_tensors(hint: str) -> str | None:
    """An operand hint to one line per tensor: ``128x128 fp32 (tensor 3345)``.

    Returns:
        "" where the hint has no tensors, None where it has another form.
    """
    if not hint.strip():
        return ""
    try:
        operands = ast.literal_eval(hint.strip())
        return "\n".join(
            _tensor(number, facts) for operand in operands for number, facts in operand.items()
        )
    except (
        ValueError,
        SyntaxError,
        TypeError,
        AttributeError,
        KeyError,
        RecursionError,
        MemoryError,
    ):
        return None


def _tensor(number: int, facts: dict[str, object]) -> str:
    shape, dtype = facts["shape"], facts["dtype"]
    if not isinstance(shape, list) or not isinstance(dtype, int):
        raise TypeError
    more = "".join(
        f", {key} {value}"
        for key, value in facts.items()
        if key not in ("shape", "dtype", "rawmagic")
    )
    return tensor_text(number, shape, dtype, more)


def tensor_text(number: int, shape: list[object], dtype: int, more: str = "") -> str:
    """``64x256 fp32 (tensor 12)``; ``dtype`` is PyPTO's number, an extent of -1 is unknown."""
    size = "x".join("?" if extent == -1 else str(extent) for extent in shape) or "scalar"
    kind = _DTYPES[dtype] if 0 <= dtype < len(_DTYPES) else f"dtype {dtype}"
    return f"{size} {kind} (tensor {number}{more})"
