"""Time: how much a move deserves, when a search may stop early, and an alarm that ends it in time."""

import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from bromeliad.core.budget import OUT_OF_TIME, RUNNING, Cancel
from bromeliad.search.result import ActionStatistics

__all__ = ["TimeManager", "TimePlan", "alarm", "is_dominant", "is_settled"]


@contextmanager
def alarm(cancel: Cancel, seconds: float | None) -> Iterator[None]:
    """Stop the kernels when the time is over, even in the middle of a slice (None: no limit)."""
    if seconds is None:
        yield
        return

    def ring() -> None:
        if cancel.flag[0] == RUNNING:
            cancel.flag[0] = OUT_OF_TIME

    timer = threading.Timer(max(seconds, 0.0), ring)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        if cancel.flag[0] == OUT_OF_TIME:
            cancel.flag[0] = RUNNING


class TimePlan(NamedTuple):
    """What one move is given."""

    seconds: float
    simulations: int  # the least number before an early stop
    playout_depth: int  # for games that estimate unfinished positions
    candidates: int  # for games that score their actions
    playout_random: float


class TimeManager:
    """Divides the time for a move by the phase of the game and by how critical the position is.

    Parameters
    ----------
    seconds
        The most that one move may take.
    """

    PHASE_SHARES = (0.4, 0.6, 0.8)  # opening, middle, end
    CRITICAL_SHARE = 0.9
    MOST = 0.95  # of the time is ever used: the rest is for answering
    TIGHT = 0.05  # seconds below which a move is played in a hurry
    SIMULATIONS, CRITICAL_SIMULATIONS, TIGHT_SIMULATIONS = 200, 400, 50
    DEPTH, CRITICAL_DEPTH, TIGHT_DEPTH = 4, 6, 3
    CANDIDATES, CRITICAL_CANDIDATES = 12, 20
    RANDOM, CRITICAL_RANDOM = 0.15, 0.05  # 85 % and 95 % of playout moves are the heuristic's

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def plan(self, phase: int, critical: bool) -> TimePlan:
        """Return what a move deserves in phase 0 (opening), 1 (middle) or 2 (end)."""
        if self.seconds < self.TIGHT:
            share, simulations, depth = self.MOST, self.TIGHT_SIMULATIONS, self.TIGHT_DEPTH
        elif critical:
            share, simulations, depth = self.CRITICAL_SHARE, self.CRITICAL_SIMULATIONS, self.CRITICAL_DEPTH
        else:
            share, simulations, depth = self.PHASE_SHARES[phase], self.SIMULATIONS, self.DEPTH
        return TimePlan(
            seconds=self.seconds * min(share, self.MOST),
            simulations=simulations,
            playout_depth=depth,
            candidates=self.CRITICAL_CANDIDATES if critical else self.CANDIDATES,
            playout_random=self.CRITICAL_RANDOM if critical else self.RANDOM,
        )


def is_dominant(visits: Sequence[int], remaining: float, share: float) -> bool:
    """Say whether the most visited action holds more than ``share`` and cannot be overtaken any more.

    Baier & Winands, "Time management for Monte-Carlo tree search in Go", ACG 2011.
    """
    ordered = sorted(visits, reverse=True)
    runner_up = ordered[1] if len(ordered) > 1 else 0
    return ordered[0] > share * sum(ordered) and ordered[0] - runner_up > remaining


def is_settled(actions: Sequence[ActionStatistics], z: float, gain: float) -> bool:
    """Say whether choosing another action than the first could gain at most ``gain``, with ``z`` standard errors.

    Only actions with ten visits are compared, and the first needs a hundred: fewer say nothing about the spread.
    """
    first = actions[0]
    others = [item for item in actions[1:] if item.visits >= 10]
    if first.visits < 100 or not others:
        return False
    return all(item.mean - first.mean + z * math.hypot(first.error, item.error) <= gain for item in others)
