"""Workers that are killed, here and on a cluster: nothing is lost, nothing is there twice."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import duckdb
from distributed import LocalCluster

import perfetto_pypto as pp
from perfetto_pypto.dataset.pools import LostError, run_all
from tests.batch.deadly import square


def assert_whole(folder, runs):
    """Each of the runs is in the data set, whole and once."""
    entries = [json.loads(line) for line in (folder / "index.jsonl").read_text().splitlines()]
    assert Counter(entry["path"] for entry in entries) == Counter(
        str(file.parent) for file in runs.rglob("*.json.gz")
    )
    assert {entry["status"] for entry in entries} == {"done"}
    counts = duckdb.sql(
        f"SELECT path, count(*), count(DISTINCT (metric, dimensions)) "
        f"FROM read_parquet('{folder}/metrics/*.parquet') GROUP BY path"
    ).fetchall()
    assert sorted(path for path, _, _ in counts) == sorted(entry["path"] for entry in entries)
    assert all(rows == distinct for _, rows, distinct in counts)
    assert not list((folder / "metrics").glob(".*"))


def test_a_local_worker_is_killed_in_the_middle(runs, tmp_path):
    def kill_one(step):
        if step.finished == 2:
            multiprocessing.active_children()[0].kill()

    result = pp.batch([runs], tmp_path / "data", jobs=2, on_step=kill_one)
    assert (len(result.computed), result.failed) == (5, [])
    assert_whole(tmp_path / "data", runs)


def test_a_worker_of_a_dask_cluster_is_killed_in_the_middle(runs, tmp_path):
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
    ) as cluster:

        def kill_one(step):
            if step.finished == 2:
                os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)

        address = cluster.scheduler_address.replace("tcp://", "dask://")
        result = pp.batch([runs], tmp_path / "data", executor=address, on_step=kill_one)
        assert (len(result.computed), result.failed) == (5, [])
        assert_whole(tmp_path / "data", runs)
        again = pp.batch([runs], tmp_path / "data", executor=address)
        assert (len(again.computed), len(again.skipped)) == (0, 5)


def test_all_of_it_is_killed_and_started_again(runs, tmp_path):
    data = tmp_path / "data"
    command = [Path(sys.executable).with_name("pypto-perfetto"), "batch", runs, "-o", data]
    first = subprocess.Popen([*command, "--jobs", "1"], stderr=subprocess.PIPE)
    while not list(data.glob("metrics/*.parquet")) and first.poll() is None:
        time.sleep(0.01)
    first.kill()
    first.communicate()  # its stderr ends when its worker has ended, too
    there = {file: file.read_bytes() for file in data.glob("metrics/*.parquet")}
    assert 1 <= len(there) < 5
    result = pp.batch([runs], data, jobs=2)
    assert len(result.skipped) == len(there)
    assert {file: file.read_bytes() for file in there} == there
    assert_whole(data, runs)


def test_a_task_that_kills_each_worker_fails_alone():
    results = dict(run_all(square, range(6), "local", 2))
    assert isinstance(results.pop(3), LostError)
    assert results == {0: 0, 1: 1, 2: 4, 4: 16, 5: 25}
