"""What an input means: files, folders, globs, URLs."""

from __future__ import annotations

import io
import zipfile

import fsspec
import pyarrow.parquet as pq
import pytest

from perfetto_pypto.dataset.sources import Source, expand
from perfetto_pypto.dataset.work import Work, measure
from perfetto_pypto.swimlane.folder import files_of
from tests.paths import TRACES, sample_folders

WORK = Work(None, None, None, None, "1", "", frozenset())


def touch(folder, *names):
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()


def test_a_folder_is_every_run_below_it(tmp_path):
    touch(
        tmp_path,
        "a/output_1/merged_swimlane.json",
        "a/output_1/program.json",
        "a/output_1/run.pftrace",
        "a/output_2/CostModelSimulationOutput/x_simulate.swim.json",
        "b/tilefwk_L1_prof_data.json.gz",
        "c/night_swimlane_7.json.gz",
        "c/run.pftrace",
        "c/notes.txt",
    )
    assert [source.path for source in expand([str(tmp_path)])] == [
        f"{tmp_path}/a/output_1",
        f"{tmp_path}/a/output_2",
        f"{tmp_path}/b",
        f"{tmp_path}/c/night_swimlane_7.json.gz",
        f"{tmp_path}/c/run.pftrace",
    ]


def test_a_glob_and_a_file_and_each_once(tmp_path):
    touch(tmp_path, "x1/merged_swimlane.json", "x2/merged_swimlane.json", "odd[1].json")
    inputs = [f"{tmp_path}/odd[1].json", f"{tmp_path}/x?", f"{tmp_path}/x1"]
    assert expand(inputs) == [
        Source(f"{tmp_path}/odd[1].json"),
        Source(f"{tmp_path}/x1"),
        Source(f"{tmp_path}/x2"),
    ]
    deep = expand([f"{tmp_path}/**/merged_swimlane.json"])
    assert [source.path for source in deep] == [
        f"{tmp_path}/x1/merged_swimlane.json",
        f"{tmp_path}/x2/merged_swimlane.json",
    ]


def test_an_input_without_a_run_says_why(tmp_path):
    touch(tmp_path, "notes.txt")
    reasons = [source.problem for source in expand([str(tmp_path), "nowhere:///x.json"])]
    assert reasons[0] == f"{tmp_path}: holds no run; pass output_* folders or what holds some"
    assert reasons[1].startswith("nowhere:///x.json: can't be listed (Protocol not known")


@pytest.mark.parametrize("folder", sample_folders(), ids=lambda folder: folder.name)
def test_each_sample_folder_is_a_run(folder):
    assert files_of(folder).has_run
    assert expand([str(folder)]) == [Source(str(folder))]


def test_a_url_is_fetched_and_measured_under_its_own_name():
    memory = fsspec.filesystem("memory")
    memory.put(str(TRACES / "matmul_long_k") + "/", "/nightly/output_7/", recursive=True)
    memory.pipe("/nightly/bad_swimlane.json", b"[]")
    good, bad = sorted(expand(["memory://nightly"]), key=lambda source: "bad" in source.path)
    assert good == Source("memory:///nightly/output_7")
    outcome = measure(WORK, good)
    assert (outcome.entry.status, outcome.entry.name) == ("done", "output_7")
    failed = measure(WORK, bad).entry
    assert failed.error.startswith("memory:///nightly/bad_swimlane.json: is an empty list")
    file = measure(WORK, Source("memory:///nightly/output_7/merged_swimlane.json.gz")).entry
    assert file.name == "output_7"
    local = measure(WORK, Source(str(TRACES / "matmul_long_k"))).entry
    assert (local.content, local.run == outcome.entry.run) == (outcome.entry.content, False)


def test_runs_in_an_archive(tmp_path, monkeypatch):
    sample = TRACES / "matmul_long_k" / "merged_swimlane.json.gz"
    with zipfile.ZipFile(tmp_path / "night.zip", "w") as archive:
        archive.write(sample, "a/output_7/merged_swimlane.json.gz")
        archive.write(sample, "a/output_8/merged_swimlane.json.gz")
    monkeypatch.chdir(tmp_path)
    runs = [f"zip://a/output_{number}::{tmp_path}/night.zip" for number in (7, 8)]
    assert [source.path for source in expand(["zip://a::night.zip"])] == runs
    assert [source.path for source in expand(["zip://*/*8::night.zip"])] == runs[1:]
    entry = measure(WORK, Source(runs[0])).entry
    assert (entry.status, entry.name, entry.path) == ("done", "output_7", runs[0])


def values(source):
    """A run's metrics: id and dimensions, value."""
    outcome = measure(WORK, Source(source))
    assert outcome.entry.status == "done"
    return pq.read_table(io.BytesIO(outcome.parquet)).select(["metric", "value"]).to_pylist()


@pytest.mark.parametrize(
    "file", ["ffn_device/tilefwk_L1_prof_data.json.gz", "ffn/_simulate.swim.json.gz", "ffn"]
)
def test_what_lies_beside_a_file_in_an_archive_is_read_too(tmp_path, file):
    with zipfile.ZipFile(tmp_path / "night.zip", "w") as archive:
        for part in (TRACES / file.partition("/")[0]).iterdir():
            archive.write(part, part.relative_to(TRACES))
    assert values(f"zip://{file}::{tmp_path}/night.zip") == values(str(TRACES / file))


def test_what_lies_around_the_simulators_folder_is_read_too(tmp_path):
    memory = fsspec.filesystem("memory")
    inside = "/sim/output_9/CostModelSimulationOutput/_simulate.swim.json.gz"
    memory.put_file(str(TRACES / "ffn" / "_simulate.swim.json.gz"), inside)
    memory.put_file(str(TRACES / "ffn" / "dyn_topo.txt.gz"), "/sim/output_9/dyn_topo.txt.gz")
    memory.pipe("/sim/output_9/notes.txt", b"")
    entry = measure(WORK, Source(f"memory://{inside}")).entry
    assert (entry.name, entry.findings) == ("output_9", {"idle-while-ready": 1})


def test_a_run_at_the_top_of_an_archive_has_a_name_that_stays(tmp_path):
    with zipfile.ZipFile(tmp_path / "night.zip", "w") as archive:
        archive.write(TRACES / "ffn" / "merged_swimlane.json.gz", "merged_swimlane.json.gz")
    entry = measure(WORK, Source(f"zip://merged_swimlane.json.gz::{tmp_path}/night.zip")).entry
    assert (entry.status, entry.name) == ("done", "swimlane")
