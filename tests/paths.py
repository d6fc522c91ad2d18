"""The sample runs that tests go through: those in ``traces/`` and, when present, a larger set."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
TRACES = ROOT / "traces"
MORE_RUNS = ROOT / ".." / "shared" / "data" / "swimlanes"


def merged_file(folder: Path) -> Path | None:
    """The merged swimlane of a run's folder, plain or gzipped."""
    for name in ("merged_swimlane.json", "merged_swimlane.json.gz"):
        if (folder / name).exists():
            return folder / name
    return None


def is_pypto(folder: Path) -> bool:
    """False for runs of the simpler runtime, whose merged file is another format."""
    return not (folder / "chip_swimlane_records.json").exists()


def sample_folders() -> list[Path]:
    """Every folder that holds a merged swimlane of PyPTO."""
    folders = [f for base in (TRACES, MORE_RUNS) if base.is_dir() for f in sorted(base.iterdir())]
    return [f for f in folders if f.is_dir() and merged_file(f) and is_pypto(f)]


def sample_runs() -> list[Path]:
    """Their merged swimlane files."""
    return [found for folder in sample_folders() if (found := merged_file(folder))]


def run_name(path: Path) -> str:
    """The id of a sample run in pytest's output: its folder's name."""
    return path.parent.name if path.is_file() else path.name
