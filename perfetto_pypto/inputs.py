"""What is no swimlane, told before it is read as one."""

from __future__ import annotations

import os
from pathlib import Path

from perfetto_pypto.dataset import chosen
from perfetto_pypto.errors import InputError
from perfetto_pypto.trace.stored import is_trace


def check_input(path: str | os.PathLike[str], run: str | None) -> None:
    """Checks a path, and the name of a run in it.

    Raises:
        InputError: it names a trace, a data set or nothing; or no folder that ``run`` could be in.
    """
    name = os.fspath(path)
    if not name:
        raise InputError("''", "is no path", "name a file or folder; is a variable empty?")
    if name.encode(errors="replace").decode() != name:
        raise InputError(repr(name), "is a name that is no UTF-8 text", "rename it, or link to it")
    if is_trace(name):
        problem = "is a trace already, its clock and run settled"
        raise InputError(name, problem, "pass the swimlane that it was made of")
    if run is not None and (name == "-" or Path(name).is_file()):
        raise InputError(name, f"is no folder to choose run {run!r} from", "leave out --run")
    if chosen(name):
        problem = "means runs of a data set, which are measured already"
        raise InputError(name, problem, "use compare, check, or a reader of Parquet")
