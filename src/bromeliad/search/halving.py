"""Sequential halving at the root: all candidates get equally many simulations, then the worse half goes, and so on.

Karnin, Koren & Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013; at the root of a search: Pepels
et al., "Minimizing simple and cumulative regret in Monte-Carlo tree search", CGW 2014.

In each sweep every candidate plays once with the same random numbers, so differences between candidates are measured
much better than the candidates themselves. Means are shrunk towards the game's own estimate, which keeps small budgets
from being worse than no search at all. An estimate that the simulations clearly contradict counts for less.
"""

import math

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.game import State, apply, copy_into, estimate
from bromeliad.core.jit import Floats, Ints, kernel

__all__ = ["Halving", "estimate_children"]

_ENOUGH = 30  # sweeps that say something about the spread
_TINY = 1e-100  # an error that divides any lead without overflow
_FAR = 37.0  # standard errors beyond which a normal density is nothing
_COMMON = 10  # simulations that the spread of all candidates counts for in each one's
_SURPRISE = 2.0  # standard errors from which a simulated mean contradicts an estimate


@kernel
def estimate_children(root: State, state: State, actions: Ints, player: int, estimates: Floats) -> None:
    """Write the game's estimate of the position after each action into ``estimates``."""
    for i in range(actions.size):
        copy_into(state, root)
        apply(state, actions[i])
        estimates[i] = estimate(state, player)


def _rounds(candidates: int) -> int:
    return max(1, math.ceil(math.log2(candidates)))


