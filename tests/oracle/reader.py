"""Reads merged_swimlane.json(.gz) of PyPTO into a Run, exactly."""

from __future__ import annotations

import gzip
import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.oracle.model import Lane, Phase, Run, Task, engine_of

CLOCKS_MHZ = (50, 1000, 1800)
FLOW = "machine-view-last-dep"
#: How long before the producer's end a flow starts, in µs: newer writers, then older ones.
FLOW_LEADS = (Fraction(1, 10000), Fraction(1, 10))

NAME = re.compile(r"(-?\d+)-(-?\d+)-(-?\d+)-(-?\d+)-(-?\d+)\((.*)\)", re.DOTALL)
PHASE = re.compile(r"(.+)_(\d+)(?:\((\d+)\))?")
LEAF_HASH = re.compile(r"leafHash:([^,\n]*)")

Event = dict[str, Any]


def load_events(path: Path) -> list[Event]:
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    return list(json.loads(content)["traceEvents"])


def lane_names(events: list[Event]) -> dict[tuple[int, int], str]:
    return {
        (e["pid"], e["tid"]): e["args"]["name"]
        for e in events
        if e["ph"] == "M" and e["name"] == "thread_name"
    }


def machine_pid(events: list[Event]) -> int:
    processes = {
        e["args"]["name"]: e["pid"]
        for e in events
        if e["ph"] == "M" and e["name"] == "process_name"
    }
    return int(processes["Machine View"])


def task_events(events: list[Event]) -> list[Event]:
    """The task slices in file order, each identical copy after the first left out."""
    pid = machine_pid(events)
    kept: dict[tuple[object, ...], Event] = {}
    for e in events:
        if e["ph"] == "X" and e["pid"] == pid:
            kept.setdefault((e["tid"], e["ts"], e["dur"], e["name"]), e)
    return list(kept.values())


def phase_events(events: list[Event]) -> list[Event]:
    """The slices of the other processes (the AICPU view), without identical copies."""
    pid = machine_pid(events)
    kept: dict[tuple[object, ...], Event] = {}
    for e in events:
        if e["ph"] == "X" and e["pid"] != pid:
            kept.setdefault((e["pid"], e["tid"], e["ts"], e["dur"], e["name"]), e)
    return list(kept.values())


def named(task: Event) -> tuple[int, int, int, int, int, str]:
    """What a task's name says: ``seq-func-op-rootIndex-psgId(label)``."""
    found = NAME.fullmatch(task["name"])
    assert found, task["name"]
    seq, func, op, root_index, psg_id = (int(number) for number in found.groups()[:5])
    return seq, func, op, root_index, psg_id, found.group(6)


def end_of(event: Event) -> Fraction:
    return Fraction(event["ts"]) + Fraction(event["dur"])


def infer_clock_mhz(stamps: Iterable[tuple[Fraction, Fraction]]) -> int | None:
    """The coarsest clock whose ticks all stamps are, as far as a float64 can say it.

    Each stamp comes with the size of the number it was computed from (its float64 step matters).
    """
    stamps = list(stamps)
    for clock in CLOCKS_MHZ:
        if all(
            abs(Fraction(half_up(stamp * clock), clock) - stamp) <= Fraction(math.ulp(float(size)))
            for stamp, size in stamps
        ):
            return clock
    return None


def half_up(value: Fraction) -> int:
    return math.floor(value + Fraction(1, 2))


def nanoseconds(events: list[Event]) -> Callable[[Fraction], int]:
    """The function from µs on the file's clock to ns from the run's earliest event."""
    stamps = []
    for e in task_events(events):
        size = max(abs(Fraction(e["ts"])), abs(end_of(e)))
        stamps += [(Fraction(e["ts"]), size), (end_of(e), size)]
    clock = infer_clock_mhz(stamps)

    times = [Fraction(e["ts"]) for e in events if e["ph"] in ("X", "C")]
    for e in task_events(events):
        times += [Fraction(sync["time"]) for sync in e["args"].get("syncEvents") or []]
    base = min(times)

    first_tick = 0 if clock is None else half_up(base * clock)

    def to_ns(time: Fraction) -> int:
        if clock is None:
            return half_up((time - base) * 1000)
        ticks = half_up(time * clock) - first_tick
        return half_up(Fraction(ticks * 1000, clock))

    return to_ns


