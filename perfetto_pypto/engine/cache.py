"""Compiled engines, kept as files: compiling takes seconds, loading a compiled one takes none.

A compiled image is code that this process will run. So the folder must belong to the user alone,
and a file appears complete or not at all.
"""

from __future__ import annotations

import hashlib
import os
import platform
import stat
import sys
import tempfile
from importlib import metadata
from pathlib import Path

from wasmtime import Engine, Module, WasmtimeError


def cache_folder() -> Path:
    """The user's cache folder for this package; it need not exist."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "pypto-perfetto"


def image_path(wasm: bytes, settings: str) -> Path:
    """Where the compiled image of ``wasm`` belongs.

    Args:
        wasm: the module.
        settings: everything in the compiler's configuration that changes the code.
    """
    key = hashlib.sha256(wasm)
    version = metadata.version("wasmtime")
    key.update(f"{version} {sys.platform} {platform.machine()} {settings}".encode())
    return cache_folder() / f"{key.hexdigest()}.cwasm"


def load_module(engine: Engine, wasm: bytes, settings: str) -> Module:
    """Loads the compiled image, or compiles and keeps it. Without a usable folder: compiles.

    Raises:
        WasmtimeError: not a WebAssembly module.
    """
    path = image_path(wasm, settings)
    usable = _is_private(path.parent)
    if usable and path.is_file():
        try:
            return Module.deserialize_file(engine, str(path))
        except WasmtimeError:
            pass  # made on a processor with other features, or damaged: made anew
    module = Module(engine, wasm)
    if usable:
        _store(module.serialize(), path)
    return module


def _is_private(folder: Path) -> bool:
    """Makes the folder, for the user alone; whether that worked."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if sys.platform == "win32":
            return True
        found = folder.stat()
        if found.st_uid != os.getuid():
            return False
        if stat.S_IMODE(found.st_mode) != 0o700:
            folder.chmod(0o700)
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            for image in folder.glob("*.cwasm"):  # others may have put it there
                image.unlink()
    except OSError:
        return False
    return True


def _store(image: bytearray, path: Path) -> None:
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    except OSError:
        return
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(image)
        temporary.replace(path)
    except OSError:  # a full disk, or on Windows a file in use
        temporary.unlink(missing_ok=True)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
