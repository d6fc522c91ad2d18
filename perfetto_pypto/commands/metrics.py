"""`pypto-perfetto metrics`."""

from __future__ import annotations

from pathlib import Path

import click

from perfetto_pypto.options import cores_option, engine_option, output_file, small_task_option


@click.command()
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file.")
@cores_option
@small_task_option
@engine_option
def metrics(
    inputs: tuple[str, ...],
    form: str,
    output: Path | None,
    cores: dict[str, int] | None,
    small_task_ns: int | None,
    engine: str | None,
) -> None:
    """Print where the time went: cores, waits, subgraphs, critical path.

    With several INPUTs, json prints an array.
    """
    import perfetto_pypto as pp

    results = [
        pp.compute_metrics(source, cores=cores, small_task_ns=small_task_ns, engine=engine)
        for source in inputs
    ]
    with output_file(output) as file:
        if form == "json":
            from perfetto_pypto.report.json import dumps, to_json

            values = [to_json(result) for result in results]
            file.write(dumps(values if len(values) > 1 else values[0]) + "\n")
        else:
            from perfetto_pypto.report.table import write_table

            for place, result in enumerate(results):
                if place:
                    file.write("\n")
                write_table(result, file)
