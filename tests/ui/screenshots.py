"""Writes what `open` shows as pictures: one per sample run, and a small one for the README.

python -m tests.ui.screenshots FOLDER
"""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page

import perfetto_pypto as pp
from tests.paths import TRACES, merged_file
from tests.ui.browser import PerfettoUI, chromium, serving

#: The run whose picture is in the README.
SHOWN = "flash_stitch512"
_QUALITY = 60


def main(folder: Path, picture: Path | None = None) -> None:
    """Writes FOLDER/NAME.png for each sample, and the README's picture."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made, chromium() as browser:
        traces = {}
        for run in sorted(TRACES.iterdir()):
            if source := merged_file(run):
                traces[run.name] = Path(made) / f"{run.name}.pftrace"
                pp.convert(source, traces[run.name])
        with serving(traces) as server:
            for name, trace in traces.items():
                page = browser.new_page(viewport={"width": 1280, "height": 1000})
                with pp.open_trace(trace) as tp:
                    address = f"{server.origin}/trace/{name}.pftrace"
                    url = pp.Linker(tp, address, f"{server.origin}/").whole()
                ui = PerfettoUI(page)
                ui.open(url)
                assert not ui.problems, ui.problems
                page.screenshot(path=folder / f"{name}.png")
                print(folder / f"{name}.png")
                if picture and name == SHOWN:
                    _write_small(page, picture)
                page.close()


def _write_small(page: Page, picture: Path) -> None:
    options = {"format": "webp", "quality": _QUALITY}
    answer = page.context.new_cdp_session(page).send("Page.captureScreenshot", options)
    picture.write_bytes(base64.b64decode(answer["data"]))
    print(f"{picture}  {picture.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
