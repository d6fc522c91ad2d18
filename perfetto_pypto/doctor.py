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


def _engine_lines(engine: str | None) -> list[str]:
    from perfetto_pypto.engine import engine_info, open_trace, query_columns
    from perfetto_pypto.sql import PACKAGE, package_dir

    info = engine_info(engine)
    lines = [f"engine          {info.kind}: {info.where}", f"perfetto        {info.version}"]
    if info.cache_folder is not None:
        state = "compiled engine is there" if info.cached else "not usable: every start compiles"
        lines.append(f"cache           {info.cache_folder} ({state})")
    modules = sorted(file.stem for file in package_dir().glob("*.sql"))
    with open_trace((), engine=engine, sql_packages={PACKAGE: package_dir()}) as tp:
        for module in modules:
            query_columns(tp, f"INCLUDE PERFETTO MODULE {PACKAGE}.{module}")
    lines.append(f"sql package     {PACKAGE}: {len(modules)} modules, all of them load")
    return lines
