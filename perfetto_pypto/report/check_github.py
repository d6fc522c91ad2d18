"""A gate's verdict as workflow commands: GitHub shows them on the run and the pull request."""

from __future__ import annotations

from perfetto_pypto.gate import Verdict
from perfetto_pypto.report import check_story as story

_COMMANDS = {"fail": "error", "not comparable": "warning"}


def check_github(verdict: Verdict) -> str:
    """Returns an annotation per check that doesn't pass, and the result as a notice."""
    lines = [
        f"::{_COMMANDS[check.status]} title={_property(f'pypto-perfetto {verdict.run}')}::"
        + _data(f"{check.name}: {story.measured(verdict, check)}")
        for check in verdict.checks
        if check.status in _COMMANDS
    ]
    title = _property(f"pypto-perfetto {verdict.run}")
    lines.append(f"::notice title={title}::{_data(story.result(verdict))}")
    return "\n".join(lines) + "\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
