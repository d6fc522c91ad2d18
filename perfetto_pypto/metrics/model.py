"""Metric values and what a reader must know about the input they come from."""

from __future__ import annotations

from dataclasses import dataclass, field

#: A metric's value: whole numbers are ints; None where the input has no such data.
Value = int | float | None


@dataclass(frozen=True, slots=True)
class Metric:
    """One value.

    id:         ``<bundle>_<column>``; a metric of the user's may be its own bundle
    dimensions: e.g. ``{"core": "AIC_1", "engine": "AIC"}``
    unit:       ``TIME_NANOS``, ``COUNT``, ``ratio`` (0..1), or what the user's spec says
    polarity:   ``HIGHER_IS_BETTER``, ``LOWER_IS_BETTER`` or ``NOT_APPLICABLE``
    """

    id: str
    bundle: str
    dimensions: dict[str, str]
    value: Value
    unit: str
    polarity: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something dropped, moved, repaired or suspicious, with a count and up to three places."""

    code: str
    severity: str
    message: str
    count: int
    examples: list[str]


@dataclass(frozen=True, slots=True)
class Input:
    """Where the numbers come from: file, layout, clock, origin, and the core counts used."""

    name: str
    path: str
    format: str
    layout: str
    core_counts: dict[str, int]
    core_counts_from: str
    clock_hz: int
    clock_from: str
    origin_us: str
    small_task_ns: int


@dataclass(frozen=True, slots=True)
class LogFigure:
    """A figure of a core, from bubble_analysis.log to ours, in ns.

    printed:    by the log
    reproduced: by the log's rules on this input
    ours:       printed + the reasons, exactly
    reasons:    amounts that aren't 0, by the reason's name in `pypto_log_bridge`
    """

    printed: int
    reproduced: int
    ours: int
    reasons: dict[str, int]


@dataclass(frozen=True, slots=True)
class LogCore:
    """A core of the bubble_analysis.log beside the input.

    status:  ``reproduced`` where its own rules give its figures, else why not: `pypto_log_check`
    figures: by name: ``core_total_work``, ``total_wait``, ``wait_schedule``, ``wait_predecessor``;
             empty where only one of log and input has the core
    """

    core: str
    engine: str
    status: str
    figures: dict[str, LogFigure]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place that shows why advice is given.

    text:   one line for people
    at:     where it is, for `open --at`
    values: the numbers, as the rule's query gives them (times in ns)
    """

    text: str
    at: str
    values: dict[str, str | Value]


@dataclass(frozen=True, slots=True)
class Choice:
    """A knob of PyPTO and a line of code that turns it."""

    knob: str
    snippet: str


@dataclass(frozen=True, slots=True)
class Advice:
    """What to try next.

    rule:         id of the rule
    severity:     ``high``, ``medium`` or ``low``
    evidence:     up to three places, the gravest first
    alternatives: other knobs for the same symptom
    predicted_saved_ns: how much shorter the makespan may get; None where nothing predicts it
    gain:         on which condition that is predicted; may be empty
    bottleneck:   label in the summary for tools; may be empty
    source:       which guide the rule is from
    at:           where to look, for `open --at`: ``core=AIV_12``, ``12us..15us``, ``critical-path``
    """

    rule: str
    severity: str
    title: str
    text: str
    evidence: list[Evidence]
    knob: str
    snippet: str
    alternatives: list[Choice]
    predicted_saved_ns: int | None
    gain: str
    bottleneck: str
    source: str
    at: str


@dataclass(frozen=True, slots=True)
class Metrics:
    """The values of a run.

    summary: the same as Perfetto's TraceSummary message, serialised
    advice:  what to try next, the most promising first
    lang:    language of the texts in it and of reports on it: ``en`` or ``zh``
    log:     the bubble_analysis.log beside the input, core by core; empty without one
    """

    input: Input
    metrics: list[Metric]
    findings: list[Finding]
    summary: bytes = b""
    advice: list[Advice] = field(default_factory=list)
    lang: str = "en"
    log: list[LogCore] = field(default_factory=list)

    @property
    def bundles(self) -> list[str]:
        """Names of the bundles that have a row."""
        return list(dict.fromkeys(metric.bundle for metric in self.metrics))

    def rows(self, bundle: str) -> list[dict[str, str | Value]]:
        """Returns a bundle as rows, a dict each: dimensions and columns by name."""
        rows: list[dict[str, str | Value]] = []
        dimensions: dict[str, str] | None = None
        for metric in self.metrics:
            if metric.bundle != bundle:
                continue
            column = metric.id.removeprefix(f"{bundle}_")
            # Metrics come row by row; the user's rows may repeat their dimensions.
            if metric.dimensions != dimensions or column in rows[-1]:
                dimensions = metric.dimensions
                rows.append(dict(dimensions))
            rows[-1][column] = metric.value
        return rows
