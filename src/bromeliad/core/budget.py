"""Budget, progress and cancellation of long-running work."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

RUNNING, CANCELLED, OUT_OF_TIME = 0, 1, 2
"""Values of :attr:`Cancel.flag`, which kernels read."""


class Budget(NamedTuple):
    """The limit of one answer: seconds, or simulations (the answer is then reproducible)."""

    seconds: float | None = None
    simulations: int | None = None

    def part(self, share: float) -> "Budget":
        """Return a share of this budget."""
        return Budget(
            None if self.seconds is None else share * self.seconds,
            None if self.simulations is None else max(round(share * self.simulations), 1),
        )

    def within(self, whole: "Budget", spent: float) -> "Budget":
        """Return this budget, limited to the seconds left of ``whole`` after ``spent`` (at least 0)."""
        if self.seconds is None or whole.seconds is None:
            return self
        return self._replace(seconds=max(min(self.seconds, whole.seconds - spent), 0.0))


class Cancel:
    """A handle that ends running work from any thread; the work then returns its best answer so far.

    Kernels read ``flag`` before each simulation; Python code calls the handle. ``ask`` is an alternative to
    :meth:`cancel`: it is polled, and returns whether the work should end.
    """

    def __init__(self, ask: Callable[[], bool] = lambda: False) -> None:
        self.flag: NDArray[np.int64] = np.zeros(1, np.int64)
        self._ask = ask

    def cancel(self) -> None:
        """End the work now."""
        self.flag[0] = CANCELLED

    @property
    def cancelled(self) -> bool:
        """Whether the work was cancelled."""
        if int(self.flag[0]) != CANCELLED and self._ask():
            self.cancel()
        return int(self.flag[0]) == CANCELLED

    def __call__(self) -> bool:
        """Return whether the work was cancelled."""
        return self.cancelled

    def within(self, seconds: float | None) -> "Cancel":
        """Return a handle for a part of the work, which ends with this one or after ``seconds`` (None: no limit)."""
        if seconds is None:
            return self
        deadline = time.perf_counter() + seconds
        return Cancel(lambda: self.cancelled or time.perf_counter() > deadline)


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of running work.

    ``actions`` are the best so far, best first: :class:`~bromeliad.search.ActionStatistics` from the search, entries of
    the answer from a solver.
    """

    fraction: float  # share of the work that is done, from 0 to 1
    actions: tuple[Any, ...] = ()
    simulations: int = 0
    seconds: float = 0.0
    confidence: float = 0.0  # probability that the first action is the best

    @property
    def simulations_per_second(self) -> float:
        """The mean speed so far."""
        return self.simulations / max(self.seconds, 1e-9)


OnProgress = Callable[[Progress], None]
"""Receives progress, in the thread that started the work."""
