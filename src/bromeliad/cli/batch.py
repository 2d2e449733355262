"""What commands of batch work share: where it is done and by how many, and going on where it was stopped."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import option
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.cli.progress import ProgressBar
    from bromeliad.cluster import Batch, Executor

_MANY = click.IntRange(min=1, max=10_000)
_where = option(
    "--cluster",
    metavar="local|auto|HOST:PORT",
    default="local",
    show_default=True,
    is_eager=True,
    help="Where to work: on this machine, on the Ray cluster that it belongs to, or on another one.",
)


def _one_here(context: click.Context, _: click.Parameter, workers: int | None) -> int | None:
    return 1 if workers is None and context.params["cluster"] == "local" else workers


_one = option(
    "--workers",
    type=_MANY,
    callback=_one_here,
    help="Processes that work at once; by default 1 here, one a core of a cluster.",
)
_all = option("--workers", type=_MANY, help="Processes that work at once; by default one a core.")


def batch_options(function: Any) -> Any:
    """Decorate a command with ``--cluster`` and ``--workers``, by default one here: small work is done soonest so."""
    return _where(_one(function))


def long_batch_options(function: Any) -> Any:
    """Decorate a command whose work is always long with ``--cluster`` and ``--workers``, by default one a core."""
    return _where(_all(function))


@contextmanager
def executor_for(cluster: str, workers: int | None, progress: "ProgressBar | None" = None) -> "Iterator[Executor]":
    """Open an executor; a progress bar shows how its workers start, else a line on standard error."""
    from bromeliad.cluster import open_executor

    with open_executor(cluster, workers, progress.starting if progress else _tell_start) as executor:
        yield executor


def _tell_start(ready: int, wanted: int) -> None:
    if ready == 0:
        click.echo(tr("starting {count} workers", count=wanted), err=True)


@contextmanager
def open_batch(
    command: str,
    provenance: Mapping[str, Any],
    cluster: str,
    workers: int | None,
    progress: "ProgressBar | None" = None,
) -> "Iterator[Batch]":
    """Give what a command's work is done with; what is finished is kept until all of it is.

    Parameters
    ----------
    provenance
        Everything that decides the results, so that only the same command goes on with them.
    """
    from bromeliad.cluster import Batch
    from bromeliad.cluster.checkpoint import find_run

    run = find_run(command, provenance)
    if len(run):
        text = tr("going on with an earlier run that was stopped: {count} parts are done", count=f"{len(run):,}")
        click.echo(f"bromeliad: {text}", err=True)
    with executor_for(cluster, workers, progress) as executor:
        yield Batch(executor, run)
    if progress is None or not progress.is_cancelled():
        run.delete()
