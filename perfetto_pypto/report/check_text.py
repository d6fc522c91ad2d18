"""A gate's verdict for people: a line per check."""

from __future__ import annotations

from typing import TextIO

from rich.table import Table
from rich.text import Text

from perfetto_pypto.gate import Verdict
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
        against = f" against {verdict.baseline}" if verdict.baseline else ""
        console.print(Text(f"{verdict.run}{against}", style="bold"))
        table = Table(box=None, pad_edge=False, padding=(0, 1), show_header=False)
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for check in sorted(verdict.checks, key=lambda check: check.status == "pass"):
            word, style = _WORDS[check.status]
            words = f"{check.name}  {story.measured(check, verdict.tolerance)}"
            table.add_row(Text(word, style=style), words)
        console.print(table)
        console.print(Text(story.result(verdict), style="bold"))
