"""A gate's verdict for people: a line per check."""

from __future__ import annotations

from typing import TextIO

from rich.table import Table
from rich.text import Text

from perfetto_pypto.gate import Verdict
from perfetto_pypto.lang import words
from perfetto_pypto.report import check_story as story
from perfetto_pypto.report.console import console_on

_WIDTH = 80
_WORDS = {
    "pass": ("ok", "green"),
    "fail": ("FAIL", "bold red"),
    "not comparable": ("n/a", "yellow"),
}


def write_check_text(verdict: Verdict, file: TextIO) -> None:
    """Prints the verdict: failures first."""
    with console_on(file, width=_WIDTH) as console:
        t, title = words(verdict.lang), verdict.run
        if verdict.baseline:
            title = t("{run} against {baseline}", run=verdict.run, baseline=verdict.baseline)
        console.print(Text(title, style="bold"))
        table = Table(box=None, pad_edge=False, padding=(0, 1), show_header=False)
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for check in sorted(verdict.checks, key=lambda check: check.status == "pass"):
            word, style = _WORDS[check.status]
            text = f"{check.name}  {story.measured(verdict, check)}"
            table.add_row(Text(t(word), style=style), Text(text))
        console.print(table)
        console.print(Text(story.result(verdict), style="bold"))
