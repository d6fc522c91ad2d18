from __future__ import annotations

import shutil

import pytest

from tests.cli.conftest import run
from tests.paths import TRACES

__all__ = ["run", "runs"]


@pytest.fixture
def runs(tmp_path):
    """A folder of five runs: repeats of three small samples."""
    folder = tmp_path / "runs"
    for place, name in enumerate(["matmul_long_k"] * 3 + ["matmul_split_k"] * 2):
        target = folder / f"commit{place}" / name
        target.mkdir(parents=True)
        shutil.copy(TRACES / name / "merged_swimlane.json.gz", target)
    return folder
