"""The PerfettoSQL package `pypto`: where it lies, its spec files, and what its modules define.

A module documents itself: `--` comments stand above each object and column. They are read here,
once, for the list of metrics, the reference page and the includes of `query`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from perfetto_pypto.errors import InputError

#: Name under which the package is registered: module `pypto.x` is the file `x.sql`.
PACKAGE = "pypto"

#: Spec files in the order of the reports; others follow by name.
_ORDER = ("run", "engine", "core", "subgraph", "stitch", "observed_path", "what_if")

# A column list spans lines and ends with a line that begins with its parenthesis.
_CREATE = re.compile(
    r"(?P<comment>(?:^--[^\n]*\n)*)"
    r"^CREATE (?:OR REPLACE )?PERFETTO (?P<kind>TABLE|VIEW|FUNCTION|MACRO) (?P<name>\w+)"
    r"(?:\(\)|\(\n(?P<columns>.*?)^\))?",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_COLUMN = re.compile(r"(?P<comment>(?:[ \t]*--[^\n]*\n)*)[ \t]*(?P<name>\w+)\s+(?P<type>[\w.()]+)")
_HEAD = re.compile(r"\A(?:--.*\n)+(?=\n)")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, or an argument of a function or macro."""

    name: str
    type: str
    comment: str


@dataclass(frozen=True, slots=True)
class SqlObject:
    """What a module defines.

    kind:    ``TABLE``, ``VIEW``, ``FUNCTION`` or ``MACRO``
    module:  e.g. ``pypto.core``
    columns: as declared; empty where there is no declaration
    body:    the text up to the next object
    """

    kind: str
    name: str
    module: str
    comment: str
    columns: tuple[Column, ...]
    body: str

    @property
    def is_public(self) -> bool:
        """Whether it is meant for others: its name has no leading underscore."""
        return not self.name.startswith("_")


@cache
def package_dir() -> Path:
    """Returns the folder of the SQL modules and specs: in the wheel, or in the source tree."""
    inside = Path(__file__).with_name("sql_metrics")
    return inside if inside.is_dir() else Path(__file__).parent.parent / "sql_metrics"


def with_package(
    others: Mapping[str, str | os.PathLike[str]] | None = None,
) -> dict[str, Path]:
    """Returns the folders of the package `pypto` and of the user's packages, by name.

    Raises:
        InputError: one of the user's has the same name.
    """
    if others and PACKAGE in others:
        raise InputError(
            others[PACKAGE], f"the package name {PACKAGE} is taken", "name it otherwise: DIR@NAME"
        )
    return {PACKAGE: package_dir()} | {name: Path(path) for name, path in (others or {}).items()}


def spec_files() -> list[Path]:
    """Returns the package's metric specs (textproto), in the order of the reports."""
    place = {name: number for number, name in enumerate(_ORDER)}
    return sorted(
        package_dir().glob("*.textproto"),
        key=lambda file: (place.get(file.stem, len(place)), file.stem),
    )


def read_objects(package: str, folder: Path) -> list[SqlObject]:
    """Reads what the modules of a package define, in the order of their text.

    Raises:
        InputError: the folder is missing, holds no module, or can't be read.
    """
    from perfetto_pypto.engine.packages import read_modules

    return [
        definition
        for module, text in read_modules(package, folder).items()
        for definition in parse_objects(module, text)
    ]


def parse_objects(module: str, text: str) -> list[SqlObject]:
    """Parses a module's text; objects written in another style have no columns here."""
    matches = list(_CREATE.finditer(text))
    ends = [match.start() for match in matches[1:]] + [len(text)]
    return [
        SqlObject(
            kind=match["kind"].upper(),
            name=match["name"],
            module=module,
            comment=plain(match["comment"]),
            columns=tuple(
                Column(column["name"], column["type"], plain(column["comment"]))
                for column in _COLUMN.finditer(match["columns"] or "")
            ),
            body=text[match.end() : end],
        )
        for match, end in zip(matches, ends, strict=True)
    ]


def module_comment(text: str) -> str:
    """Returns what a module says of itself in its first lines."""
    match = _HEAD.match(text)
    return plain(match[0]) if match else ""


def plain(comment: str) -> str:
    """Takes a comment's dashes off and makes it one line."""
    return " ".join(line.strip().removeprefix("--").strip() for line in comment.splitlines())


def modules_of(sql: str) -> list[str]:
    """Returns the modules that define the package's public objects which ``sql`` names."""
    words = set(_WORD.findall(sql))
    return sorted({found.module for found in _public() if found.name in words})


@cache
def _public() -> Iterable[SqlObject]:
    return [found for found in read_objects(PACKAGE, package_dir()) if found.is_public]
