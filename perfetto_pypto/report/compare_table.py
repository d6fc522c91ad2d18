"""A comparison for a terminal, or as plain lines of 80 columns."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from perfetto_pypto.compare import Comparison
from perfetto_pypto.report import compare_story as story
from perfetto_pypto.report.console import console_on
from perfetto_pypto.report.wrap import wrap

_WIDTH = 80
_STYLES = {"better": "green", "worse": "red"}


def write_compare_table(comparison: Comparison, file: TextIO) -> None:
    """Prints the comparison."""
    with console_on(file, width=_WIDTH) as console:
        console.print(Text(story.title(comparison), style="bold"))
        console.print(story.basis_line(comparison))
        for note in comparison.notes:
            for line in wrap(f"{note.code}: {note.message}", console.width):
                console.print(Text(line, style="yellow"))
        style = _STYLES.get(comparison.makespan.verdict, "")
        console.print()
        console.print(Text(story.makespan_line(comparison), style=f"bold {style}".strip()))
        for line in story.runs_lines(comparison):
            console.print(f"  {line}")
        for advice in comparison.advice:
            console.print(Text(f"\n{advice.title} ({advice.rule})", style="bold yellow"))
            for line in wrap(advice.text, console.width - 2):
                console.print(Text(f"  {line}"))
            console.print(Padding(Text(advice.snippet, overflow="fold"), (0, 0, 0, 2)))
        for block in story.blocks(comparison):
            _print(console, block)


def _print(console: Console, block: story.Block) -> None:
    console.print(Text(f"\n{block.title}", style="bold"))
    table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="dim")
    for place, head in enumerate(block.heads):
        is_text = place < block.left or not head
        table.add_column(head, justify="left" if is_text else "right", no_wrap=True)
    for row, verdict in zip(block.rows, block.verdicts, strict=True):
        *cells, last = row
        table.add_row(*cells, Text(last, style=_STYLES.get(verdict, "")))
    # Off a terminal a row stays whole, however wide.
    usual = console.width
    if not console.is_terminal:
        console.width = max(usual, Console(width=1_000_000).measure(table).maximum)
    if block.rows:
        console.print(table)
    console.width = usual
    for remark in block.remarks:
        for line in wrap(remark, console.width - 2):
            console.print(Text(f"  {line}"))
