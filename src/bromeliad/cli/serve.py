"""``bromeliad serve``."""

import click

from bromeliad.cli.base import command, option
from bromeliad.errors import InputError
from bromeliad.i18n import tr


@command(
    "serve",
    help="""Serve the page and the HTTP API, on this machine only unless --host says otherwise.

Prints the address, and opens it in a browser. Ctrl-C ends it; unfinished jobs can be resumed after the next start.""",
)
@option("--host", default="127.0.0.1", show_default=True, help="Address to listen at; another than this needs --token.")
@option("--port", type=click.IntRange(min=0), default=8765, show_default=True, help="Port; 0 for any that is free.")
@option(
    "--token",
    envvar="BROMELIAD_TOKEN",
    help="What clients must know: they send it as Authorization: Bearer TOKEN. "
    "BROMELIAD_TOKEN in the environment says it unseen.",
)
@option("--no-open", is_flag=True, help="Do not open a browser.")
@option("--store", metavar="FILE|URL", help="Where answers, hands and jobs are kept.")
@option("--cors", multiple=True, metavar="ORIGIN", help="A site whose pages may ask. May be given several times.")
@option("--workers", type=click.IntRange(min=1), help="Jobs at once; as many as cores by default.")
@option("--max-time", type=float, default=60.0, show_default=True, help="Seconds that a job may take.")
@option("--max-memory", type=float, default=256.0, show_default=True, help="Megabytes that a search may fill.")
def serve(
    host: str,
    port: int,
    token: str | None,
    no_open: bool,
    store: str | None,
    cors: tuple[str, ...],
    workers: int | None,
    max_time: float,
    max_memory: float,
) -> None:
    """Serve the page and the API."""
    if port > 65535:
        raise InputError("--port is at most 65535")
    if not 0.01 <= max_time <= 86400.0:
        raise InputError("--max-time must be from 0.01 to 86400 seconds")
    if not 1.0 <= max_memory <= 1e6:
        raise InputError("--max-memory must be from 1 to 1000000 megabytes")
    from bromeliad.service.settings import Settings

    limits = {} if workers is None else {"workers": workers}
    settings = Settings(
        host=host, port=port, token=token, cors=cors, store=store, max_time=max_time, max_memory=max_memory, **limits
    )
    from bromeliad.service.app import serve as run
    from bromeliad.service.pages import page_folder

    if page_folder() is None:
        click.echo(tr("the page is not built: run `make page`, then start serve again"), err=True)
    run(settings, lambda address: click.echo(address), browse=not no_open)
