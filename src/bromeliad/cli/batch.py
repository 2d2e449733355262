"""What commands of batch work share: where it is done, by how many, and how its workers start."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import option
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.cluster import Executor

__all__ = ["batch_options", "executor_for"]


def batch_options(function: Any) -> Any:
    """Decorate a command with ``--cluster`` and ``--workers``."""
    where = option(
        "--cluster",
        default="local",
        show_default=True,
        metavar="local|auto|ADDRESS",
        help="Where the work is done: on this machine, on the Ray cluster that it belongs to, or on one by address.",
    )
    many = option(
        "--workers", type=click.IntRange(min=1, max=10_000), help="Items to do at once; by default one a core."
    )
    return where(many(function))


@contextmanager
def executor_for(cluster: str, workers: int | None) -> "Iterator[Executor]":
    """Open an executor whose start is told on standard error if it takes workers of their own."""
    from bromeliad.cluster import open_executor

    def started(ready: int, wanted: int) -> None:
        click.echo(tr("{ready} of {wanted} workers are ready", ready=ready, wanted=wanted), err=True)

    with open_executor(cluster, workers, started) as executor:
        yield executor
