"""Time and memory against the number of tasks, and ratios to the two floors: writes the README.

    python -m tests.benchmarks.growth [--sizes N …] [--pypto PYTHON] [--orjson PYTHON]

For each size a swimlane is generated; every command is a process of its own, one after the other.
With ``--pypto`` (a Python that has PyPTO) its own script draws the same graph from the raw files;
with ``--orjson`` (a Python that has orjson) the file is loaded into plain objects and forgotten.
Ratios are of wall-clock seconds, which the user waits, so the machine must be otherwise idle.
Needs 3 kB of disk a task.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.generate import make, write_merged, write_raw
from tests.benchmarks.readme import write_section

HERE = Path(__file__).parent
TOOL = str(Path(sys.executable).with_name("pypto-perfetto"))
SIZES = (1_000, 10_000, 100_000, 1_000_000)
OURS = ("convert --facts-only", "convert", "metrics")
#: Beyond so many tasks the two floors, which hold all objects at once, take more than 12 GB.
FLOORS_UP_TO = 100_000
#: Each figure is the best of so many rounds; of one, where a round takes minutes.
ROUNDS, ROUNDS_UP_TO = 3, 100_000
COLOURS = {
    "draw_swim_lane.py": "#c0392b",
    "orjson.loads": "#7f8c8d",
    "convert --facts-only": "#27ae60",
    "convert": "#2980b9",
    "metrics": "#8e44ad",
}
FIND_SCRIPT = (
    "import importlib.util, pathlib; print(pathlib.Path(importlib.util.find_spec('pypto').origin)"
    ".parent / 'lib/scripts/draw_swim_lane.py')"
)


class Cost(NamedTuple):
    """Wall-clock and CPU seconds of a command, and the peak of its largest process in MB."""

    seconds: float
    cpu: float
    memory: float


def run(command: Sequence[str], folder: Path, env: Mapping[str, str] | None = None) -> Cost:
    """Runs a command to its end."""
    begin = time.perf_counter()
    with subprocess.Popen(
        command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def write(size: int, folder: Path) -> None:
    """Writes the merged file into a folder and, for PyPTO's script, the raw files below it."""
    graph = make(size)
    write_merged(graph, folder / "merged_swimlane.json")
    if size <= FLOORS_UP_TO:
        (folder / "raw").mkdir()
        write_raw(graph, folder / "raw")


def commands(size: int, pypto: str | None, orjson: str | None) -> dict[str, list[str]]:
    """What is run at a size, in the folder with the files."""
    merged = "merged_swimlane.json"
    found = {
        "convert --facts-only": [TOOL, "convert", merged, "--facts-only", "-o", "x.pftrace.gz"],
        "convert": [TOOL, "convert", merged, "-o", "run.pftrace.gz"],
        "metrics": [TOOL, "metrics", merged],
    }
    if size > FLOORS_UP_TO:
        return found
    if orjson:
        load = "import orjson, pathlib, sys; orjson.loads(pathlib.Path(sys.argv[1]).read_bytes())"
        found["orjson.loads"] = [orjson, "-c", load, merged]
    if pypto:
        script = subprocess.check_output([pypto, "-c", FIND_SCRIPT], text=True).strip()
        names = ("tilefwk_L1_prof_data.json", "dyn_topo.txt", "program.json")
        options = ["--time_convert_denominator=1800", "--label_type=1"]
        found["draw_swim_lane.py"] = [pypto, script, *(f"raw/{name}" for name in names), *options]
    return found


def measure(size: int, pypto: str | None, orjson: str | None) -> tuple[dict[str, Cost], float]:
    """All commands at one size, and how many times smaller the .pftrace.gz is than the JSON."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # In a process of its own: a child's peak memory begins with that of its parent.
        writer = multiprocessing.get_context("spawn").Process(target=write, args=(size, folder))
        writer.start()
        writer.join()
        if writer.exitcode:
            raise SystemExit(f"{size:,} tasks can't be written to {folder}")
        taken = commands(size, pypto, orjson)
        rounds: dict[str, list[Cost]] = {what: [] for what in taken}
        for _ in range(rounds_at(size)):
            for what, command in taken.items():
                rounds[what].append(run(command, folder))
        smaller = (folder / "merged_swimlane.json").stat().st_size / (
            folder / "run.pftrace.gz"
        ).stat().st_size
    return {what: best(costs) for what, costs in rounds.items()}, smaller


def rounds_at(size: int) -> int:
    """How often each command is run."""
    return ROUNDS if size <= ROUNDS_UP_TO else 1


def best(costs: list[Cost]) -> Cost:
    """The least of each figure."""
    return Cost(*map(min, zip(*costs, strict=True)))


def cold_start() -> float:
    """`pypto-perfetto --help` over `import click`: the median of 9 pairs."""
    pairs = [
        run([TOOL, "--help"], HERE).seconds
        / run([sys.executable, "-c", "import click"], HERE).seconds
        for _ in range(9)
    ]
    return sorted(pairs)[4]


def table(results: dict[int, dict[str, Cost]], smaller: dict[int, float]) -> str:
    """The README's table."""
    rounds = "; ".join(f"{rounds_at(size)} at {size:,} tasks" for size in results)
    lines = [
        "Seconds are wall-clock: the commands use two cores, and the user waits for the clock; so"
        " the machine must be otherwise idle. MB is the peak of a command's largest process. Each"
        f" figure is the best of some rounds, taken in turn over the commands: {rounds}."
        f" `draw_swim_lane.py` and `orjson.loads` are run up to {FLOORS_UP_TO:,} tasks: beyond,"
        " they take more than 12 GB.",
        "",
        "| tasks | command | s | CPU s | MB | time ÷ draw_swim_lane.py | memory ÷ it |"
        " time ÷ orjson.loads |",
        "| --: | :-- | --: | --: | --: | --: | --: | --: |",
    ]
    for size, costs in results.items():
        for what, cost in costs.items():
            ratios = []
            for base, field in (
                ("draw_swim_lane.py", "seconds"),
                ("draw_swim_lane.py", "memory"),
                ("orjson.loads", "seconds"),
            ):
                known = what in OURS and base in costs
                ratio = getattr(cost, field) / getattr(costs[base], field) if known else None
                ratios.append("" if ratio is None else f"{ratio:.2f}")
            figures = [f"{cost.seconds:.2f}", f"{cost.cpu:.2f}", f"{cost.memory:.0f}"]
            lines.append(f"| {' | '.join([f'{size:,}', what, *figures, *ratios])} |")
    sizes = ", ".join(f"{ratio:.0f} times at {size:,} tasks" for size, ratio in smaller.items())
    lines += ["", f"The `.pftrace.gz` of `convert` is smaller than its JSON: {sizes}."]
    return "\n".join(lines)


