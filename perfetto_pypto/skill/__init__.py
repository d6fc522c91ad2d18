"""The tuning loop for coding assistants: SKILL.md, beside this file."""

from __future__ import annotations

from pathlib import Path


def skill_text() -> str:
    """Returns the document: Markdown with a front matter of name and description."""
    return Path(__file__).with_name("SKILL.md").read_text(encoding="utf-8")
