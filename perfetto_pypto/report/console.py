"""A console for a stream: colours and the terminal's width on a terminal, plain lines elsewhere."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console


@contextmanager
def console_on(file: TextIO, *, width: int) -> Iterator[Console]:
    """Yields a console; what isn't a terminal gets ``width`` columns, no colour and no padding."""
    console = Console(file=file, highlight=False)
    if console.is_terminal:
        yield console
        return
    buffer = io.StringIO()
    yield Console(file=buffer, highlight=False, width=width, color_system=None)
    file.writelines(f"{line.rstrip()}\n" for line in buffer.getvalue().splitlines())
