"""Commands that do a batch of work: where it is done, and going on with it where it was stopped."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import option
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.cli.watch import Watch
    from bromeliad.cluster import Batch

__all__ = ["batch_options", "open_batch"]

_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    option(
        "--cluster",
        metavar="local|auto|HOST:PORT",
        default="local",
        show_default=True,
        help="Where to work: this machine, the Ray cluster that it belongs to, or another one.",
    ),
    option(
        "--workers",
        type=click.IntRange(min=1),
        help="How many processes work at once; by default one a core for bench, book and on a cluster, else 1.",
    ),
)


def batch_options(function: Any) -> Any:
    """Decorate a command with ``--cluster`` and ``--workers``."""
    for decorate in reversed(_OPTIONS):
        function = decorate(function)
    return function


@contextmanager
def open_batch(
    command: str,
    provenance: Mapping[str, Any],
    cluster: str,
    workers: int | None,
    watch: "Watch | None" = None,
) -> "Iterator[Batch]":
    """Give what the command's work is done with; what is finished is kept until all of it is.

    Parameters
    ----------
    provenance
        Everything that decides the results, so that only the same command goes on with them.
    watch
        Shows the start of the workers; without one a line on standard error tells of it.
    """
    from bromeliad.cluster import Batch, open_executor
    from bromeliad.cluster.runs import find_run

    run = find_run(command, provenance)
    if len(run):
        text = tr("going on with an earlier run that was stopped: {count} parts are done", count=f"{len(run):,}")
        click.echo(f"bromeliad: {text}", err=True)
    starting = watch.starting if watch else _tell_start
    with open_executor(cluster, workers or (1 if cluster == "local" else None), starting) as executor:
        yield Batch(executor, run)
    if watch is None or not watch.is_cancelled():
        run.delete()


def _tell_start(ready: int, wanted: int) -> None:
    if ready == 0:
        click.echo(tr("starting {count} workers", count=wanted), err=True)
