"""`pypto-perfetto convert`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from perfetto_pypto.options import cores_option, engine_option, output_path, small_task_option


@click.command()
@click.argument("source", metavar="INPUT")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="OUT.pftrace[.gz], or - for stdout.",
)
@click.option(
    "--flows",
    type=click.Choice(["auto", "all", "critical", "none"]),
    default="auto",
    help="Arrows to draw. auto: at most 500 a slice and direction; all: every one.",
)
@click.option("--facts-only", is_flag=True, help="Leave out bubbles, states, path and counters.")
@cores_option
@small_task_option
@engine_option
def convert(
    source: str,
    output: Path,
    flows: Any,
    facts_only: bool,
    cores: dict[str, int] | None,
    small_task_ns: int | None,
    engine: str | None,
) -> None:
    """Write the enriched Perfetto trace: open it in ui.perfetto.dev."""
    import perfetto_pypto as pp

    with output_path(output) as path:
        pp.convert(
            source,
            path,
            flows=flows,
            facts_only=facts_only,
            cores=cores,
            small_task_ns=small_task_ns,
            engine=engine,
        )
        size = path.stat().st_size
    click.echo(f"wrote {output} ({size:,} bytes)", err=True)
