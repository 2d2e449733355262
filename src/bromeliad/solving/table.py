"""The search of spots against opponents who are still playing: all sides play the hand out from one deck.

The placements go through sequential halving with common random numbers, as in :mod:`bromeliad.search.halving`. The
choice and the EVs are means of playouts, shrunk step by step towards the learned values. The parts of an EV come from
the same playouts.
"""

import math
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.budget import Cancel, OnProgress, Progress
from bromeliad.core.game import clone
from bromeliad.games.ofc.exact.settlement import POINTS, Part, move_points, square_surprise
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.opponents.playouts import (
    count_steps,
    hidden_bank,
    placements,
    play_out,
    seat_spot,
    value_placements,
    with_habits,
)
from bromeliad.games.ofc.search_spot import default_params
from bromeliad.search.halving import Halving
from bromeliad.search.loop import is_halving_settled
from bromeliad.solving.answer import ActionAnswer
from bromeliad.solving.entries import ENOUGH, stated_error
from bromeliad.solving.entry import entry, in_order, settled_entry
from bromeliad.solving.plan import Plan

SHRINKAGE = (7.0,), (8.0, 64.0), (11.0, 24.0, 300.0), (8.0, 40.0, 90.0, 400.0)
"""How many playouts an expected step counts for: [my streets between this one and the last][step].

Measured on 60 decisions per street: the variance of a step's differences between placements, divided by the squared
error of what was expected of them."""

_LEAST = 8  # fewest placements in the first round
_SHARE = 0.08  # placements in the first round per square root of the number of playouts
_SPEED = 25_000  # nominal playouts per second and thread; only the first round depends on it
_SLICE = 0.03  # seconds between two checks of the clock
_CHECK = 512  # fewest playouts before an early stop
_BETWEEN = 0.1  # seconds between two progress reports
_BOARDS_SHARE = 0.3  # of the time, for sampling boards of opponents in fantasyland
_PLAYOUTS_PER_BOARD = 15  # one board is sampled for this many playouts
_FEWEST_BOARDS, _MOST_BOARDS = 8, 20_000


