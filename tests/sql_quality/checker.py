"""The style of the SQL modules, after Perfetto's own standard library, as checks on a text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from perfetto_pypto.sql import SqlObject, module_comment, parse_objects

#: Words that are no names of columns: they stand in capitals.
KEYWORDS = """
    ALL AND AS BETWEEN BY CASE CAST CREATE DESC DISTINCT ELSE EXISTS FROM FUNCTION GLOB GROUP
    HAVING IN INCLUDE INTERSECT IS JOIN LEFT LIMIT MACRO MATERIALIZED MODULE NOT NULL ON OR ORDER
    OVER PARTITION PERFETTO PRECEDING RECURSIVE RETURNS ROWS SELECT THEN UNBOUNDED UNION USING
    VIEW WHEN WHERE WITH
"""
#: What the modules of Perfetto's standard library that are included here define.
STDLIB = {"graphs.scan": r"_graph_(?:aggregating_)?scan!"}

_KEYWORDS = frozenset(KEYWORDS.split())
_NO_CODE = re.compile(r"--[^\n]*|'(?:[^']|'')*'")
_INCLUDE = re.compile(r"^INCLUDE PERFETTO MODULE ([\w.*]+);", re.MULTILINE)


def code_of(text: str) -> str:
    """The text without comments and literals."""
    return _NO_CODE.sub("''", text)


def includes(text: str) -> list[str]:
    return _INCLUDE.findall(code_of(text))


def problems(module: str, text: str) -> Iterator[str]:
    """What is wrong with the text of a module."""
    if not module_comment(text):
        yield "the first lines don't say what the module is about"
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) >= 80:
            yield f"line {number} has {len(line)} characters"
        if line != line.rstrip() or "\t" in line:
            yield f"line {number} has a tab or ends with a space"
    yield from _code_problems(code_of(text))
    objects = parse_objects(module, text)
    if len(objects) != len(re.findall(r"\bCREATE\b", code_of(text))):
        yield "something is created that is no PERFETTO TABLE, VIEW, FUNCTION or MACRO"
    for found in objects:
        yield from _object_problems(found)


def _code_problems(code: str) -> Iterator[str]:
    for word in re.findall(r"(?<![$\w.])[a-z]+\b", code):
        if word.upper() in _KEYWORDS:
            yield f"the keyword {word} is not in capitals"
    if re.search(r"\bLIKE\b", code, re.IGNORECASE):
        yield "LIKE ignores case: GLOB doesn't"
    if re.search(r"\bCREATE\s+(?!(?:OR\s+REPLACE\s+)?PERFETTO\b)", code, re.IGNORECASE):
        yield "CREATE without PERFETTO"
    if any("*" in name for name in _INCLUDE.findall(code)):
        yield "an include of many modules"


def _object_problems(found: SqlObject) -> Iterator[str]:
    if not found.name.startswith(("pypto_", "_pypto_")):
        yield f"{found.name} begins neither with pypto_ nor with _pypto_"
    if found.name != found.name.lower():
        yield f"{found.name} is not in lower case"
    if not found.comment:
        yield f"{found.name} has no comment"
    if found.body.startswith("("):
        yield f"{found.name} has columns or arguments that don't stand on lines of their own"
    elif found.is_public and found.kind in ("TABLE", "VIEW") and not found.columns:
        yield f"{found.name} is public and declares no columns"
    for column in found.columns:
        if not column.comment:
            yield f"{found.name}.{column.name} has no comment"
