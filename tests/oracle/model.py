"""A run as plain records: nothing but the standard library."""

from __future__ import annotations

from dataclasses import dataclass, field

CORE_ENGINES = ("AIC", "AIV", "AICORE")


@dataclass(frozen=True)
class Lane:
    """A named row of the file: ``AIC_3`` of engine AIC, ``Fake Core_0`` of engine HUB."""

    name: str
    engine: str

    @property
    def kind(self) -> str:
        """What the slices of this lane are: work on a core, a hub, or work elsewhere."""
        if self.engine in CORE_ENGINES:
            return "task"
        return "hub" if self.engine == "HUB" else "off_core"

    @property
    def is_fake_core(self) -> bool:
        """The lane of the hubs that PyPTO's script invents; the old log leaves it out of T0."""
        return self.name.startswith("Fake Core")


@dataclass(frozen=True)
class Task:
    """A slice of a lane. ``id`` is its place in the file; times are ns from the run's 0."""

    id: int
    name: str
    core: str
    engine: str
    start: int
    end: int
    seq: int = 0
    func: int = 0
    op: int = 0
    leaf_hash: str | None = None
    label: str = ""
    root_index: int = -1
    psg_id: int = -1
    kind: str = "task"

    @property
    def duration(self) -> int:
        return self.end - self.start

    @property
    def subgraph(self) -> str:
        """The isomorphic subgraph: its leaf hash, else its root function and place in it."""
        return self.leaf_hash or f"{self.root_index}-{self.psg_id}"


@dataclass(frozen=True)
class Phase:
    """A slice of the AICPU view, ``<name>_<round>(<dev_task>)``; the last may be absent."""

    thread: str
    name: str
    start: int
    end: int
    round: int = 0
    dev_task: int | None = None


@dataclass(frozen=True)
class Run:
    """One operator run; ``edges`` are (producer id, consumer id)."""

    lanes: list[Lane]
    tasks: list[Task]
    edges: set[tuple[int, int]] = field(default_factory=set)
    phases: list[Phase] = field(default_factory=list)

    def __post_init__(self) -> None:
        assert [task.id for task in self.tasks] == list(range(len(self.tasks)))


def engine_of(lane_name: str) -> str:
    """``AIC_3`` → AIC. Exact names only: "AICPU" is not an AIC."""
    if lane_name.startswith("Fake Core"):
        return "HUB"
    prefix, _, number = lane_name.rpartition("_")
    known = (*CORE_ENGINES, "AI-CPU", "HUB")
    return prefix if prefix in known and number.isdigit() else "OTHER"
