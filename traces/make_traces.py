"""Make the sample runs of this folder with the PyPTO wheel: `python traces/make_traces.py`.

Needs `pip install pypto torch`, no device and no CANN. Every kernel runs in a process and a scratch
folder of its own; what we keep of its output is flattened into `<target>/<run>/`, JSON and topology
gzipped without a time stamp. For each run it prints the numbers of the README's table.
"""

import argparse
import gzip
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from device_layout import DEVICE_MHZ, aicpu_stamps, device_profile

HERE = Path(__file__).resolve().parent
MERGED, LOG, TOPOLOGY, PROGRAM = (
    "merged_swimlane.json",
    "bubble_analysis.log",
    "dyn_topo.txt",
    "program.json",
)
KEPT = (MERGED, LOG, "_simulate.swim.json", TOPOLOGY)


@dataclass(frozen=True)
class Run:
    """One kernel call in the simulator, and which files to keep besides the usual ones."""

    kernel: str
    options: dict[str, Any] = field(default_factory=dict)
    also_keep: tuple[str, ...] = ()


RUNS = {
    "ffn": Run("ffn", also_keep=(PROGRAM, "_simulate.pipe.swim.json")),
    "softmax_stitch1": Run("softmax", {"stitch": 1}),
    "softmax_stitch8": Run("softmax", {"stitch": 8}, also_keep=(PROGRAM,)),
    "softmax_stitch512": Run("softmax", {"stitch": 512}),
    "flash_stitch1": Run("flash", {"stitch": 1}),
    "flash_stitch512": Run("flash", {"stitch": 512}),
    "matmul_long_k": Run("matmul", {"split_k": False}),
    "matmul_split_k": Run("matmul", {"split_k": True}),
    "rmsnorm_tiny": Run("rmsnorm", {"tile": 1}),
    "rmsnorm_merged": Run("rmsnorm", {"tile": 1, "merge": 8}),
}
# The same schedule drawn as a device run; True adds the view of the control processors.
DEVICE_RUNS = {"ffn_device": ("ffn", False), "ffn_device_aicpu": ("ffn", True)}


def main() -> None:
    """Make the named runs, or all of them."""
    names = [*RUNS, *DEVICE_RUNS]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", nargs="*", help=f"default: all of {', '.join(names)}")
    parser.add_argument("-o", "--output", type=Path, default=HERE, help="target folder")
    args = parser.parse_args()
    if unknown := sorted(set(args.run) - set(names)):
        parser.error(f"unknown run {', '.join(unknown)}; choose from {', '.join(names)}")
    spec = importlib.util.find_spec("pypto")
    if spec is None or not spec.submodule_search_locations:
        parser.error("no PyPTO in this Python; pip install pypto torch")
    wheel = Path(spec.submodule_search_locations[0])

    for name in args.run or names:
        with tempfile.TemporaryDirectory() as scratch:
            kernel_run = RUNS[DEVICE_RUNS[name][0] if name in DEVICE_RUNS else name]
            files = simulate(kernel_run, wheel, Path(scratch))
            if name in DEVICE_RUNS:
                files = draw_as_device(files, wheel, Path(scratch), DEVICE_RUNS[name][1])
                kept = tuple(files)
            else:
                kept = KEPT + kernel_run.also_keep
            keep({key: files[key] for key in kept}, wheel, args.output / name)
            print(table_row(name, json.loads(files[MERGED].read_text())), flush=True)


def simulate(run: Run, wheel: Path, scratch: Path) -> dict[str, Path]:
    """Run a kernel; return what it wrote, by file name."""
    config = json.loads((wheel / "lib/configs/tile_fwk_config.json").read_text())
    # Longer runs than this (500,000 cycles by default) get no merged file.
    config["global"]["simulation"]["args"].append("Model.drawPngThresholdCycle=100000000")
    config_path = scratch / "config.json"
    config_path.write_text(json.dumps(config))
    environment = {key: value for key, value in os.environ.items() if key != "ASCEND_HOME_PATH"}
    environment["TILEFWK_CONFIG_PATH"] = str(config_path)
    call([str(HERE / "kernels.py"), run.kernel, json.dumps(run.options)], scratch, environment)
    (output,) = (scratch / "output").glob("output_*")
    return {
        path.name: path
        for folder in (output, output / "CostModelSimulationOutput")
        for path in folder.iterdir()
        if path.is_file()
    }


def draw_as_device(
    simulated: dict[str, Path], wheel: Path, scratch: Path, with_aicpu: bool
) -> dict[str, Path]:
    """Draw a simulated schedule with PyPTO's own scripts for device runs."""
    folder = scratch / "device"
    folder.mkdir()
    profile = device_profile(json.loads(simulated["_simulate.swim.json"].read_text()))
    swim = folder / "tilefwk_L1_prof_data.json"
    swim.write_text(json.dumps(profile))
    topology = Path(shutil.copy(simulated[TOPOLOGY], folder))
    scripts = wheel / "lib/scripts"
    drawing = [str(scripts / "draw_swim_lane.py"), str(swim), str(topology)]
    options = ["--label_type=1", f"--time_convert_denominator={DEVICE_MHZ}"]
    call([*drawing, str(simulated[PROGRAM]), *options], folder)
    if with_aicpu:
        stamps = folder / "machine_trace_perf_data_0.json"
        stamps.write_text(json.dumps(aicpu_stamps(profile)))
        view = folder / "machine_runtime_operator_trace_0.json"
        merging = [str(scripts / "machine_perf_trace.py"), "gen_perfetto"]
        call([*merging, str(stamps), str(view), str(folder / MERGED)], folder)
    return {path.name: path for path in sorted(folder.iterdir()) if path.is_file()}


def call(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> None:
    """Run a Python script; on failure show what it said and stop."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\nerror: {' '.join(command)}: exit code {done.returncode}")


def keep(files: dict[str, Path], wheel: Path, target: Path) -> None:
    """Replace a run's folder by these files without this machine's paths; gzip all but the log."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name, path in files.items():
        text = path.read_text()
        for prefix in (wheel.parent, HERE.parent):
            text = text.replace(f"{prefix}/", "")
        if name == LOG:
            (target / name).write_text(text)
        else:
            packed = gzip.compress(text.encode(), compresslevel=9, mtime=0)
            (target / f"{name}.gz").write_bytes(packed)


def table_row(name: str, merged: dict[str, Any]) -> str:
    """Count what the merged file says about the work cores."""
    events = merged["traceEvents"]
    lanes = {
        (event["pid"], event["tid"]): event["args"]["name"]
        for event in events
        if event["name"] == "thread_name"
    }
    tasks = [
        (lanes[event["pid"], event["tid"]], event["ts"], event["ts"] + event["dur"])
        for event in events
        if event["ph"] == "X" and lanes[event["pid"], event["tid"]].startswith(("AIC_", "AIV_"))
    ]
    makespan = max(end for _, _, end in tasks) - min(start for _, start, _ in tasks)
    cores = {lane for lane, _, _ in tasks}
    cube = sum(core.startswith("AIC_") for core in cores)
    return f"| {name} | {len(tasks)} | {makespan:.2f} | {cube} + {len(cores) - cube} |"


if __name__ == "__main__":
    main()
