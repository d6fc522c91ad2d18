"""`pypto-perfetto doctor`."""

from __future__ import annotations

import sys

import click

from perfetto_pypto.options import engine_option


@click.command()
@engine_option
def doctor(engine: str | None) -> None:
    """Say which engine runs, which versions are there, and what is missing."""
    from perfetto_pypto.doctor import examine

    report, healthy = examine(engine)
    click.echo(report)
    if not healthy:
        sys.exit(2)
