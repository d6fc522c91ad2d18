"""Who is the engine?"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

from perfetto_pypto.engine.choice import choose


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """An engine that was started and answered.

    Attributes:
        kind: in this process, a native binary, or a running server.
        where: path of its wasm or binary, or HOST:PORT.
        version: Perfetto's version string.
        wasmtime: version of wasmtime; None if not embedded.
        cache_folder: where compiled engines are kept; None if not embedded.
        cached: whether the compiled engine is there, so that the next start is fast; None if
            not embedded.
    """

    kind: Literal["embedded", "native", "server"]
    where: str
    version: str
    wasmtime: str | None = None
    cache_folder: Path | None = None
    cached: bool | None = None


def examine(engine: str | None) -> EngineInfo:
    """See `perfetto_pypto.engine.engine_info`."""
    from perfetto_pypto.engine.opening import start

    choice = choose(engine)
    with start(choice, {}, None) as tp:
        version = str(tp.http.status().human_readable_version)
    if choice.kind != "embedded":
        return EngineInfo(choice.kind, choice.where, version)
    from perfetto_pypto.engine.host import compiled_image

    image = compiled_image(choice.where)
    return EngineInfo(
        choice.kind,
        choice.where,
        version,
        metadata.version("wasmtime"),
        image.parent,
        image.is_file(),
    )
