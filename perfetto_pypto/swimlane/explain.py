"""Says where an event breaks the format, with the JSON Schema that the package carries."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from perfetto_pypto.errors import InputError

_REMEDY = "repair the file there or write it again with PyPTO's own script"


def explain(path: str, event: Any, index: int, reason: object = "") -> InputError:
    """The error for ``traceEvents[index]``, which the reader can't use.

    ``reason`` is the decoder's own, for what the schema doesn't forbid.
    """
    errors = _validator("pypto_merged").iter_errors(event)
    return _error(path, f"traceEvents[{index}]", best_match(errors), reason, _REMEDY)


def explain_document(
    path: str, document: Any, schema: str, reason: object, remedy: str
) -> InputError:
    """The error for a whole document, by the schema of that name.

    The first place that breaks it is named: a look at all of them takes minutes in a big file.
    """
    errors = _validator(schema).iter_errors(document)
    return _error(path, "the document", next(errors, None), reason, remedy)


def _validator(schema: str) -> Draft202012Validator:
    file = resources.files("perfetto_pypto.swimlane").joinpath(f"schemas/{schema}.schema.json")
    return Draft202012Validator(json.loads(file.read_text("utf-8")))


def _error(
    path: str, where: str, error: ValidationError | None, reason: object, remedy: str
) -> InputError:
    if error is None:
        return InputError(path, f"{where} can't be decoded ({reason})", remedy)
    place = "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path
    )
    return InputError(path, f"{where}{place}: {_one_line(error.message)}", remedy)


def _one_line(message: str, limit: int = 160) -> str:
    text = " ".join(message.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
