"""`pypto-perfetto batch`: what lies in the data set, and how it goes on."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest

import perfetto_pypto as pp
from tests.paths import TRACES

SMALL = TRACES / "matmul_long_k"


def index(folder):
    return [json.loads(line) for line in (folder / "index.jsonl").read_text().splitlines()]


@pytest.fixture
def dataset(run, tmp_path):
    folder = tmp_path / "data"
    done = run("batch", SMALL, TRACES / "ffn", "-o", folder, "--jobs", 1)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"2 measured: {folder}\n"
    return folder


def test_every_value_of_every_run_is_a_row(dataset):
    rows = pq.read_table(dataset / "metrics").to_pylist()
    for sample in (SMALL, TRACES / "ffn"):
        assert [
            (row["metric"], row["bundle"], json.loads(row["dimensions"]), row["value"], row["unit"])
            for row in rows
            if row["path"] == str(sample)
        ] == [
            (one.id, one.bundle, one.dimensions, one.value, one.unit)
            for one in pp.compute_metrics(sample).metrics
        ]


def test_facts_of_the_run_are_columns(dataset):
    (entry,) = (entry for entry in index(dataset) if entry["name"] == "matmul_long_k")
    row = pq.read_table(dataset / "metrics" / f"{entry['run']}.parquet").to_pylist()[0]
    facts = pp.compute_metrics(SMALL).input
    assert row == {
        "run": entry["run"],
        "name": "matmul_long_k",
        "path": str(SMALL),
        "metric": "pypto_run_makespan",
        "bundle": "pypto_run",
        "dimensions": "{}",
        "value": row["value"],
        "unit": "TIME_NANOS",
        "polarity": "LOWER_IS_BETTER",
        "content": entry["content"],
        "format": facts.format,
        "layout": facts.layout,
        "cores": '{"AIC":24,"AIV":48}',
        "cores_from": facts.core_counts_from,
        "clock_hz": facts.clock_hz,
        "clock_from": facts.clock_from,
        "origin_us": facts.origin_us,
        "small_task_ns": 10_000,
        "version": entry["version"],
    }


def test_goes_on_where_it_stopped(run, dataset):
    first, second = index(dataset)
    (dataset / "metrics" / f"{second['run']}.parquet").unlink()
    (dataset / "index.jsonl").unlink()
    done = run("batch", SMALL, TRACES / "ffn", "-o", dataset, "--jobs", 1)
    assert (done.returncode, done.stderr) == (0, f"1 measured, 1 there already: {dataset}\n")
    assert index(dataset)[0] == first
    assert [entry["run"] for entry in index(dataset)] == [first["run"], second["run"]]


def test_other_options_replace_a_run(run, dataset):
    done = run("batch", SMALL, "-o", dataset, "--small-task", "1ns", "--jobs", 1)
    assert done.stderr == f"1 measured: {dataset}\n"
    table = pq.read_table(dataset / "metrics").to_pylist()
    thresholds = {(row["name"], row["small_task_ns"]) for row in table}
    assert thresholds == {("matmul_long_k", 1), ("ffn", 10_000)}
    assert sorted(entry["name"] for entry in index(dataset)) == ["ffn", "matmul_long_k"]


def test_the_clock_is_an_option_too(run, tmp_path):
    data = tmp_path / "data"
    device = TRACES / "ffn_device"
    run("batch", device, "-o", data, "--jobs", 1, "--clock", "1000MHz")
    (entry,) = index(data)
    row = pq.read_table(data / "metrics" / f"{entry['run']}.parquet").to_pylist()[0]
    metrics = pp.compute_metrics(pp.read(device, clock_mhz=1000))
    assert (row["clock_hz"], row["value"]) == (10**9, metrics.metrics[0].value)
    again = run("batch", device, "-o", data, "--jobs", 1, "--clock", "1000MHz")
    assert again.stderr == f"0 measured, 1 there already: {data}\n"


def test_a_bad_file_does_not_stop_the_rest(run, tmp_path):
    bad = tmp_path / "bad_swimlane.json"
    bad.write_text("[]")
    data = tmp_path / "data"
    done = run("batch", bad, tmp_path / "none*", SMALL, "-o", data, "--jobs", 1)
    reason = f"{bad}: is an empty list: a profile without a core, as after a run that was not"
    assert done.returncode == 1
    assert f"error: {reason}" in done.stderr
    assert f"error: {tmp_path}/none*: no such file or folder; check the path\n" in done.stderr
    assert done.stderr.endswith(f"1 measured, 2 failed: {data}\n")
    assert [entry["status"] for entry in index(data)] == ["failed", "failed", "done"]
    assert index(data)[0]["error"].startswith(reason)

    bad.write_bytes((TRACES / "ffn" / "merged_swimlane.json.gz").read_bytes())
    done = run("batch", bad, "-o", data, "--jobs", 1)
    assert (done.returncode, done.stderr) == (0, f"1 measured: {data}\n")
    lines = [(entry["path"], entry["status"]) for entry in index(data)]
    failed = (f"{tmp_path}/none*", "failed")
    assert lines == [(str(SMALL), "done"), failed, (str(bad), "done")]


def test_wrong_usage(run, tmp_path):
    for options, message in [
        (["--executor", "yarn"], "error: --executor yarn: is neither local nor dask://HOST:PORT\n"),
        (
            ["--executor", "dask://localhost:1", "--jobs", 2],
            "error: --jobs is for --executor local: a cluster has its own workers\n",
        ),
        (
            ["--trace-processor", "localhost:9001"],
            "error: --trace-processor localhost:9001: a running server holds one trace, a batch "
            "loads several at once; give embedded or a binary\n",
        ),
    ]:
        done = run("batch", SMALL, "-o", tmp_path / "data", *options)
        assert (done.returncode, done.stderr) == (2, message)
    file = tmp_path / "file"
    file.touch()
    done = run("batch", SMALL, "-o", file)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "can't be made" in done.stderr
