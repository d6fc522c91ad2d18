"""Start-up commands of the Perfetto UI.

The UI runs them once a trace is loaded. It drops the whole list without a word when one entry is
malformed, so they are made here only: an id and arguments that are strings.
"""

from __future__ import annotations

import re
from typing import TypedDict


class Command(TypedDict):
    """A command as the UI reads it, from a link or from a macro."""

    id: str
    args: list[str]


def pin(*rows: str) -> Command:
    """Pins rows by their names to the top."""
    return _by_regex("PinTracksByRegex", rows)


def expand(*rows: str) -> Command:
    """Opens groups by their names."""
    return _by_regex("ExpandTracksByRegex", rows)


def expand_cores(*engines: str) -> Command:
    """Opens the groups of these engines, e.g. `AIC cores (24)`; of all when none is named."""
    which = "|".join(map(_literal, engines)) if engines else r"\w+"
    return _command("ExpandTracksByRegex", rf"^({which}) cores \(\d+\)$")


def show_table(sql: str) -> Command:
    """Runs a query and shows its rows in a tab."""
    return _command("RunQueryAndShowTab", _one_line(sql))


def slice_track(title: str, sql: str) -> Command:
    """Pins a track of the slices that a SELECT of (ts, dur, name) finds."""
    return _command("AddDebugSliceTrack", _one_line(sql), title)


def _by_regex(name: str, rows: tuple[str, ...]) -> Command:
    return _command(name, f"^({'|'.join(map(_literal, rows))})$")


def _command(name: str, *args: str) -> Command:
    return {"id": f"dev.perfetto.{name}", "args": list(args)}


def _literal(text: str) -> str:
    return re.sub(r"[.*+?^${}()|\[\]\\/]", r"\\\g<0>", text)


def _one_line(sql: str) -> str:
    return " ".join(sql.split())