class Halving:
    """The bookkeeping of one sequential halving.

    Parameters
    ----------
    candidates
        How many actions the root has, in prior order.
    estimates
        What the game thinks of each, None if it has no estimate.
    weight
        How many simulations an estimate counts for.
    budget
        Simulations to divide, None if the time decides. A budget too small for all candidates drops the last ones.
    first
        At most so many candidates begin; None for all. A short search does better with few of the best priors.
    """

    def __init__(
        self, candidates: int, estimates: Floats | None, weight: float, budget: int | None, first: int | None = None
    ) -> None:
        kept = min(candidates, first or candidates)
        while budget is not None and kept > 1 and kept * _rounds(kept) > budget:
            kept -= 1
        self.alive = np.arange(kept)
        self.rounds = _rounds(kept)
        self.round = 0
        self.sweeps_left = self._sweeps(budget)
        self._budget = budget
        self._weight = weight if estimates is not None else 0.0
        self._estimates = estimates if estimates is not None else np.zeros(candidates)
        self._count = np.zeros(candidates, np.int64)
        self._sum = np.zeros(candidates)
        self._squares = np.zeros(candidates)
        self._products = np.zeros((candidates, candidates))
        self._pending: list[Floats] = []  # values of this round that the products do not have yet

    def _sweeps(self, budget: int | None) -> int:
        """Return how many sweeps the present round lasts."""
        return 2**62 if budget is None else max(1, budget // (self.rounds * self.alive.size))

    @property
    def is_last(self) -> bool:
        """Whether this is the last round."""
        return self.round + 1 >= self.rounds

    def absorb(self, values: Floats) -> None:
        """Take in the values of whole sweeps: a row per sweep, a column per candidate that is alive.

        Sums go sweep by sweep and products round by round, so that no digit depends on how the time was sliced.
        """
        self._count[self.alive] += values.shape[0]
        for total, rows in ((self._sum, values), (self._squares, values**2)):
            total[self.alive] = np.cumsum(np.vstack((total[self.alive], rows)), axis=0)[-1]
        self._pending.append(values.copy())
        self.sweeps_left -= values.shape[0]

    def _multiply(self) -> None:
        """Bring the products up to date."""
        if self._pending:
            values = np.vstack(self._pending)
            self._products[np.ix_(self.alive, self.alive)] += values.T @ values
            self._pending.clear()

    def end_round(self) -> None:
        """Drop the worse half."""
        self._multiply()
        keep = max(1, (self.alive.size + 1) // 2)
        order = np.argsort(-self.shrunk[self.alive], kind="stable")
        self.alive = np.sort(self.alive[order[:keep]])
        self.round += 1
        self.sweeps_left = self._sweeps(self._budget)

    @property
    def count(self) -> NDArray[np.int64]:
        """Simulations of each candidate."""
        return self._count

    @property
    def mean(self) -> Floats:
        """Mean of each candidate's simulations (its estimate where there are none)."""
        return np.where(self._count > 0, self._sum / np.maximum(self._count, 1), self._estimates)

    @property
    def shrunk(self) -> Floats:
        """Mean of each candidate with its estimate counted as so many simulations; without either, last."""
        weight = self._weights
        total = self._count + weight
        values = (self._sum + weight * self._estimates) / np.maximum(total, 1e-300)
        return np.where(total > 0, values, -np.inf)

    @property
    def _weights(self) -> Floats:
        """How many simulations each estimate counts for.

        An estimate is taken to err as the mean of so many simulations would, beside what all estimates are off in
        common. One that is off by far more is no such mean: its weight falls with the square of the surprise.
        """
        error = self.error
        known = np.isfinite(error) & (error > 0.0)  # simulations that never scatter do not tell how far off they are
        if not self._weight or not known.any():
            return np.full(self._count.size, self._weight)
        off = (self.mean - self._estimates)[known]
        expected = error[known] * np.sqrt(1.0 + self._count[known] / self._weight)
        surprise = np.abs(off - np.median(off)) / expected
        weights = np.full(self._count.size, self._weight)
        weights[known] /= np.maximum(1.0, surprise / _SURPRISE) ** 2
        return weights

    @property
    def error(self) -> Floats:
        """Standard error of each mean.

        A few simulations that happen to end alike say nothing about the spread, so the spread of all candidates
        counts as some of each one's own.
        """
        count = np.maximum(self._count, 1)
        variance = np.maximum(self._squares / count - (self._sum / count) ** 2, 0.0) * count / np.maximum(count - 1, 1)
        tried = self._count > 1
        common = np.average(variance[tried], weights=count[tried]) if tried.any() else 0.0
        spread = (count * variance + _COMMON * common) / (count + _COMMON)
        return np.where(tried, np.sqrt(spread / count), np.inf)

    def order(self) -> NDArray[np.int64]:
        """Return all candidates, best first: those that stayed longest, by shrunk mean."""
        return np.lexsort((np.arange(self._count.size), -self.shrunk, -self._count))

    def _challengers(self) -> tuple[Floats, Floats]:
        """Return by how much each other candidate leads the best of the present ones, and the errors of that.

        Differences are paired, and shrunk as the means are. With fewer than thirty sweeps the errors are infinite.
        """
        self._multiply()
        best = self.alive[int(np.argmax(self.shrunk[self.alive]))]
        others = self.alive[self.alive != best]
        count = int(self._count[best])
        if count < _ENOUGH:
            return np.zeros(others.size), np.full(others.size, np.inf)
        difference = (self._sum[others] - self._sum[best]) / count
        products = self._products
        squares = products[others, others] + products[best, best] - 2.0 * products[others, best]
        variance = np.maximum(squares / count - difference**2, 0.0)
        shrunk, weights = self.shrunk, self._weights
        simulated = count / (count + np.minimum(weights[others], weights[best]))
        # the estimates count as simulations with the same scatter, so they are as uncertain as so many
        return shrunk[others] - shrunk[best], np.sqrt(simulated * variance / (count - 1))

    def possible_gain(self, z: float) -> float:
        """Return how much the best of the present candidates may still be behind another, with ``z`` errors."""
        lead, error = self._challengers()
        return float(np.max(lead + z * error, initial=-np.inf)) if lead.size else 0.0

    def expected_gain(self) -> float:
        """Return what knowing the truth about the present candidates would gain on average, at most."""
        lead, error = self._challengers()
        if not np.isfinite(error).all():
            return math.inf
        z = lead / np.maximum(error, _TINY)
        density = np.exp(-0.5 * np.minimum(np.abs(z), _FAR) ** 2) / math.sqrt(2.0 * math.pi)
        return float(np.sum(error * density + lead * _below(z)))

    @property
    def confidence(self) -> float:
        """The chance that more simulations would not change the choice: no other candidate is better than the best."""
        lead, error = self._challengers()
        if not np.isfinite(error).all():
            return 0.5
        return float(np.prod(_below(-lead / np.maximum(error, _TINY))))


def _below(z: Floats) -> Floats:
    """Return the share of a normal distribution below each of ``z``."""
    return np.array([0.5 * math.erfc(-value / math.sqrt(2.0)) for value in z])
