"""Whole processes side by side: `metrics` and `convert` against PyPTO's own draw_swim_lane.py.

    python -m tests.benchmarks.versus_pypto RUN --script …/pypto/lib/scripts/draw_swim_lane.py

RUN is a folder with the raw ticks, dyn_topo.txt and program.json of a run (gzipped or not). The
script comes with `pip install pypto`; it is run on the same raw input, by the same Python. Times
are the median of several rounds, taken in turn; ratios are what counts, the machine is noise.
"""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.growth import TOOL, run

ROUNDS = 5


def unpack(run: Path, folder: Path) -> Path:
    """Copies a run's raw files, unpacked; returns the ticks' file."""
    for file in run.iterdir():
        if file.name.endswith(".gz"):
            (folder / file.stem).write_bytes(gzip.decompress(file.read_bytes()))
        elif file.is_file():
            shutil.copy(file, folder)
    names = ("tilefwk_L1_prof_data.json", "_simulate.swim.json")
    return next(folder / name for name in names if (folder / name).exists())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--script", type=Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        folder.mkdir()
        ticks = unpack(options.run, folder)
        merged = folder / "merged_swimlane.json"
        commands = {
            "draw_swim_lane.py": [
                *(sys.executable, str(options.script), str(ticks), str(folder / "dyn_topo.txt")),
                *(str(folder / "program.json"), "--label_type=1"),
                "--time_convert_denominator=1800",
            ],
            "metrics": [TOOL, "metrics", str(merged)],
            "convert": [TOOL, "convert", str(merged), "-o", str(Path(name) / "a.pftrace")],
            "convert --facts-only": [
                *(TOOL, "convert", str(merged), "--facts-only"),
                *("-o", str(Path(name) / "b.pftrace")),
            ],
        }
        cold = {**os.environ, "XDG_CACHE_HOME": str(Path(name) / "cold")}
        first = run(commands["metrics"], folder, cold).seconds
        rounds = {
            what: [run(command, folder) for _ in range(ROUNDS)]
            for what, command in commands.items()
        }
        base = statistics.median(cost.seconds for cost in rounds["draw_swim_lane.py"])
        print(f"{'command':<22}{'median s':>9}{'MB':>7}{'ratio':>7}")
        for what, results in rounds.items():
            seconds = statistics.median(cost.seconds for cost in results)
            memory = max(cost.memory for cost in results)
            print(f"{what:<22}{seconds:>9.2f}{memory:>7.0f}{seconds / base:>7.2f}")
        print(f"metrics, first run     {first:>8.2f}  (compiles the engine once)")


if __name__ == "__main__":
    main()
