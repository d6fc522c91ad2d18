"""Readers: PyPTO files to one columnar model.

A format is a file of its own (``merged``) and an entry in ``_READERS``; ``detect`` tells which.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from perfetto_pypto.swimlane.detect import PYPTO_MERGED, detect
from perfetto_pypto.swimlane.merged import read_merged
from perfetto_pypto.swimlane.model import (
    AI_CPU,
    HUB,
    NOT_A_CORE,
    OTHER,
    Core,
    Counter,
    Dependencies,
    Finding,
    Phases,
    Source,
    Strings,
    Swimlane,
    SyncEvents,
    Tasks,
)
from perfetto_pypto.swimlane.opening import Opened, open_input

__all__ = [
    "AI_CPU",
    "HUB",
    "NOT_A_CORE",
    "OTHER",
    "Core",
    "Counter",
    "Dependencies",
    "Finding",
    "Phases",
    "Source",
    "Strings",
    "Swimlane",
    "SyncEvents",
    "Tasks",
    "read",
]

_READERS: dict[str, Callable[[Opened, Mapping[str, int] | None], Swimlane]] = {
    PYPTO_MERGED: read_merged,
}


def read(path: str | os.PathLike[str], *, cores: Mapping[str, int] | None = None) -> Swimlane:
    """Reads one operator run.

    Args:
        path: a ``merged_swimlane.json`` (also gzipped), the ``output_*`` folder that holds one, or
            ``-`` for stdin.
        cores: cores per engine (``{"AIC": 24, "AIV": 48}``), where the file may omit idle ones.

    Returns:
        The run; times in ns from its earliest event. What was dropped, moved or repaired is in
        ``findings``.

    Raises:
        InputError: the input can't be used; one line says what is wrong, where, and what to do.
        PyptoPerfettoError: ``cores`` contradicts the file.
    """
    source = open_input(path)
    return _READERS[detect(source)](source, cores)