def chart(results: dict[int, dict[str, Cost]]) -> str:
    """Two log-log plots as SVG: wall-clock seconds and MB against tasks."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="380"'
        ' font-family="sans-serif" font-size="12">'
    ]
    parts.append('<rect width="900" height="380" fill="white"/>')
    sizes = sorted(results)
    titles = {"seconds": "wall-clock seconds", "memory": "peak memory, MB"}
    for panel, (field, title) in enumerate(titles.items()):
        values = [getattr(cost, field) for costs in results.values() for cost in costs.values()]
        place = _Axes(60 + 440 * panel, (sizes[0], sizes[-1]), (min(values), max(values)))
        parts += place.frame(title, sizes)
        for what, colour in COLOURS.items():
            points = [(s, getattr(results[s][what], field)) for s in sizes if what in results[s]]
            if points:
                path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place.at(*p) for p in points))
                parts.append(
                    f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
                )
    for number, (what, colour) in enumerate(COLOURS.items()):
        x = 60 + 165 * number
        parts.append(f'<rect x="{x}" y="352" width="14" height="4" fill="{colour}"/>')
        parts.append(f'<text x="{x + 20}" y="358">{what}</text>')
    return "\n".join([*parts, "</svg>", ""])


class _Axes:
    """Logarithmic axes of one plot, 380 x 260 px."""

    def __init__(self, left: int, x: tuple[float, float], y: tuple[float, float]) -> None:
        from math import log10

        self._log = log10
        self._left = left
        self._x = log10(x[0]), max(log10(x[1]) - log10(x[0]), 1e-9)
        self._y = log10(y[0]), max(log10(y[1]) - log10(y[0]), 1e-9)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The pixel of a point."""
        right = (self._log(x) - self._x[0]) / self._x[1]
        up = (self._log(y) - self._y[0]) / self._y[1]
        return self._left + 380 * right, 310 - 260 * up

    def frame(self, title: str, sizes: Sequence[int]) -> list[str]:
        """Border, title, the sizes below and the powers of ten beside."""
        out = [
            f'<rect x="{self._left}" y="50" width="380" height="260" fill="none" stroke="#bbb"/>',
            f'<text x="{self._left}" y="36" font-weight="bold">{title}</text>',
        ]
        low = 10 ** self._y[0]
        for size in sizes:
            x, _ = self.at(size, low)
            out.append(f'<text x="{x:.0f}" y="328" text-anchor="middle">{size:,}</text>')
        for power in range(-1, 6):
            _, y = self.at(sizes[0], 10.0**power)
            if 50 <= y <= 310:
                x, right = self._left, self._left + 380
                out.append(
                    f'<text x="{x - 6}" y="{y + 4:.0f}" text-anchor="end">{10.0**power:g}</text>'
                )
                out.append(f'<path d="M{x} {y:.1f}H{right}" stroke="#eee"/>')
        return out


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--pypto", help="a Python that has PyPTO")
    parser.add_argument("--orjson", help="a Python that has orjson")
    options = parser.parse_args()
    results: dict[int, dict[str, Cost]] = {}
    smaller: dict[int, float] = {}
    for size in options.sizes:
        results[size], smaller[size] = measure(size, options.pypto, options.orjson)
        print(size, results[size], file=sys.stderr)
    text = (
        f"{table(results, smaller)}\n\n"
        f"`pypto-perfetto --help` takes {cold_start():.1f} times as long as"
        " `python -c 'import click'`."
    )
    write_section("growth", text)
    (HERE / "growth.svg").write_text(chart(results), encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
