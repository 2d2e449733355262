"""Time management: the time per move, early stops, and an alarm that ends a search."""

import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from bromeliad.core.budget import OUT_OF_TIME, RUNNING, Cancel
from bromeliad.search.result import ActionStatistics


@contextmanager
def alarm(cancel: Cancel, seconds: float | None) -> Iterator[None]:
    """Stop the kernels after ``seconds``, even in the middle of a slice (None: no limit)."""
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
    """The budget of one move."""

    seconds: float
    simulations: int  # minimum number before an early stop
    playout_depth: int  # for games that estimate unfinished positions
    candidates: int  # for games that score their actions
    playout_random: float


class TimeManager:
    """Decides how many of the ``seconds`` per move to use, by the game's phase and the position's criticality."""

    PHASE_SHARES = (0.4, 0.6, 0.8)  # opening, middle, end
    CRITICAL_SHARE = 0.9
    MOST = 0.95  # maximum share of the time: the rest is for answering
    TIGHT = 0.05  # seconds below which a move must be quick
    SIMULATIONS, CRITICAL_SIMULATIONS, TIGHT_SIMULATIONS = 200, 400, 50
    DEPTH, CRITICAL_DEPTH, TIGHT_DEPTH = 4, 6, 3
    CANDIDATES, CRITICAL_CANDIDATES = 12, 20
    RANDOM, CRITICAL_RANDOM = 0.15, 0.05  # the heuristic chooses 85 % and 95 % of playout moves

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def plan(self, phase: int, critical: bool) -> TimePlan:
        """Return the budget of a move in phase 0 (opening), 1 (middle) or 2 (end)."""
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
    """Return whether the most visited action has more than ``share`` of the visits and cannot be overtaken.

    Baier & Winands, "Time management for Monte-Carlo tree search in Go", ACG 2011.
    """
    ordered = sorted(visits, reverse=True)
    runner_up = ordered[1] if len(ordered) > 1 else 0
    return ordered[0] > share * sum(ordered) and ordered[0] - runner_up > remaining


def is_settled(actions: Sequence[ActionStatistics], z: float, gain: float) -> bool:
    """Return whether no other action can be better than the first by more than ``gain``, within ``z`` standard errors.

    Other actions need ten visits to be compared, the first needs a hundred: fewer do not show the spread.
    """
    first = actions[0]
    others = [item for item in actions[1:] if item.visits >= 10]
    if first.visits < 100 or not others:
        return False
    return all(item.mean - first.mean + z * math.hypot(first.error, item.error) <= gain for item in others)