def read_run(path: Path) -> Run:
    events = load_events(path)
    lane_name = lane_names(events)
    pid = machine_pid(events)
    to_ns = nanoseconds(events)

    tasks = []
    slices = task_events(events)
    for index, e in enumerate(slices):
        seq, func, op, root_index, psg_id, label = named(e)
        found = LEAF_HASH.search(e["args"]["event-hint"])
        leaf_hash = found.group(1).strip() if found else ""
        lane = Lane(lane_name[pid, e["tid"]], engine_of(lane_name[pid, e["tid"]]))
        start = to_ns(Fraction(e["ts"]))
        tasks.append(
            Task(
                id=index,
                name=e["name"],
                core=lane.name,
                engine=lane.engine,
                start=start,
                end=max(start, to_ns(end_of(e))),
                seq=seq,
                func=func,
                op=op,
                leaf_hash=leaf_hash if leaf_hash not in ("", "None") else None,
                label=label,
                root_index=root_index,
                psg_id=psg_id,
                kind=lane.kind,
            )
        )

    phases = []
    for e in phase_events(events):
        start = to_ns(Fraction(e["ts"]))
        end = max(start, to_ns(end_of(e)))
        found = PHASE.fullmatch(e["name"])
        assert found, e["name"]
        name, round_number, dev_task = found.groups()
        phases.append(
            Phase(
                thread=lane_name[e["pid"], e["tid"]],
                name=name,
                start=start,
                end=end,
                round=int(round_number),
                dev_task=None if dev_task is None else int(dev_task),
            )
        )

    names = dict.fromkeys(name for (p, _), name in lane_name.items() if p == pid)
    return Run(
        lanes=[Lane(name, engine_of(name)) for name in names],
        tasks=tasks,
        edges=set(resolve_flows(events)),
        phases=phases,
    )


def resolve_flows(events: list[Event]) -> list[tuple[int, int]]:
    """(producer, consumer) of each flow, in file order: the flows name only lanes and times.

    A flow starts a known lead before its producer's end and ends at its consumer's start. Where
    several tasks of a lane fit, these facts decide, in this order: producer and consumer are of
    one seqNo; producers come in file order; most edges stay within one function (hubs of several
    functions may lie on each other exactly); few edges are written twice.
    """
    slices = task_events(events)
    seq = [named(e)[0] for e in slices]
    func = [named(e)[1] for e in slices]
    end_at = [end_of(e) for e in slices]
    ends: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    starts: dict[int, dict[float, list[int]]] = defaultdict(lambda: defaultdict(list))
    for index, e in enumerate(slices):
        ends[e["tid"]][bucket(end_at[index])].append(index)
        starts[e["tid"]][e["ts"]].append(index)

    begun = {e["id"]: e for e in events if e["ph"] == "s" and e["cat"] == FLOW}
    ended = [e for e in events if e["ph"] == "f" and e["cat"] == FLOW]
    pairs = [(begun[e["id"]], e) for e in ended]

    def producers(begin: Event, lead: Fraction) -> list[int]:
        at = Fraction(begin["ts"]) + lead
        here = bucket(at)
        near = [i for b in (here - 1, here, here + 1) for i in ends[begin["tid"]].get(b, [])]
        distance = {i: abs(end_at[i] - at) for i in near}
        # Two float64 steps: one for the rounded end, one for the rounded lead.
        close = 2 * Fraction(math.ulp(begin["ts"]))
        return sorted(i for i in near if distance[i] <= min(distance.values()) + close)

    lead = max(FLOW_LEADS, key=lambda lead: sum(1 for begin, _ in pairs if producers(begin, lead)))

    edges: list[tuple[int, int]] = []
    seen: set[tuple[int, int]] = set()
    last_producer = 0
    for begin, end in pairs:
        candidates = [
            (u, v)
            for u in producers(begin, lead)
            for v in sorted(starts[end["tid"]].get(end["ts"], []))
        ]
        assert candidates, (begin, end)
        edge = min(
            candidates,
            key=lambda uv: (
                seq[uv[0]] != seq[uv[1]],
                uv[0] < last_producer,
                func[uv[0]] != func[uv[1]],
                uv in seen,
                uv,
            ),
        )
        last_producer = edge[0]
        seen.add(edge)
        edges.append(edge)
    return edges


def bucket(time: Fraction) -> int:
    """Ends are hashed by 1/100 µs: finer than any gap the leads have to be told apart by."""
    return math.floor(time * 100)
