"""Says where an event breaks the format, with the JSON Schema that the package carries."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from perfetto_pypto.errors import InputError

_REMEDY = "repair the file there or write it again with PyPTO's own script"


def explain(path: str, value: Any, place: str, schema: str, reason: object = "") -> InputError:
    """The error for a value that the reader can't use.

    Args:
        path: the input's name.
        value: the offending entry of the file.
        place: where it stands: ``traceEvents[7]``.
        schema: the schema's name in ``schemas/``: ``pypto_merged``.
        reason: the decoder's own, for what the schema doesn't forbid.
    """
    # Imported for errors only: it takes as long as reading a small run.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    file = resources.files("perfetto_pypto.swimlane").joinpath(f"schemas/{schema}.schema.json")
    try:
        validator = Draft202012Validator(json.loads(file.read_text("utf-8")))
        error = best_match(validator.iter_errors(value))
    except RecursionError:
        return InputError(path, f"{place} is nested too deeply", _REMEDY)
    if error is None:
        return InputError(path, f"{place} can't be decoded ({_one_line(str(reason))})", _REMEDY)
    steps = "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path
    )
    return InputError(path, f"{place}{_one_line(steps)}: {_one_line(error.message)}", _REMEDY)


def _one_line(message: str, limit: int = 160) -> str:
    text = " ".join(message.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
