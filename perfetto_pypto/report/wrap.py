"""Lines of a width in cells: Chinese breaks between any two characters, other text at spaces."""

from __future__ import annotations

import re

from rich.cells import cell_len

_WIDE = r"\u2e80-\u9fff\uff00-\uffef"
# A wide character takes closing signs along, an opening one takes what follows.
_PIECE = re.compile(
    rf"\s+|[（「]*(?:[{_WIDE}](?<![（「])|[^\s{_WIDE}\u3000-\u303f]+)?[，。；：、）」]*|."
)


def wrap(text: str, width: int) -> list[str]:
    """Wraps a text; a longer word stays whole on its own line."""
    lines = [""]
    for piece in filter(None, _PIECE.findall(text)):
        if lines[-1] and cell_len(lines[-1] + piece.rstrip()) > width:
            lines[-1] = lines[-1].rstrip()
            lines.append(piece.lstrip())
        else:
            lines[-1] += piece
    return [line for line in lines if line]
