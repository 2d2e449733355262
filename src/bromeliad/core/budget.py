"""What every longer piece of work shares: what it may cost, how it says how far it is, and how it is ended."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["CANCELLED", "OUT_OF_TIME", "RUNNING", "Budget", "Cancel", "OnProgress", "Progress"]

RUNNING, CANCELLED, OUT_OF_TIME = 0, 1, 2
"""What the flag of a :class:`Cancel` says to kernels."""


class Budget(NamedTuple):
    """What one answer may cost: seconds, or simulations (then the answer is the same each time)."""

    seconds: float | None = None
    simulations: int | None = None

    def part(self, share: float) -> "Budget":
        """Return a share of it."""
        return Budget(
            None if self.seconds is None else share * self.seconds,
            None if self.simulations is None else max(round(share * self.simulations), 1),
        )

    def within(self, whole: "Budget", spent: float) -> "Budget":
        """Return it with no more seconds than are left of the whole, after ``spent`` of them: never fewer than none."""
        if self.seconds is None or whole.seconds is None:
            return self
        return self._replace(seconds=max(min(self.seconds, whole.seconds - spent), 0.0))


class Cancel:
    """A handle by which anybody can end some work, from any thread: it answers with the best so far.

    Kernels look at ``flag`` before each simulation; Python code calls the handle.

    Parameters
    ----------
    ask
        Says whether somebody wants the work to end, for those who cannot call :meth:`cancel` themselves.
    """

    def __init__(self, ask: Callable[[], bool] = lambda: False) -> None:
        self.flag: NDArray[np.int64] = np.zeros(1, np.int64)
        self._ask = ask

    def cancel(self) -> None:
        """End the work now."""
        self.flag[0] = CANCELLED

    @property
    def cancelled(self) -> bool:
        """Whether somebody cancelled."""
        if int(self.flag[0]) != CANCELLED and self._ask():
            self.cancel()
        return int(self.flag[0]) == CANCELLED

    def __call__(self) -> bool:
        """Say whether somebody cancelled."""
        return self.cancelled

    def within(self, seconds: float | None) -> "Cancel":
        """Return a handle for a part of the work: it ends with this one, or after so many seconds (None: no limit)."""
        if seconds is None:
            return self
        deadline = time.perf_counter() + seconds
        return Cancel(lambda: self.cancelled or time.perf_counter() > deadline)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far some work is.

    ``actions`` are the best so far, best first: statistics of actions from the search itself, entries of the answer to
    come from a solver.
    """

    fraction: float  # of the work, from 0 to 1
    actions: tuple[Any, ...] = ()
    simulations: int = 0
    seconds: float = 0.0
    confidence: float = 0.0  # that the first action is the best

    @property
    def simulations_per_second(self) -> float:
        """The speed so far."""
        return self.simulations / max(self.seconds, 1e-9)


OnProgress = Callable[[Progress], None]
"""Told how far the work is, from the thread that asked for it."""
