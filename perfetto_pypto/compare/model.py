"""What a comparison consists of."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from perfetto_pypto.metrics.model import Advice, Input, Value


@dataclass(frozen=True, slots=True)
class Sample:
    """A metric's values on one side, one per run; None where a run has no such data."""

    values: list[Value]

    @property
    def present(self) -> list[int | float]:
        """The values that are there."""
        return [value for value in self.values if value is not None]

    @property
    def median(self) -> Value:
        """The median of the values that are there."""
        return median(self.present) if self.present else None

    @property
    def spread(self) -> float | None:
        """(max - min) / median; None where that says nothing."""
        middle = self.median
        return (max(self.present) - min(self.present)) / abs(middle) if middle else None


@dataclass(frozen=True, slots=True)
class Change:
    """A metric on both sides.

    difference: new - base, of the medians; None where a side has no value
    ratio:      difference / base; None where base is 0 or absent
    p:          chance of so clear a difference among equal runs; None for one run a side
    verdict:    ``better`` or ``worse`` by polarity, ``changed`` where a metric has none, ``same``
                (equal, or less than 0.1 % apart), ``not significant``, ``new`` or ``gone`` where
                a side has no value, ``absent`` where neither has
    """

    id: str
    dimensions: dict[str, str]
    unit: str
    polarity: str
    base: Sample
    new: Sample
    difference: float | None
    ratio: float | None
    p: float | None
    verdict: str


@dataclass(frozen=True, slots=True)
class SubgraphChange:
    """Isomorphic subgraphs of one side and their partners.

    matched_by: ``leaf_hash``: the same code; ``shapes``: label, engine and shapes are equal;
                ``label``: label and engine; ``only base`` or ``only new``: no partner
    changes:    of task_count, total, mean and critical_path_time, added up over the hashes
    """

    label: str
    engine: str
    matched_by: str
    base_hashes: list[str]
    new_hashes: list[str]
    changes: dict[str, Change]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the makespan: what the cores of one scope did, added up (core time, ns)."""

    name: str
    base: int
    new: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """The makespans of one run a side, split into what a core did on average.

    The parts of a core are the makespan, so their means over the cores are it too, and the
    differences of the means are the makespan's difference: exactly, whatever the core counts.

    scope:      ``all`` (all engines that ran a task), or an engine
    base_run:   the run that is explained: the one with the median makespan of its side
    base_cores: cores in the scope; a core that ran nothing counts
    base_tasks: tasks that they ran
    """

    scope: str
    base_run: str
    new_run: str
    base_cores: int
    new_cores: int
    base_tasks: int
    new_tasks: int
    parts: list[Part]


@dataclass(frozen=True, slots=True)
class Note:
    """What a reader must know: a stable code and a sentence."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Side:
    """The runs of one side."""

    runs: list[Input]

    @property
    def core_counts(self) -> dict[str, int]:
        """Cores per engine, of the first run."""
        return self.runs[0].core_counts


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that `compare` says.

    is_comparable: both sides have the same core counts and subgraphs in common
    advice:        by the rules that look at both sides, where the new makespan is worse
    sections:      changes by bundle: pypto_run, pypto_stitch (added up), pypto_engine,
                   pypto_observed_path
    lang:          language of notes, advice and the reports on it: ``en`` or ``zh``
    """

    base: Side
    new: Side
    is_comparable: bool
    notes: list[Note]
    advice: list[Advice]
    makespan: Change
    explanations: list[Explanation]
    sections: dict[str, list[Change]]
    subgraphs: list[SubgraphChange]
    lang: str = "en"
