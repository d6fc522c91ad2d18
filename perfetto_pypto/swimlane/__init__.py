"""Readers: PyPTO files to one columnar model.

A format is a file of its own (``merged``) and an entry in ``_READERS``; ``detect`` tells which.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane import bubble_log
from perfetto_pypto.swimlane.control import read_stamps, read_trace
from perfetto_pypto.swimlane.detect import detect
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
    LogCore,
    Phases,
    PipeSpans,
    Source,
    Strings,
    Swimlane,
    SyncEvents,
    Tasks,
)
from perfetto_pypto.swimlane.names import (
    PYPTO_AICPU,
    PYPTO_AICPU_TRACE,
    PYPTO_MERGED,
    PYPTO_RAW,
    SIMPLER_MERGED,
    SIMPLER_RECORDS,
)
from perfetto_pypto.swimlane.opening import Opened, open_input
from perfetto_pypto.swimlane.reading import (
    is_folder,
    log_beside,
    read_folder,
    read_profile_file,
)
from perfetto_pypto.swimlane.simpler_merged import read_simpler_merged
from perfetto_pypto.swimlane.simpler_records import read_records
from perfetto_pypto.swimlane.span import demand_short

__all__ = [
    "AI_CPU",
    "HUB",
    "NOT_A_CORE",
    "OTHER",
    "Core",
    "Counter",
    "Dependencies",
    "Finding",
    "LogCore",
    "Phases",
    "PipeSpans",
    "Source",
    "Strings",
    "Swimlane",
    "SyncEvents",
    "Tasks",
    "read",
]

_READERS: dict[str, Callable[[Opened, Mapping[str, int] | None], Swimlane]] = {
    PYPTO_MERGED: read_merged,
    PYPTO_RAW: read_profile_file,
    PYPTO_AICPU: read_stamps,
    PYPTO_AICPU_TRACE: read_trace,
    SIMPLER_MERGED: read_simpler_merged,
    SIMPLER_RECORDS: read_records,
}


def read(
    path: str | os.PathLike[str],
    *,
    cores: Mapping[str, int] | None = None,
    clock_mhz: int | None = None,
    run: str | None = None,
) -> Swimlane:
    """Reads one operator run.

    Args:
        path: a file that PyPTO wrote (also gzipped), its ``output_*`` folder, the folder above
            several of these, or ``-`` for stdin. Of a folder the best set of files is read.
        cores: cores per engine (``{"AIC": 24, "AIV": 48}``), where the file may omit idle ones.
        clock_mhz: the counter's frequency, where the files leave it open or are wrong.
        run: which of a folder's output folders; default: the newest.

    Returns:
        The run; times in ns from its earliest event. What was dropped, moved or repaired is in
        ``findings``.

    Raises:
        InputError: the input can't be used; one line says what is wrong, where, and what to do.
        PyptoPerfettoError: ``cores`` contradicts the file.
    """
    try:
        source: Opened | Swimlane | None = None
        if is_folder(path):
            source = read_folder(path, cores=cores, clock_mhz=clock_mhz, run=run)
        if isinstance(source, Swimlane):
            return demand_short(source, path)
        source = replace(source or open_input(path), clock_mhz=clock_mhz)
        swimlane = demand_short(_READERS[detect(source)](source, cores), source.path)
        return bubble_log.attach(swimlane, log_beside(source.file))
    except RecursionError:
        raise InputError(path, "is nested too deeply", "write the file again") from None
    except MemoryError:
        raise InputError(path, "does not fit into memory", "use a bigger machine") from None