class TableSearch:
    """The search of one spot: :meth:`run` searches, :meth:`entries` returns the results so far."""

    def __init__(self, plan: Plan) -> None:
        request, self._plan, self._start = plan.request, plan, time.perf_counter()
        root = seat_spot(plan.spot, request.seed, _bank_size(plan), inferred=request.discards == "inferred")
        codes = placements(root)
        guesses = np.zeros(codes.size)
        value_placements(root, codes, guesses)
        order = np.argsort(-guesses, kind="stable")
        self.codes, self.guesses = codes[order], guesses[order]
        self._table = root.v.copy()
        self._seats = [clone(root) for _ in range(plan.threads)]
        self._theirs = [with_habits(seats, plan.spot.rules, plan.habits) for seats in self._seats]
        seconds, limit = plan.budget.seconds, plan.budget.simulations
        expected = limit if limit is not None else (seconds or 0.0) * plan.threads * _SPEED
        first = max(_LEAST, round(_SHARE * math.sqrt(expected)))
        self._steps = count_steps(root)
        self.halving = Halving(codes.size, self.guesses, SHRINKAGE[self._steps - 1], limit, first, Part.SIZE)
        self._boards = _SharedBoards(len(root.bank), codes.size)
        self.simulations = 0

    def run(self, on_progress: OnProgress | None, cancel: Cancel) -> str:
        """Search until the budget is spent or more search would gain nothing; return the reason for stopping."""
        start, reported = self._start, 0.0
        seconds, halving, sweeps = self._plan.budget.seconds, self.halving, 1
        with ThreadPoolExecutor(len(self._seats)) as pool:
            while True:
                began = time.perf_counter()
                steps, parts = self._sweep(min(sweeps, halving.sweeps_left), pool)
                halving.absorb(steps, parts)
                self.simulations += steps[:, :, 0].size
                now = time.perf_counter()
                sweeps = max(1, min(4 * sweeps, int(sweeps * _SLICE / max(now - began, 1e-6))))
                elapsed = now - start
                if cancel():
                    return "cancelled"
                if seconds is not None and elapsed >= seconds:
                    return "time"
                if self._is_round_over(elapsed):
                    if halving.is_last and seconds is None:
                        return "simulations"
                    if self._is_settled():
                        return "settled"
                    if not halving.is_last:
                        halving.end_round()
                if on_progress is not None and elapsed - reported > _BETWEEN:
                    reported = elapsed
                    done = elapsed / seconds if seconds else self.simulations / (self._plan.budget.simulations or 1)
                    on_progress(Progress(min(done, 1.0), self.entries(), self.simulations, elapsed, halving.confidence))

    def _sweep(self, sweeps: int, pool: ThreadPoolExecutor) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Play every remaining placement once per sweep; the threads share the sweeps."""
        alive, first = self.halving.alive, int(self.halving.count[self.halving.alive[0]])
        steps = np.zeros((sweeps, alive.size, self._steps))
        parts = np.zeros((sweeps, alive.size, Part.SIZE))
        bounds = np.linspace(0, sweeps, len(self._seats) + 1).astype(int)
        seed, codes = self._plan.request.seed, self.codes[alive]

        def play(i: int) -> None:
            low, high = bounds[i], bounds[i + 1]
            if high > low:
                seats, theirs = self._seats[i], self._theirs[i]
                play_out(self._table, seats, theirs, codes, seed, first + low, steps[low:high], parts[low:high])

        list(pool.map(play, range(len(self._seats))))
        self._boards.absorb(first, alive, steps.sum(axis=2))
        return steps, parts

    def _is_round_over(self, elapsed: float) -> bool:
        halving, seconds = self.halving, self._plan.budget.seconds
        if seconds is not None:
            return elapsed >= seconds * (halving.round + 1) / halving.rounds
        return halving.sweeps_left <= 0

    def _is_settled(self) -> bool:
        if not self._plan.request.early_stop or self.simulations < _CHECK:
            return False
        return is_halving_settled(self.halving, default_params())

    def entries(self) -> tuple[ActionAnswer, ...]:
        """Return all placements, best first; placements that are not ranked have no EV and come last."""
        halving, spot = self.halving, self._plan.spot
        order, count = halving.order(), halving.count
        parts, errors = self._parts()
        best, values = order[0], parts[:, :POINTS].sum(axis=1)
        played = halving.error
        error, loss_error = self._boards.widened(played, halving.loss_error, best)
        surprise = np.sqrt(square_surprise(self._seats[0].tables, count))  # equal playouts have an error, too
        error, loss_error = np.hypot(error, surprise), np.hypot(loss_error, surprise)
        loss_error[best] = 0.0
        known = np.isfinite(played) & (played > 0.0)
        errors[known] *= (error[known] / played[known])[:, None]
        found = []
        for i in order:
            action = Action.from_code(spot.cards, int(self.codes[i]))
            ranked = count[i] >= max(1, min(ENOUGH, count[best])) and values[i] <= values[best]
            if not ranked:
                found.append(entry(action, None, None, visits=int(count[i]), guess=float(self.guesses[i])))
                continue
            found.append(
                settled_entry(
                    spot,
                    action,
                    parts[i],
                    float(values[best]),
                    parts_stderr=errors[i],
                    stderr=stated_error(float(error[i])),
                    loss_stderr=stated_error(float(loss_error[i])),
                    exact=False,
                    visits=int(count[i]),
                )
            )
        return in_order(found)

    def _parts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the parts of the EVs and their standard errors, both as [placement, part].

        An EV is a shrunk mean. All learned values may be off by the same amount, so the average of the EVs stays that
        of the playouts. Parts are means of playouts with the luck of their deals; the difference from the EV is divided
        among the points by their squared errors.
        """
        halving = self.halving
        parts, errors = halving.parts()
        played = halving.count > 0
        means = parts[:, :POINTS].sum(axis=1)
        alive, shrinking = halving.alive, np.where(played, halving.shrunk - halving.mean, 0.0)
        level = np.average(shrinking[alive], weights=np.maximum(halving.count[alive], 1))
        moved = np.where(played, halving.shrunk - means, 0.0) - level
        # Even after equal playouts, the next one may differ.
        errors = np.hypot(errors, 1.0 / np.maximum(halving.count, 1)[:, None])
        move_points(parts, errors, moved)
        return parts, errors


class _SharedBoards:
    """Sampled boards of opponents in fantasyland. Playouts share them, so errors must count boards, not playouts."""

    def __init__(self, boards: int, candidates: int) -> None:
        self._sums = np.zeros((boards, candidates))
        self._counts = np.zeros((boards, candidates), np.int64)

    def absorb(self, first: int, alive: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """Add the values of sweeps, the first of which has the number ``first``."""
        boards = len(self._sums)
        if boards:
            at = np.ix_((first + np.arange(len(values))) % boards, alive)
            np.add.at(self._sums, at, values)
            np.add.at(self._counts, at, 1)

    def widened(
        self, error: NDArray[np.float64], loss_error: NDArray[np.float64], best: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return standard errors of means and losses, at least as large as the scatter between boards makes them."""
        boards = len(self._sums)
        met = self._counts.min(axis=0, initial=1) > 0  # all boards
        if boards < 2 or not met[best]:
            return error, loss_error
        means = self._sums / np.maximum(self._counts, 1)
        wide, wide_loss = (
            np.where(met, values.std(axis=0, ddof=1) / math.sqrt(boards), 0.0)
            for values in (means, means - means[:, [best]])
        )
        return np.maximum(error, wide), np.maximum(loss_error, wide_loss)


def _bank_size(plan: Plan) -> int:
    """Return how many boards of opponents in fantasyland to sample within the budget."""
    if not plan.spot.hidden:
        return 0
    if plan.budget.seconds is None:
        wanted = (plan.budget.simulations or 0) // _PLAYOUTS_PER_BOARD
    else:
        start = time.perf_counter()
        hidden_bank(plan.spot, plan.request.seed, _FEWEST_BOARDS)
        each = (time.perf_counter() - start) / _FEWEST_BOARDS
        wanted = int(_BOARDS_SHARE * plan.budget.seconds / each)
    return min(max(wanted, _FEWEST_BOARDS), _MOST_BOARDS)
