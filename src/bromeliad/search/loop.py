"""The loop of a search: runs slices of simulations until a budget is spent or the answer is clear."""

import time

import numpy as np
from numpy.typing import NDArray

from bromeliad.core import game
from bromeliad.core.budget import OUT_OF_TIME, Cancel, OnProgress, Progress
from bromeliad.core.game import State, clone
from bromeliad.search.clock import is_dominant, is_settled
from bromeliad.search.engine import RECORD, Engine
from bromeliad.search.halving import Halving, estimate_children
from bromeliad.search.params import SearchParams
from bromeliad.search.pruning import order_score
from bromeliad.search.result import ActionStatistics, StopReason, lead_confidence

_CHECKS = 32  # maximum number of early-stop checks of a search with a budget of simulations
_CHECK_LEAST = 512  # minimum number of simulations between two checks
_FIRST_SLICE = 256  # simulations, before the speed is known; an alarm or a cancel can interrupt it
_GROWTH = 16  # maximum growth of a slice over the one before
_REPORTED = 10  # maximum number of actions in a progress report
_ENOUGH = 0.05  # the final choice by value ignores actions with less than this share of the most visits


class Run:
    """The loop around an engine; an early stop needs at least ``least`` simulations.

    The clock starts in :meth:`to_the_end`, so compiling does not count.
    """

    def __init__(
        self,
        engine: Engine,
        root: State,
        params: SearchParams,
        *,
        least: int,
        cancel: Cancel,
        on_progress: OnProgress | None,
    ) -> None:
        self.engine = engine
        self.params = params
        self.simulations = 0
        self._root = root
        self._limit = params.simulation_limit
        self._seconds = params.seconds  # for planning only: the caller's alarm stops the kernels
        self._least = least
        self._cancel = cancel
        self._on_progress = on_progress
        self._start = time.perf_counter()
        self._reported = 0.0
        self._slice = _FIRST_SLICE
        self._check_every = 0 if self._limit is None else max(_CHECK_LEAST, self._limit // _CHECKS)
        engine.begin(root, params)
        self._halving: Halving | None = None
        if params.root_policy == "halving":
            candidates = engine.children().size
            self._halving = Halving(candidates, self._estimates(), params.shrinkage, self._limit, params.first_round)

    @property
    def elapsed(self) -> float:
        """Seconds since the search began."""
        return time.perf_counter() - self._start

    def to_the_end(self) -> StopReason:
        """Run simulations until there is a reason to stop; return the reason. A tree search runs at least one."""
        self._start = time.perf_counter()
        if self._halving is not None:
            return self._spent() or self._halve(self._halving)
        self.simulations += self.engine.run(1, np.zeros(1, np.int64))
        reason = self._spent()
        while reason is None:
            self._run_slice(self._plan())
            self._report()
            reason = self._spent() or self._clear()
        return reason

    # --- slices -----------------------------------------------------------------------------------------------------

    def _plan(self) -> int:
        """Return the size of the next slice, at most up to the next early-stop check, so that runs are repeatable."""
        count = self._slice
        if self._limit is not None:
            count = min(count, self._limit - self.simulations)
            if self.params.early_stop != "never":
                count = min(count, self._check_every - self.simulations % self._check_every)
        return count

    def _run_slice(self, count: int) -> None:
        """Run one slice and adapt the size of the next one to the speed."""
        began = time.perf_counter()
        done = self.engine.run(count, self._cancel.flag)
        seconds = max(time.perf_counter() - began, 1e-6)
        self.simulations += done
        self._slice = int(min(done / seconds * self.params.slice_seconds, self._slice * _GROWTH)) + 1

    def _spent(self) -> StopReason | None:
        """Return the budget that is spent, or "cancelled"; None to go on."""
        if self._cancel.cancelled:
            return "cancelled"
        if int(self._cancel.flag[0]) == OUT_OF_TIME or (self._seconds is not None and self.elapsed >= self._seconds):
            return "time"
        if self._limit is not None and self.simulations >= self._limit:
            return "simulations"
        return None

    def _clear(self) -> StopReason | None:
        """Return the reason for an early stop, None to go on."""
        rule = self.params.early_stop
        due = self._check_every == 0 or self.simulations % self._check_every == 0
        if rule == "never" or not due or self.simulations < self._least:
            return None
        actions = self.actions()
        if len(actions) == 1:
            return "forced"
        visits = [item.visits for item in actions]
        if rule in ("dominant", "either") and is_dominant(visits, self._remaining(), self.params.dominance):
            return "dominant"
        if rule in ("settled", "either") and is_settled(actions, self.params.settled_z, self.params.settled_gain):
            return "settled"
        return None

    def _remaining(self) -> float:
        """Return the number of simulations that the budgets still allow."""
        left = np.inf if self._limit is None else float(self._limit - self.simulations)
        if self._seconds is not None:
            left = min(left, (self._seconds - self.elapsed) * self.simulations / max(self.elapsed, 1e-6))
        return left

    def _report(self) -> None:
        """Report progress, if it is due."""
        if self._on_progress is None or self.elapsed - self._reported < self.params.progress_seconds:
            return
        self._reported = self.elapsed
        actions = self.actions()
        done = [self.simulations / self._limit if self._limit else 0.0]
        done.append(self.elapsed / self._seconds if self._seconds else 0.0)
        self._on_progress(
            Progress(
                fraction=min(max(done), 1.0),
                actions=actions[:_REPORTED],
                simulations=self.simulations,
                seconds=self.elapsed,
                confidence=self.confidence(actions),
            )
        )

    # --- sequential halving -----------------------------------------------------------------------------------------

    def _halve(self, halving: Halving) -> StopReason:
        """Run sequential halving until the last round ends, it is settled or a budget is spent; return the reason."""
        nodes = self.engine.children()
        while True:
            alive = halving.alive
            sweeps = min(halving.sweeps_left, max(self._slice // alive.size, 1), RECORD // alive.size)
            self.engine.focus(nodes[alive], int(halving.count[alive[0]]))
            self._run_slice(sweeps * alive.size)
            halving.absorb(self.engine.recorded(sweeps))
            reason = self._spent()
            if reason is not None:
                return reason
            if self._round_is_over(halving):
                if halving.is_last:
                    return "simulations"
                if self._is_paired_settled(halving):
                    return "settled"
                halving.end_round()
            self._report()

    def _round_is_over(self, halving: Halving) -> bool:
        if self._limit is None and self._seconds is not None:
            return not halving.is_last and self.elapsed >= self._seconds * (halving.round + 1) / halving.rounds
        return halving.sweeps_left <= 0

    def _is_paired_settled(self, halving: Halving) -> bool:
        if self.params.early_stop not in ("settled", "either") or self.simulations < self._least:
            return False
        return is_halving_settled(halving, self.params)

    def _estimates(self) -> NDArray[np.float64] | None:
        """Return the game's estimate of each action at the root, None if the game has none."""
        if not game.estimate.provided_by(type(self._root)):
            return None
        actions = self.engine.statistics().actions
        estimates = np.zeros(actions.size)
        estimate_children(self._root, clone(self._root), actions, self.engine.settings.observer, estimates)
        return estimates

    # --- results ----------------------------------------------------------------------------------------------------

    def actions(self) -> tuple[ActionStatistics, ...]:
        """Return the root's actions, best first."""
        root = self.engine.statistics()
        if self._halving is not None:
            visits, means, errors = self._halving.count, self._halving.mean, self._halving.error
            scores, order = self._halving.shrunk, self._halving.order()
            losses = self._halving.loss_error
        else:
            visits = root.visits
            means = root.values / np.maximum(visits, 1)
            spread = np.maximum(root.squares / np.maximum(visits, 1) - means**2, 0.0)
            errors = np.where(visits > 1, np.sqrt(spread / np.maximum(visits - 1, 1)), np.inf)
            scores = self._scores(visits, means, root.priors)
            order = np.lexsort((np.arange(visits.size), -means, -visits, -scores))
            losses = np.hypot(errors, errors[order[0]])
            losses[order[0]] = 0.0
        return tuple(
            ActionStatistics(
                action=int(root.actions[i]),
                visits=int(visits[i]),
                mean=float(means[i]),
                error=float(errors[i]),
                prior=float(root.priors[i]),
                score=float(scores[i]),
                loss_error=float(losses[i]),
            )
            for i in order
        )

    def confidence(self, actions: tuple[ActionStatistics, ...]) -> float:
        """Return the probability that the first of ``actions``, the root's actions, is the best."""
        return lead_confidence(actions) if self._halving is None or len(actions) == 1 else self._halving.confidence

    def _scores(
        self, visits: NDArray[np.int64], means: NDArray[np.float64], priors: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the scores by which the final choice ranks the actions."""
        if self.params.final_choice == "visits":
            return visits.astype(np.float64)
        if self.params.final_choice == "value":
            return np.where(visits >= max(1.0, _ENOUGH * visits.max()), means, -np.inf)
        return np.array([order_score(*item) for item in zip(visits, means, priors, strict=True)])


def is_halving_settled(halving: Halving, params: SearchParams) -> bool:
    """Return whether more simulations would gain too little, by ``settled_gain`` or by ``settled_expected``."""
    if halving.possible_gain(params.settled_z) <= params.settled_gain:
        return True
    return halving.expected_gain() <= params.settled_expected
