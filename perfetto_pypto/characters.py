"""What is shown in place of a character that the output's encoding lacks."""

from __future__ import annotations

import codecs

#: Best first, the last is ASCII. GBK lacks µ, ▒ and ░. The parts of a bar stay different.
_STAND_INS = {
    "µ": ("μ", "u"),  # GBK has the Greek letter
    "█": ("#",),
    "▓": ("=",),
    "▒": ("-",),
    "░": (":",),
    "·": (".",),
    "×": ("x",),
    "–": ("-",),
    "→": ("->",),
    "…": ("...",),
}


def _shown(error: UnicodeError) -> tuple[str, int]:
    """Answers a codec: text for what it can't encode, and where it goes on."""
    assert isinstance(error, UnicodeEncodeError)
    missing = error.object[error.start : error.end]
    return "".join(_stand_in(one, error.encoding) for one in missing), error.end


def _stand_in(character: str, encoding: str) -> str:
    choices = _STAND_INS.get(character, ("?",))
    return next(one for one in choices if one.encode(encoding, "ignore"))


#: The name of this way to treat errors, for ``errors=`` of a stream.
STAND_IN = "pypto-perfetto.stand-in"
codecs.register_error(STAND_IN, _shown)
