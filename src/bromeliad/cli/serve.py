"""``bromeliad serve``."""

from typing import Any

import click

from bromeliad.cli.base import command, option
from bromeliad.errors import InputError
from bromeliad.i18n import tr


@command(
    "serve",
    help="""Serve the web page and the HTTP API, to this machine only unless you give --host.

Prints the address and opens it in a browser. Ctrl-C stops the service; unfinished jobs can be resumed after the next
start.""",
)
@option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen on; every other address needs --token."
)
@option("--port", type=click.IntRange(min=0), default=8765, show_default=True, help="Port; 0 for any free one.")
@option(
    "--token",
    envvar="BROMELIAD_TOKEN",
    help="Secret that clients must send as Authorization: Bearer TOKEN. Set it in the environment as BROMELIAD_TOKEN to"
    " keep it off the command line.",
)
@option("--no-open", is_flag=True, help="Do not open a browser.")
@option("--store", metavar="FILE|URL", help="Where to keep answers, hands and jobs.")
@option(
    "--cors",
    multiple=True,
    metavar="ORIGIN",
    help="Another site whose pages may use the API. May be given several times.",
)
@option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="A reverse proxy in front of the service that gives the clients' addresses in X-Forwarded-For. May"
    " be given several times.",
)
@option("--workers", type=click.IntRange(min=1), help="Jobs to run at once; one per core by default.")
@option("--max-time", type=float, default=60.0, show_default=True, help="Most seconds that a job may take.")
@option(
    "--max-jobs-per-address",
    "max_queue_of_address",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="Most jobs that may wait per address.",
)
@option("--max-memory", type=float, default=256.0, show_default=True, help="Most megabytes that a search may use.")
def serve(no_open: bool, workers: int | None, max_time: float, max_memory: float, **options: Any) -> None:
    """Serve the page and the API."""
    if options["port"] > 65535:
        raise InputError("--port must be at most 65535")
    if not 0.01 <= max_time <= 86400.0:
        raise InputError("--max-time must be from 0.01 to 86400 seconds")
    if not 1.0 <= max_memory <= 1e6:
        raise InputError("--max-memory must be from 1 to 1000000 megabytes")
    from bromeliad.service.settings import Settings

    if workers is not None:
        options["workers"] = workers
    settings = Settings(max_time=max_time, max_memory=max_memory, **options)
    from bromeliad.service.app import serve as run
    from bromeliad.service.pages import page_folder

    if page_folder() is None:
        click.echo(tr("the page is not built: run `make page`, then restart serve"), err=True)
    run(settings, click.echo, browse=not no_open)
