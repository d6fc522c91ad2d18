"""bubble_analysis.log beside a run: what PyPTO's own script printed of each core.

It only ever adds to a run: a damaged log is a finding, never an error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.model import LogCore, Swimlane
from perfetto_pypto.swimlane.opening import Opened

_HEAD = re.compile(r"\[(?P<lane>.+)\] Execute task num:(?P<count>\d{1,9})(?!\d)")
_FIGURES = {
    "Core Total Work Time": "core_total_work",
    "Total Wait Time": "total_wait",
    "Wait Schedule Time": "wait_schedule",
    "Wait Predecessor Time": "wait_predecessor",
}
_FIGURE = re.compile(rf"\s+(?P<name>{'|'.join(_FIGURES)}):\s*(?P<value>.*\S)?\s*")
_CORE = re.compile(r"(?:AIC|AIV|AICORE)_\d+")
#: Beyond this no run is read either; in ns it fits 64 bits.
_MOST_US = 1e15


def attach(run: Swimlane, file: Path | None) -> Swimlane:
    """Returns the run with what the log at ``file`` prints of its cores, if there is a log."""
    if file is None:
        return run
    try:
        with Opened(str(file), file.name, file).stream() as stream:
            text = stream.read().decode("utf-8", errors="replace")
    except InputError as error:
        return _with_damage(run, [error.problem])
    cores, problems = parse(text)
    return _with_damage(replace(run, log=cores), problems)


def parse(text: str) -> tuple[list[LogCore], list[str]]:
    """Reads a log.

    Returns:
        The AI cores whose four figures are there, and what is wrong with the text, in words.
    """
    cores: dict[str, LogCore] = {}
    problems: list[str] = []
    blocks = list(_blocks(text))
    for block in blocks:
        problem = block.problem or ("stands there twice" if block.lane in cores else "")
        if problem:
            problems.append(f"line {block.line}: [{block.lane}] {problem}")
        elif _CORE.fullmatch(block.lane):
            cores[block.lane] = LogCore(block.lane, block.task_count, **block.figures)
    return list(cores.values()), problems if blocks else ["no core in it"]


@dataclass(slots=True)
class _Block:
    """What stands below one head line; ``line`` is the head's, from 1."""

    lane: str
    line: int
    task_count: int
    figures: dict[str, int] = field(default_factory=dict)
    wrong: str = ""

    @property
    def problem(self) -> str:
        missing = [name for name, column in _FIGURES.items() if column not in self.figures]
        return self.wrong or (f"has no {missing[0]}" if missing else "")

    def add(self, name: str, value: str) -> None:
        """Takes a figure in µs: ``2.3e-13`` and ``-4.35`` are numbers of PyPTO's, too."""
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if abs(number) <= _MOST_US:
            self.figures[_FIGURES[name]] = round(number * 1000)
        else:
            self.wrong = self.wrong or f"has no possible {name}: {value[:40]!r}"


def _blocks(text: str) -> Iterator[_Block]:
    block = None
    for number, line in enumerate(text.splitlines(), start=1):
        if head := _HEAD.match(line):
            if block:
                yield block
            block = _Block(head["lane"], number, int(head["count"]))
        elif block and (found := _FIGURE.fullmatch(line)):
            block.add(found["name"], found["value"] or "")
    if block:
        yield block


def _with_damage(run: Swimlane, problems: list[str]) -> Swimlane:
    findings = Findings()
    findings.add("damaged-log", len(problems), problems)
    return replace(run, findings=[*findings.all(), *run.findings])
