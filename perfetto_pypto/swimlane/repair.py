"""The slow way in for what the typed decoder refuses: keeps what can be kept, says what can't."""

from __future__ import annotations

from typing import Any

import msgspec

from perfetto_pypto.swimlane.explain import explain
from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.records import TAGS, Args, Event, Slice
from perfetto_pypto.swimlane.text import well_formed

_SLICE_KEYS = frozenset(Slice.__struct_encode_fields__) | {"ph"}
_ARGS_KEYS = frozenset(Args.__struct_encode_fields__)


def repair(
    path: str, loaded: list[Any], first: int, findings: Findings
) -> tuple[list[Event], dict[int, dict[str, Any]]]:
    """Converts generic JSON values to events.

    Args:
        path: the input's name, for errors.
        loaded: the events as the json module gave them.
        first: the index of ``loaded[0]`` in ``traceEvents``, for errors.
        findings: gets the ignored events.

    Returns:
        The events, and the unknown keys of slices by index in that list.

    Raises:
        InputError: an event breaks the format; names ``traceEvents[index].key``.
    """
    events: list[Event] = []
    extras: dict[int, dict[str, Any]] = {}
    for index, value in enumerate(loaded, first):
        tag = value.get("ph") if isinstance(value, dict) else None
        record = TAGS.get(tag) if isinstance(tag, str) else None
        if record is None:
            if not isinstance(tag, str):
                raise explain(path, value, f"traceEvents[{index}]", "pypto_merged")
            findings.add("unknown-event", 1, [f"traceEvents[{index}] with ph {tag!r}"])
            continue
        clean = well_formed(value, findings)
        if tag == "X":
            clean, unknown = _split(clean)
            if unknown:
                extras[len(events)] = unknown
        try:
            events.append(msgspec.convert(clean, record))
        except msgspec.ValidationError as error:
            place = f"traceEvents[{index}]"
            raise explain(path, value, place, "pypto_merged", error) from None
    return events, extras


def _split(value: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Takes the unknown keys out of a slice and of its args."""
    known = {key: inner for key, inner in value.items() if key in _SLICE_KEYS}
    unknown = {key: inner for key, inner in value.items() if key not in _SLICE_KEYS}
    args = value.get("args")
    if isinstance(args, dict):
        known["args"] = {key: inner for key, inner in args.items() if key in _ARGS_KEYS}
        unknown |= {key: inner for key, inner in args.items() if key not in _ARGS_KEYS}
    return known, unknown
