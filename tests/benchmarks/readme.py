"""The sections of this folder's README, each written by its own benchmark."""

from __future__ import annotations

from pathlib import Path

README = Path(__file__).with_name("README.md")


def write_section(name: str, text: str) -> None:
    """Replaces what stands between ``<!-- name -->`` and ``<!-- /name -->``."""
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
    before, _, rest = README.read_text(encoding="utf-8").partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{README}: has no section {name}")
    README.write_text(f"{before}{begin}\n{text}\n\n{end}{after}", encoding="utf-8")
