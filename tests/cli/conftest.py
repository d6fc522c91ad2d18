from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.paths import ROOT

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run() -> Run:
    """``run("metrics", path)``: the real command as a subprocess."""

    def call(*args: object, stdin: bytes | None = None, cwd: Path = ROOT):
        command = [str(Path(sys.executable).with_name("pypto-perfetto")), *map(str, args)]
        done = subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, check=False)
        return subprocess.CompletedProcess(
            command, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    return call
