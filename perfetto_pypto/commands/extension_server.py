"""`pypto-perfetto extension-server`."""

from __future__ import annotations

from pathlib import Path

import click

from perfetto_pypto.options import no_dash


@click.command("extension-server")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path), callback=no_dash)
@click.option(
    "--url",
    metavar="WHERE",
    help="Where DIR will be hosted, for the share link: https://… or "
    "github:OWNER/REPO[@REF][:FOLDER].",
)
@click.option("--serve", is_flag=True, help="Serve it on 127.0.0.1:9001 until Ctrl-C.")
def extension_server(folder: Path, url: str | None, serve: bool) -> None:
    """Write an extension server for the Perfetto UI: macros and the SQL package.

    DIR holds static files for any https host that allows the UI's origin, or a GitHub repository.
    """
    from perfetto_pypto.ui import extension
    from perfetto_pypto.ui.server import UI_PORT, LocalServer

    link = extension.share_link(url) if url else None
    files = extension.write(folder)
    for file in files:
        click.echo(f"wrote {file}", err=True)
    if link:
        click.echo(link)
    if serve:
        server = LocalServer(extension.served(files, folder), UI_PORT)
        click.echo(extension.share_link(server.origin))
        click.echo(f"serving on {server.origin} until Ctrl-C", err=True)
        try:
            server.run(idle=None)
        except KeyboardInterrupt:
            click.echo("stopped", err=True)
    elif not link:
        click.echo("host these files, then give their place with --url for a share link", err=True)
