"""Batch work in commands: where it runs, with how many processes, and how an interrupted run is resumed."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import complain, option
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.cli.progress import ProgressBar
    from bromeliad.cluster import Batch

_MANY = click.IntRange(min=1, max=10_000)
_where = option(
    "--cluster",
    metavar="local|auto|HOST:PORT",
    default="local",
    show_default=True,
    is_eager=True,
    help="Where to run: on this machine, on the Ray cluster that it belongs to, or on another one.",
)


def _one_here(context: click.Context, _: click.Parameter, workers: int | None) -> int | None:
    return 1 if workers is None and context.params["cluster"] == "local" else workers


_one = option(
    "--workers",
    type=_MANY,
    callback=_one_here,
    help="Worker processes; by default 1 on this machine, one per core of a cluster.",
)
_all = option("--workers", type=_MANY, help="Worker processes; one per core by default.")


def batch_options(function: Any) -> Any:
    """Decorate a command with ``--cluster`` and ``--workers``; by default one local worker, quickest for small work."""
    return _where(_one(function))


def long_batch_options(function: Any) -> Any:
    """Decorate a long-running command with ``--cluster`` and ``--workers``; by default one worker per core."""
    return _where(_all(function))


def _announce_start(ready: int, wanted: int) -> None:
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
    """Yield the batch that runs a command's work; finished parts are kept until all are done.

    Parameters
    ----------
    provenance
        Everything that determines the results: only a command with the same provenance resumes the run.
    """
    from bromeliad.cluster import Batch, open_executor
    from bromeliad.cluster.checkpoint import find_run

    run = find_run(command, provenance)
    if len(run):
        complain(tr("resuming an interrupted run: {count} parts are done", count=f"{len(run):,}"))
    with open_executor(cluster, workers, progress.starting if progress else _announce_start) as executor:
        yield Batch(executor, run)
    if progress is None or not progress.cancel.cancelled:
        run.delete()
