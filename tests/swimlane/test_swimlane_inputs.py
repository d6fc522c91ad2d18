"""Where a swimlane is read from."""

import gzip
import io
import os
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from perfetto_pypto.errors import PyptoPerfettoError
from perfetto_pypto.swimlane import read
from tests.swimlane.swimlane_samples import LANES, task, write

EVENTS = [*LANES, task("0-0-0-9-0()", 1002, 1.0, 1.0)]


@pytest.fixture
def swimlane(tmp_path: Path) -> Path:
    return write(tmp_path, EVENTS, "kept.json")


def test_a_file(swimlane: Path) -> None:
    assert (read(swimlane).name, len(read(str(swimlane)).tasks)) == ("kept", 1)


def test_gzip_in_one_or_more_members(tmp_path: Path, swimlane: Path) -> None:
    text = swimlane.read_bytes()
    packed = tmp_path / "run.json.gz"
    packed.write_bytes(gzip.compress(text[:100]) + gzip.compress(text[100:]))
    assert (read(packed).name, len(read(packed).tasks)) == ("run", 1)


def test_gzip_is_known_by_its_bytes(tmp_path: Path, swimlane: Path) -> None:
    packed = tmp_path / "packed.json"
    packed.write_bytes(gzip.compress(swimlane.read_bytes()))
    assert len(read(packed).tasks) == 1


@pytest.mark.parametrize("inner", ["", "CostModelSimulationOutput"])
@pytest.mark.parametrize("name", ["merged_swimlane.json", "merged_swimlane.json.gz"])
def test_an_output_folder(tmp_path: Path, swimlane: Path, inner: str, name: str) -> None:
    output = tmp_path / "output_20260101_120000"
    place = output / inner
    place.mkdir(parents=True)
    text = swimlane.read_bytes()
    (place / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    assert read(output).name == "output_20260101_120000"
    assert read(place).name == "output_20260101_120000"
    assert read(place / name).name == "output_20260101_120000"


def test_stdin(monkeypatch: pytest.MonkeyPatch, swimlane: Path) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(swimlane.read_bytes())))
    run = read("-")
    assert (run.name, run.source.path, len(run.tasks)) == ("stdin", "<stdin>", 1)


def test_a_pipe(tmp_path: Path, swimlane: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(swimlane.read_bytes()))
    writer.start()
    assert len(read(pipe).tasks) == 1
    writer.join()


def test_core_counts_are_the_users(swimlane: Path) -> None:
    source = read(swimlane, cores={"AIC": 24, "AIV": 48}).source
    assert source.core_counts == {"AIC": 24, "AIV": 48}
    assert source.core_counts_from == "--cores"


def test_core_counts_of_the_other_engines_are_seen(swimlane: Path) -> None:
    source = read(swimlane, cores={"AIC": 24}).source
    assert source.core_counts == {"AIC": 24, "AIV": 1}
    assert source.core_counts_from == "--cores; AIV: lanes seen (device files omit idle cores)"


@pytest.mark.parametrize(
    ("cores", "message"),
    [
        ({"GPU": 2}, "--cores GPU=2: {} has no engine GPU; use one of AIC, AIV"),
        ({"AIC": 0}, "--cores AIC=0: {} has 1 AIC lanes; give at least 1"),
        ({"AICORE": -1}, "--cores AICORE=-1: {} has 0 AICORE lanes; give at least 1"),
    ],
)
def test_core_counts_that_cannot_be(swimlane: Path, cores: dict[str, int], message: str) -> None:
    with pytest.raises(PyptoPerfettoError) as caught:
        read(swimlane, cores=cores)
    assert str(caught.value) == message.format(swimlane)
