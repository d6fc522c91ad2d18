"""Flows to dependencies, by lane and time."""

from pathlib import Path

import pytest

from tests.swimlane.swimlane_samples import LANES, edges, flow, found, read_events, task, thread

BOOT_DAYS = 2_383_465_727_245.22


def pair(start: float = 10.0) -> list[dict[str, object]]:
    """AIC_1 runs for 2 µs, then AIV_3."""
    return [
        task("0-0-0-9-0()", 1002, start, 2.0),
        task("0-0-1-9-0()", 1006, start + 3.0, 1.0),
    ]


@pytest.mark.parametrize("before", [0.0001, 0.1, 0.0])
@pytest.mark.parametrize("start", [10.0, 7_504_368_273.64, BOOT_DAYS])
def test_a_flow_starts_shortly_before_its_producer_ends(
    tmp_path: Path, before: float, start: float
) -> None:
    run = read_events(
        tmp_path, *pair(start), *flow(2, (1002, start + 2.0 - before), (1006, start + 3.0))
    )
    assert edges(run) == [(0, 1)]
    assert found(run) == {}


def test_the_old_offset_shows_the_age(tmp_path: Path) -> None:
    run = read_events(tmp_path, *pair(), *flow(2, (1002, 11.9), (1006, 13.0)))
    assert run.source.layout == "device; before 2026-01"


def test_the_old_offset_does_not_hit_a_short_neighbour(tmp_path: Path) -> None:
    run = read_events(
        tmp_path,
        task("0-0-0-9-0()", 1002, 10.0, 2.0),
        task("0-0-1-9-0()", 1002, 12.0, 0.1),
        *flow(3, (1002, 12.0), (1006, 13.0)),  # 0.1 before the second one's end
        task("0-0-2-9-0()", 1006, 13.0, 1.0),
        *flow(4, (1006, 13.9), (1006, 15.0)),
        task("0-0-3-9-0()", 1006, 15.0, 1.0),
    )
    assert edges(run) == [(1, 2), (2, 3)]


def test_backward_edges_are_kept(tmp_path: Path) -> None:
    run = read_events(
        tmp_path,
        task("0-0-0-9-0()", 1002, 10.0, 2.0),
        task("0-0-1-9-0()", 1006, 11.5, 1.0),
        *flow(2, (1002, 11.9999), (1006, 11.5)),
    )
    assert edges(run) == [(0, 1)]
    assert found(run) == {}


def test_duplicates_self_edges_and_lost_ends_are_reported(tmp_path: Path) -> None:
    run = read_events(
        tmp_path,
        *pair(),
        *flow(2, (1002, 11.9999), (1006, 13.0)),
        *flow(3, (1002, 11.9999), (1006, 13.0)),  # the same edge
        *flow(4, (1002, 11.9999), (1002, 10.0)),  # to itself
        *flow(5, (1002, 11.5), (1006, 13.0)),  # nothing ends there
        *flow(6, (1002, 11.9999), (2222, 13.0)),  # no such lane
        flow(7, (1002, 11.9999), (1006, 13.0))[0],  # an s without an f
        flow(8, (1002, 11.9999), (1006, 13.0))[1],  # an f without an s
        flow(2, (1002, 11.9999), (1006, 13.0))[0],  # an id used before
    )
    assert edges(run) == [(0, 1)]
    assert found(run) == {
        "duplicate-dependency": 1,
        "self-dependency": 1,
        "unresolved-dependency": 2,
        "lone-flow": 3,
    }
    assert run.present["dependencies"] == 8


def test_text_ids_and_flows_of_other_categories(tmp_path: Path) -> None:
    other = flow(3, (1002, 11.9999), (1006, 13.0))
    run = read_events(
        tmp_path,
        *pair(),
        *flow("0x2", (1002, 11.9999), (1006, 13.0)),
        *({**end, "cat": "flow"} for end in other),
    )
    assert edges(run) == [(0, 1)]
    assert found(run) == {"unknown-event": 2}


def test_a_negative_duration_ends_where_the_file_says(tmp_path: Path) -> None:
    run = read_events(
        tmp_path,
        task("0-0-0-9-0()", 1002, 10.0, -2.0),
        task("0-0-1-9-0()", 1006, 13.0, 1.0),
        *flow(2, (1002, 7.9999), (1006, 13.0)),
    )
    assert edges(run) == [(0, 1)]


