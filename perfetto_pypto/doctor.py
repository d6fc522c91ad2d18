"""What `pypto-perfetto doctor` says."""

from __future__ import annotations

import platform
import sys
from importlib import metadata

from perfetto_pypto.errors import PyptoPerfettoError

_PACKAGES = ("pypto-perfetto", "perfetto", "viztracer", "wasmtime", "numpy", "msgspec", "pandas")


def examine(engine: str | None) -> tuple[str, bool]:
    """Starts the engine and runs the SQL package on an empty trace.

    Returns:
        The report, and whether everything needed works.
    """
    lines = [f"python          {platform.python_version()} ({sys.executable})"]
    lines += [f"{name:<15} {_version(name)}" for name in _PACKAGES]
    healthy = True
    try:
        lines += _engine_lines(engine)
    except PyptoPerfettoError as error:
        healthy = False
        lines.append(f"engine          FAILED: {error}")
    lines.append("everything works" if healthy else "something is missing: see FAILED above")
    return "\n".join(lines), healthy


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed" + (" (only for as_pandas_dataframe)" if name == "pandas" else "")
