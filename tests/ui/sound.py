"""What a start-up command must be: the UI says nothing about one that is wrong."""

from __future__ import annotations

import re

from perfetto_pypto.ui import places


def assert_sound(tp, command):
    """Commands that the UI allows at start-up, with arguments that do something."""
    assert set(command) == {"id", "args"}
    first = command["args"][0]
    name = command["id"].removeprefix("dev.perfetto.")
    if name in ("PinTracksByRegex", "ExpandTracksByRegex"):
        names = [name for (name,) in places.rows(tp, "SELECT DISTINCT name FROM track")]
        assert any(re.search(first, name) for name in names if name)
    elif name == "AddDebugSliceTrack":
        assert ";" not in first
        places.rows(tp, f"SELECT ts, dur, name FROM ({first})")
        assert len(command["args"]) == 2
    else:
        assert name == "RunQueryAndShowTab"
        assert places.rows(tp, first)
