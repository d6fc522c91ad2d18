"""Which version of PyPTO's layout a file has, as far as its features show it."""

from __future__ import annotations

from perfetto_pypto.swimlane.collect import Collector
from perfetto_pypto.swimlane.lanes import AICPU_VIEW
from perfetto_pypto.swimlane.model import Core

_SIMULATOR_MHZ = 1800
_OLD_OFFSET_US = 0.1


def is_simulated(mhz: int, cores: list[Core]) -> bool:
    """Whether the cost-model simulator made the run: its clock, or its lane for hub tasks."""
    return mhz == _SIMULATOR_MHZ or any(core.name.startswith("HUB_") for core in cores)


def lanes_are(*, simulated: bool) -> str:
    """What the lanes of a file say about the number of cores."""
    return "lanes in the file" if simulated else "lanes seen (device files omit idle cores)"


def describe(raw: Collector, offset_us: float | None, *, simulated: bool) -> str:
    """Names the origin, the age and the features, for people."""
    slices = raw.slices
    features = [
        ("hashOrder-hint", "2026-05 or later", any(slices.hash_order.index)),
        ("syncEvents", "2026-04 or later", bool(slices.sync)),
        ("wrapId", "2026-03 or later", slices.has_wrap_id),
        (AICPU_VIEW, "2026-03 or later", AICPU_VIEW in raw.processes.values()),
        (
            "Ideal_Mem_Usage",
            "2026-03 or earlier",
            any(name.startswith("Ideal_Mem_Usage") for name, _ in raw.counts.series),
        ),
    ]
    seen = [(name, age) for name, age, there in features if there]
    if offset_us == _OLD_OFFSET_US:
        age = "before 2026-01"
    elif seen:
        age = seen[0][1]
    else:
        age = "age unknown" if offset_us is None else "2026-01 or later"
    parts = ["simulator" if simulated else "device", age, ", ".join(name for name, _ in seen)]
    return "; ".join(part for part in parts if part)
