"""Says where an event breaks the format, with the JSON Schema that the package carries."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from perfetto_pypto.errors import InputError

_REMEDY = "repair the file there or write it again with PyPTO's own script"


def explain(path: str, event: Any, index: int, reason: object = "") -> InputError:
    """The error for ``traceEvents[index]``, which the reader can't use.

    ``reason`` is the decoder's own, for what the schema doesn't forbid.
    """
    schema = resources.files("perfetto_pypto.swimlane").joinpath("schemas/pypto_merged.schema.json")
    error = best_match(
        Draft202012Validator(json.loads(schema.read_text("utf-8"))).iter_errors(event)
    )
    if error is None:
        return InputError(path, f"traceEvents[{index}] can't be decoded ({reason})", _REMEDY)
    place = "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path
    )
    return InputError(path, f"traceEvents[{index}]{place}: {_one_line(error.message)}", _REMEDY)


def _one_line(message: str, limit: int = 160) -> str:
    text = " ".join(message.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