def hubs(*names: str, start: float = 20.0) -> list[dict[str, object]]:
    """Hubs at one time on one lane, as PyPTO places them."""
    return [task(f"{name}-9-0(fake)", 1000, start, 1.0, color="fake") for name in names]


def after(*names: str) -> list[dict[str, object]]:
    """Tasks one after the other on AIV_3, from 21 µs on."""
    return [task(f"{name}-9-0()", 1006, 21.0 + 2 * i, 1.0) for i, name in enumerate(names)]


def from_hub(number: int, index: int) -> list[dict[str, object]]:
    return flow(number, (1000, 20.9999), (1006, 21.0 + 2 * index))


def test_hubs_at_one_time_are_told_apart_by_device_task(tmp_path: Path) -> None:
    run = read_events(
        tmp_path,
        *after("0-0-1", "1-0-1"),
        *hubs("0-0-0", "1-0-0"),
        *from_hub(10, 0),
        *from_hub(11, 1),
    )
    assert edges(run) == [(2, 0), (3, 1)]
    assert found(run) == {}


def test_hubs_at_one_time_are_told_apart_by_function(tmp_path: Path) -> None:
    run = read_events(
        tmp_path,
        *after("0-1-1", "0-1-2", "0-2-1"),
        *hubs("0-1-0", "0-2-0"),
        *from_hub(10, 1),
        *from_hub(11, 0),
        *from_hub(12, 2),
    )
    assert edges(run) == [(3, 0), (3, 1), (4, 2)]
    assert found(run) == {}


def test_hubs_at_one_time_are_told_apart_by_repeated_edges(tmp_path: Path) -> None:
    run = read_events(
        tmp_path,
        *after("0-0-1"),
        *hubs("0-0-2", "0-0-3", "0-0-4"),
        *(event for number in (10, 11, 12) for event in from_hub(number, 0)),
    )
    assert edges(run) == [(1, 0), (2, 0), (3, 0)]
    assert found(run) == {}


def test_hubs_at_one_time_are_told_apart_by_the_order_of_their_flows(tmp_path: Path) -> None:
    run = read_events(
        tmp_path,
        *hubs("0-0-2"),
        task("0-0-3-9-0()", 1002, 10.0, 2.0),
        *hubs("0-0-4"),
        *after("0-0-5", "0-0-6"),
        *from_hub(10, 0),
        *flow(11, (1002, 11.9999), (1006, 21.0)),
        *from_hub(12, 1),
    )
    assert edges(run) == [(0, 3), (1, 3), (2, 4)]
    assert found(run) == {}


def test_what_cannot_be_told_is_reported(tmp_path: Path) -> None:
    run = read_events(
        tmp_path,
        *after("0-0-5", "0-0-6", "0-0-7"),
        *hubs("0-0-2", "0-0-3"),
        *from_hub(10, 0),
        *from_hub(11, 1),
        *from_hub(12, 2),
    )
    assert len(edges(run)) == 3
    assert found(run) == {"ambiguous-dependency": 3}


def test_a_producer_of_all_tasks_at_one_time(tmp_path: Path) -> None:
    run = read_events(
        tmp_path,
        task("0-0-0-9-0()", 1002, 10.0, 2.0),
        *hubs("0-0-1", "0-0-2", start=12.0),
        *flow(10, (1002, 11.9999), (1000, 12.0)),
        *flow(11, (1002, 11.9999), (1000, 12.0)),
    )
    assert edges(run) == [(0, 1), (0, 2)]
    assert found(run) == {}


def test_an_edge_to_one_of_several_tasks_at_one_time(tmp_path: Path) -> None:
    run = read_events(
        tmp_path,
        task("0-0-0-9-0()", 1002, 10.0, 2.0),
        *hubs("0-0-1", "0-0-2", start=12.0),
        *flow(10, (1002, 11.9999), (1000, 12.0)),
    )
    assert edges(run) == [(0, 1)]
    assert found(run) == {"ambiguous-dependency": 1}


def test_an_overlap_lane_has_flows_of_its_own(tmp_path: Path) -> None:
    run = read_events(
        tmp_path,
        task("0-0-0-9-0()", 1002, 10.0, 2.0),
        task("0-0-1-9-0()", 1003, 11.0, 1.0),  # ends at the same time on the same core
        task("0-0-2-9-0()", 1006, 13.0, 1.0),
        *flow(3, (1003, 11.9999), (1006, 13.0)),
        lanes=[*LANES, thread("AIC_1", 1003)],
    )
    assert edges(run) == [(1, 2)]
    assert found(run) == {"overlapping-tasks": 1}
