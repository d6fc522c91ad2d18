"""`pypto-perfetto skill`."""

from __future__ import annotations

import click


@click.command()
def skill() -> None:
    """Print a SKILL.md that teaches a coding assistant the tuning loop."""
    from perfetto_pypto.skill import skill_text

    click.echo(skill_text(), nl=False)
