"""What commands do with the store: its options, answers by way of it, and going on without it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import one_line, option
from bromeliad.errors import StoreError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.core.budget import Cancel, OnProgress
    from bromeliad.solving.answer import Answer
    from bromeliad.solving.request import SolveRequest
    from bromeliad.storage.store import Store


def store_option(help: str) -> Callable[[Any], Any]:
    """Decorate a command with ``--store``."""
    return option("--store", metavar="PATH|URL", help=help)


def no_store_option(help: str) -> Callable[[Any], Any]:
    """Decorate a command with ``--no-store``."""
    return option("--no-store", is_flag=True, help=help)


def open_or_warn(place: str | None) -> "Store | None":
    """Open the store, or say on standard error that there is none and why."""
    from bromeliad.storage.store import open_store

    try:
        return open_store(place)
    except StoreError as error:
        warn(error)
        return None


def warn(problem: StoreError) -> None:
    """Say on standard error that the store is of no use."""
    text = tr("going on without the store: {problem}", problem=problem.render(tr))
    click.echo(f"bromeliad: {one_line(text)}", err=True)


class Library:
    """Answers questions by way of the store, which is opened with the first question that is worth it.

    Parameters
    ----------
    place
        The store; None for the default one.
    use
        Whether to use it at all.
    deeper
        Solve again what is not known exactly.
    """

    def __init__(self, place: str | None, *, use: bool, deeper: bool) -> None:
        self._place, self._use, self._deeper = place, use, deeper
        self._store: Store | None = None

    def solve(self, request: "SolveRequest", on_progress: "OnProgress | None", cancel: "Cancel") -> "Answer":
        """Return the stored answer, or solve, the kernels made ready first."""
        from bromeliad.cli.compile_notice import prepare
        from bromeliad.solving.plan import plan
        from bromeliad.solving.solve import solve

        planned = plan(request.without_book() if self._deeper else request)
        if not self._use or planned.is_immediate or not self._is_open():
            prepare(planned.kernels)
            return solve(planned, on_progress, cancel)
        from bromeliad.storage.cached import solve_stored

        return solve_stored(
            planned,
            self._store,  # type: ignore[arg-type]
            on_progress,
            cancel,
            deeper=self._deeper,
            before_solving=lambda: prepare(planned.kernels),
            on_problem=self._give_up,
        )

    def _is_open(self) -> bool:
        """Say whether there is a store, opening it the first time; one that fails is not tried again."""
        if self._store is None:
            self._store = open_or_warn(self._place)
            self._use = self._store is not None
        return self._use

    def _give_up(self, problem: StoreError) -> None:
        if self._use:
            warn(problem)
        self._use = False

    def close(self) -> None:
        """Close the store."""
        if self._store is not None:
            self._store.close()
