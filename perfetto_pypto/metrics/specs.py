"""Metric specs: textproto files as Perfetto's TraceSummarySpec messages."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf import text_format

from perfetto_pypto.engine.protos import shared_protos
from perfetto_pypto.errors import InputError

_ENTRY = re.compile(
    r"(?P<about>(?:^#[^\n]*\n)*)^(?P<field>metric_spec|metric_template_spec)\b", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class SpecFile:
    """A spec file.

    message: the TraceSummarySpec
    about:   the comments above its entries, by field and in the order of the message
    """

    path: Path
    message: Any
    about: dict[str, list[str]]

    @property
    def text(self) -> str:
        """The spec as the engine reads it: its textproto parser is stricter than others."""
        return text_format.MessageToString(self.message, as_utf8=True)

    def entries(self) -> Iterator[tuple[Any, str]]:
        """Yields each metric spec and template with the comment above it."""
        for field, comments in self.about.items():
            yield from zip(getattr(self.message, field), comments, strict=True)


def read_spec(path: str | os.PathLike[str]) -> SpecFile:
    """Reads a spec file.

    Raises:
        InputError: it can't be read, is no TraceSummarySpec, or has an entry without id.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})", _REMEDY) from error
    except UnicodeDecodeError as error:
        raise InputError(path, "is no text", _REMEDY) from error
    message = new_message("TraceSummarySpec")
    try:
        text_format.Parse(text, message)
    except text_format.ParseError as error:
        place = f"line {error.GetLine()}, column {error.GetColumn()}: " if error.GetLine() else ""
        problem = " ".join(str(error).split()).partition(" : ")[2]
        raise InputError(path, f"{place}{problem.rstrip('.')}", _REMEDY) from error
    spec = SpecFile(path, message, _comments(text, message))
    for entry, _ in spec.entries():
        if not name_of(entry):
            field = "id" if hasattr(entry, "id") else "id_prefix"
            raise InputError(path, f"a metric has no {field}", _REMEDY)
    return spec


def name_of(entry: Any) -> str:
    """Returns an entry's id or id prefix."""
    return str(entry.id if hasattr(entry, "id") else entry.id_prefix)


def new_message(name: str) -> Any:
    """Returns an empty message of Perfetto: `TraceSummarySpec` or `TraceSummary`."""
    return getattr(shared_protos(), name)()


def _comments(text: str, message: Any) -> dict[str, list[str]]:
    about: dict[str, list[str]] = {"metric_template_spec": [], "metric_spec": []}
    for match in _ENTRY.finditer(text):
        lines = match["about"].splitlines()
        about[match["field"]].append(" ".join(line.removeprefix("#").strip() for line in lines))
    for field, comments in about.items():
        # An entry that doesn't begin its line has no comment; then none can be told apart.
        if len(comments) != len(getattr(message, field)):
            about[field] = [""] * len(getattr(message, field))
    return about


_REMEDY = "pass a TraceSummarySpec as textproto"
