"""What the fuzzer found, each as the smallest file that shows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from swimlane.simpler_samples import (
    deps,
    process,
    read_merged,
    read_records,
    records,
    slice_of,
    thread,
)
from swimlane.swimlane_samples import LANES, found, read_events, task
from swimlane.swimlane_samples import thread as pypto_thread

import perfetto_pypto as pp
from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane.checks import overlapping

ROW = [0, 1, 1, 1000, 1100]


def refusal(folder: Path, name: str, value: Any) -> str:
    (folder / name).write_text(json.dumps(value))
    with pytest.raises(InputError) as error:
        pp.read(folder / name)
    return str(error.value)


def test_a_huge_key_does_not_fill_the_screen(tmp_path: Path) -> None:
    text = refusal(tmp_path, "merged_swimlane.json", {"{" * 100_000: 1})
    assert len(text) < 400


def test_a_key_of_several_lines_stays_on_one(tmp_path: Path) -> None:
    (tmp_path / "name_map_a.json").write_text('{"callable_id_to_name": {"\\n": false}}')
    text = refusal(tmp_path, "chip_swimlane_records.json", records([ROW]))
    assert len(text.splitlines()) == 1


def test_a_run_of_centuries_is_refused(tmp_path: Path) -> None:
    """SQL counts core time in doubles: beyond 2^53 ns the parts no longer sum to the whole."""
    rows = [ROW, [2, 2, 1, 10**15, 10**15 + 10]]
    text = refusal(tmp_path, "chip_swimlane_records.json", records(rows))
    assert "spans 231.5 days on 4 cores, from task 0 to task 1" in text


def test_a_lane_of_the_hubs_name(tmp_path: Path) -> None:
    lanes = [process(4, "Worker View"), thread(4, 0, "HUB_0"), thread(4, 1, "AIC_1")]
    hint = {"fanin-hint": "1: [t9]"}
    tasks = [slice_of("t1", 0, 1.0, 1.0), slice_of("t2", 1, 1.0, 1.0, **hint)]
    run = read_merged(tmp_path, *lanes, *tasks)
    assert [core.name for core in run.cores] == ["AIC_1", "HUB_0", "HUB_1"]


def test_a_core_number_of_33_bits(tmp_path: Path) -> None:
    run = read_records(tmp_path, records([ROW, [2**32, 2, 1, 1000, 1100]]), deps([]))
    with pp.open_trace(run) as tp:
        rows = tp.query("SELECT name FROM track WHERE name GLOB 'core *'")
        assert [row.name for row in rows] == ["core 4294967296"]


def test_a_nul_in_a_name(tmp_path: Path) -> None:
    lanes = [*LANES, pypto_thread("odd\x00lane", 7)]
    run = read_events(
        tmp_path,
        task("0-0-0-9-0(a\x00b)", 1002, 1.0, 2.0),
        task("0-0-1-9-0()", 7, 1.0, 2.0),
        lanes=lanes,
    )
    with pp.open_trace(run) as tp:
        rows = tp.query(
            "SELECT t.name AS lane, s.name FROM slice s JOIN track t ON t.id = track_id"
        )
        names = {(row.lane, row.name) for row in rows}
    assert ("AIC_1", "a\ufffdb") in names
    assert "odd\ufffdlane" in {lane for lane, _ in names}


def test_a_file_of_odd_lanes_alone_says_so(tmp_path: Path) -> None:
    run = read_events(
        tmp_path,
        task("0-0-0-9-0()", 1002, 1.0, 2.0),
        lanes=[LANES[0], pypto_thread("AIC 1", 1002)],
    )
    assert found(run) == {"unknown-lane": 1}
    values = [one.value for one in pp.compute_metrics(run).metrics if one.bundle == "pypto_run"]
    assert set(values) <= {None, 0}


def test_overlaps_at_the_end_of_time() -> None:
    """Cores were set apart by adding times, which left 64 bits."""
    core = np.array([0, 71, 71], dtype=np.int32)
    start = np.array([0, 0, 10], dtype=np.int64)
    end = np.array([2**62, 20, 30], dtype=np.int64)
    assert overlapping(core, start, end).tolist() == [2]
