"""The raw files that lie beside a merged swimlane."""

from __future__ import annotations

import gzip
import json
from fractions import Fraction
from pathlib import Path


def content(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()


def beside(folder: Path, name: str) -> Path | None:
    """A file of a run, plain or gzipped."""
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.exists()), None)


def profile_start(folder: Path) -> Fraction | None:
    """The earliest start in the raw profile, in µs as PyPTO's script divides it."""
    for name, ticks_per_us in (("_simulate.swim.json", 1800), ("tilefwk_L1_prof_data.json", 50)):
        found = beside(folder, name)
        if found:
            cores = json.loads(content(found))
            starts = [task["execStart"] for core in cores for task in core["tasks"]]
            return Fraction(min(starts) / ticks_per_us) if starts else None
    return None
