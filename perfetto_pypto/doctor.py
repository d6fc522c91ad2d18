"""What `pypto-perfetto doctor` says."""

from __future__ import annotations

import platform
import sys
from importlib import metadata

from perfetto_pypto.errors import PyptoPerfettoError

_PACKAGES = ("pypto-perfetto", "perfetto", "viztracer", "wasmtime", "numpy", "msgspec", "isal")
#: Packages that some commands need, and what for.
_OPTIONAL = {
    "pandas": "as_pandas_dataframe: pip install 'pypto-perfetto[pandas]'",
    "pyarrow": "batch: pip install 'pypto-perfetto[batch]'",
    "fsspec": "batch: pip install 'pypto-perfetto[batch]'",
    "distributed": "batch on Dask: pip install 'pypto-perfetto[batch,dask]'",
    "jinja2": "metrics --format html: pip install 'pypto-perfetto[html]'",
    "vl-convert-python": "metrics --format html: pip install 'pypto-perfetto[html]'",
}


def examine(engine: str | None) -> tuple[str, bool]:
    """Starts the engine and runs the SQL package on an empty trace.

    Returns:
        The report, and whether everything needed works.
    """
    lines = [_line("python", f"{platform.python_version()} ({sys.executable})")]
    lines += [_line(name, _version(name)) for name in _PACKAGES]
    lines += [_line(name, _version(name, what)) for name, what in _OPTIONAL.items()]
    healthy = True
    try:
        lines += _engine_lines(engine)
    except PyptoPerfettoError as error:
        healthy = False
        lines.append(_line("engine", f"FAILED: {error}"))
    lines.append("everything works" if healthy else "something is missing: see FAILED above")
    return "\n".join(lines), healthy


def _line(name: str, value: str) -> str:
    return f"{name:<17}  {value}"


def _version(name: str, only_for: str = "") -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed" + (f"; only for {only_for}" if only_for else "")


def _engine_lines(engine: str | None) -> list[str]:
    from perfetto_pypto.engine import engine_info, open_trace, query_columns
    from perfetto_pypto.sql import PACKAGE, package_dir

    info = engine_info(engine)
    lines = [_line("engine", f"{info.kind}: {info.where}"), _line("its version", info.version)]
    if info.cache_folder is not None:
        state = "compiled engine is there" if info.cached else "not usable: every start compiles"
        lines.append(_line("cache", f"{info.cache_folder} ({state})"))
    modules = sorted(file.stem for file in package_dir().glob("*.sql"))
    with open_trace((), engine=engine, sql_packages={PACKAGE: package_dir()}) as tp:
        for module in modules:
            query_columns(tp, f"INCLUDE PERFETTO MODULE {PACKAGE}.{module}")
    lines.append(_line("sql package", f"{PACKAGE}: {len(modules)} modules, all of them load"))
    return lines
