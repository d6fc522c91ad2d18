"""JSON text that isn't quite JSON: what copying, logging and hand-editing do to a file.

Read, though no parser likes it: a byte order mark, log lines before the document, a comma before a
closing bracket, NaN and infinities. What is beyond repair is one line that says where.
"""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

import msgspec

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane.explain import explain
from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.opening import Opened

T = TypeVar("T")

BOM = b"\xef\xbb\xbf"

# A string stands first in the alternation, so that a comma inside one is never taken.
_COMMA = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")|,(?=\s*[\]}])', re.DOTALL)
_LINE_START = re.compile(r"^[ \t]*[\[{]", re.MULTILINE)
#: Lines before the document that are tried as its beginning.
_TRIES = 20


def read_text(source: Opened) -> bytes:
    """The file's bytes without a byte order mark."""
    with source.stream() as stream:
        return stream.read().removeprefix(BOM)


def load(path: str, text: bytes, offset: int) -> Any:
    """Decodes JSON of any kind with the standard library, mending what can be mended.

    Args:
        path: the input's name, for the error.
        text: UTF-8.
        offset: where ``text`` begins in the file, for the error.

    Raises:
        InputError: it is not UTF-8 or not JSON; says at which byte.
    """
    try:
        decoded = text.decode()
    except UnicodeDecodeError as error:
        raise InputError(
            path, f"is not UTF-8 at byte {offset + error.start}", "write the file again as UTF-8"
        ) from None
    try:
        return json.loads(decoded)
    except json.JSONDecodeError as error:
        mended = _mend(decoded)
        if mended is not None:
            return mended
        at = len(decoded[: error.pos].encode())
        if not decoded[error.pos :].strip():
            problem, remedy = "is cut off", "copy the file again or rerun PyPTO's script"
        else:
            problem, remedy = "is not valid JSON", "repair the file there or write it again"
        raise InputError(
            path, f"{problem} at byte {offset + at} ({_lower(error.msg)})", remedy
        ) from None
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InputError(path, f"can't be decoded ({reason})", "write the file again") from None


def _mend(text: str) -> Any | None:
    """The document without its trailing commas, from the line where it begins; None: no success."""
    for turn, match in enumerate(_LINE_START.finditer(text)):
        document = _COMMA.sub(lambda found: found[1] or "", text[match.start() :])
        try:
            return json.loads(document)
        except json.JSONDecodeError as error:
            # A log line like "[INFO] …" fails at once; what fails further down is the document.
            if turn == _TRIES or "\n" in document[: error.pos]:
                return None
        except (ValueError, RecursionError):
            return None
    return None


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


def read_list(
    source: Opened, entry: type[T], what: str, schema: str, findings: Findings
) -> list[T]:
    """Decodes a file that is a list of records.

    Args:
        source: the opened file.
        entry: the record.
        what: the file's kind, for errors: ``a PyPTO profile``.
        schema: the JSON Schema of an entry, to say what is wrong with it.
        findings: gets repaired texts.

    Raises:
        InputError: the file isn't JSON, no list, or an entry breaks the format.
    """
    text = read_text(source)
    try:
        return msgspec.json.decode(text, type=list[entry])  # type: ignore[valid-type]
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    loaded = load(source.path, text, 0)
    if not isinstance(loaded, list):
        raise InputError(
            source.path,
            f"is no list, as {what} must be",
            "repair the file or write it again with PyPTO",
        )
    return [
        convert(source.path, value, entry, f"[{index}]", schema, findings)
        for index, value in enumerate(loaded)
    ]


def convert(
    path: str, value: Any, record: type[T], place: str, schema: str, findings: Findings
) -> T:
    """Converts a decoded JSON value to a typed record.

    Raises:
        InputError: it breaks the format; names the place.
    """
    try:
        return msgspec.convert(well_formed(value, findings), record)
    except msgspec.ValidationError as error:
        raise explain(path, value, place, schema, error) from None


def well_formed(value: Any, findings: Findings) -> Any:
    """Replaces halves of surrogate pairs, which no UTF-8 can carry."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            repaired = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            findings.add("bad-text", 1, [repaired])
            return repaired
        return value
    if isinstance(value, dict):
        return {well_formed(k, findings): well_formed(v, findings) for k, v in value.items()}
    if isinstance(value, list):
        return [well_formed(inner, findings) for inner in value]
    return value
