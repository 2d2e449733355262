"""The store in commands: answers through it, and continuing without it when it fails."""

from typing import TYPE_CHECKING

from bromeliad.cli.base import complain
from bromeliad.errors import StoreError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.core.budget import Cancel, OnProgress
    from bromeliad.solving.answer import Answer
    from bromeliad.solving.request import SolveRequest
    from bromeliad.storage.store import Store


def open_or_warn(place: str | None) -> "Store | None":
    """Open the store; if that fails, warn and return None."""
    from bromeliad.storage.store import open_store

    try:
        return open_store(place)
    except StoreError as error:
        warn(error)
        return None


def warn(problem: StoreError) -> None:
    """Print on standard error that the store cannot be used."""
    complain(tr("continuing without the store: {problem}", problem=problem.render(tr)))


class CachedSolver:
    """Solves through the store, which is opened for the first question that takes time.

    Parameters
    ----------
    place
        The store; None for the default one.
    use
        Whether to use it at all.
    deeper
        Solve again unless the stored answer is exact.
    """

    def __init__(self, place: str | None, *, use: bool, deeper: bool) -> None:
        self._place, self._use, self._deeper = place, use, deeper
        self._store: Store | None = None

    def solve(self, request: "SolveRequest", on_progress: "OnProgress | None", cancel: "Cancel") -> "Answer":
        """Return the stored answer, or make the kernels ready and solve."""
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
        """Return whether the store is usable; it is opened once, and not tried again after a failure."""
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
