"""A file read in parts, side by side, is what it is as a whole."""

from __future__ import annotations

import gzip
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane import parts, read
from tests.paths import ROOT, run_name, sample_runs

IN_COPIES = """
import os, resource, sys
from perfetto_pypto.swimlane import parts
from tests.swimlane.test_swimlane_parts import outcome
parts.PART_BYTES = 1000
result = outcome(sys.argv[1])
copied = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > 0
assert copied == (len(os.sched_getaffinity(0)) > 1)
sys.stdout.buffer.write(result)
"""


def outcome(path: str | os.PathLike[str]) -> bytes:
    """The run, or the error: equal bytes for equal ones."""
    try:
        return pickle.dumps(read(path))
    except InputError as error:
        return str(error).encode()


def unpacked(path: Path, folder: Path) -> Path:
    """An indented copy of a run's merged file; its folder has the run's name."""
    packed = path.read_bytes()
    plain = folder / path.parent.name / "merged_swimlane.json"
    plain.parent.mkdir()
    plain.write_bytes(gzip.decompress(packed) if path.suffix == ".gz" else packed)
    return plain


@pytest.mark.parametrize("run", sample_runs(), ids=run_name)
@pytest.mark.parametrize("count", [2, 4])
def test_parts_make_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Path, count: int
) -> None:
    path = unpacked(run, tmp_path)
    whole = outcome(path)
    monkeypatch.setattr(parts, "PART_BYTES", 1)
    monkeypatch.setattr(parts, "cores", lambda: count)
    assert outcome(path) == whole


def test_the_command_line_reads_them_in_copies_of_itself(tmp_path: Path) -> None:
    path = unpacked(next(run for run in sample_runs() if "flash" in run.parent.name), tmp_path)
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", IN_COPIES, str(path)]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert done.stdout == outcome(path)
