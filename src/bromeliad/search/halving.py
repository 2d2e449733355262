"""Sequential halving at the root: all candidates get equally many simulations, the worse half is dropped, and so on.

Karnin, Koren & Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013; at the root of a search: Pepels
et al., "Minimizing simple and cumulative regret in Monte-Carlo tree search", CGW 2014. A budget of T simulations for k
candidates is divided into ``ceil(log2 k)`` rounds, and each round equally among the candidates that remain.

In each sweep every candidate plays once with the same random numbers, so differences between candidates are measured
much better than their values. Means are shrunk towards the game's estimate, ``(sum + w · estimate) / (n + w)`` after n
simulations, so that a small budget is never worse than no search at all. An estimate that the simulations clearly
contradict counts less.

A simulation may report its value in steps: how the estimate changed until some point of the game, how it changed from
there to the next point, and so on to the end. The steps add up to the value, and each is shrunk alone. Early steps
scatter little, so a few simulations settle them. Late steps scatter much but average to nearly zero if the estimates
are good, so they count only after many simulations. Steps hardly correlate, so their variances are added.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.game import State, apply, copy_into, estimate
from bromeliad.core.jit import Floats, Ints, kernel

_ENOUGH = 30  # sweeps needed to estimate the spread
_TINY = 1e-100  # an error that divides any lead without overflow
_FAR = 37.0  # standard errors beyond which a normal density is zero
_COMMON = 10  # simulations that the common spread counts for in each candidate's spread
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
    """The state of one sequential halving of the root's actions, in prior order.

    Each of the game's ``estimates``, if there are any, counts for ``weight`` simulations. If simulations report steps,
    there is a weight for each step; the estimate belongs to the first one, and the others are expected to be zero.
    ``budget`` is the number of simulations to divide, None if only the time is limited; if it is too small for all, the
    last candidates are dropped. At most ``first`` candidates start: short searches do better with only the best
    priors. ``parts`` is the number of parts of a value.
    """

    def __init__(
        self,
        candidates: int,
        estimates: Floats | None,
        weight: float | Sequence[float],
        budget: int | None,
        first: int | None = None,
        parts: int = 0,
    ) -> None:
        kept = min(candidates, first or candidates)
        while budget is not None and kept > 1 and kept * _rounds(kept) > budget:
            kept -= 1
        self.alive = np.arange(kept)
        self.rounds = _rounds(kept)
        self.round = 0
        self.sweeps_left = self._sweeps(budget)
        self._budget = budget
        self._weight = np.atleast_1d(np.array(weight if estimates is not None else 0.0, float))
        steps = self._weight.size
        self._estimates = np.zeros((steps, candidates))
        if estimates is not None:
            self._estimates[0] = estimates
        self._count = np.zeros(candidates, np.int64)
        self._sum = np.zeros((steps, candidates))
        self._squares = np.zeros((steps, candidates))
        self._value_squares = np.zeros((1, candidates))  # of the sums of all steps
        self._products = np.zeros((steps, candidates, candidates))
        self._parts = np.zeros((2, candidates, parts))  # sums of the parts of values, and of their squares
        self._common = np.zeros((steps, candidates, candidates))  # [., i, j] sum of j over the sweeps of i
        self._pending: list[Floats] = []  # steps of this round that are not in the products yet

    def _sweeps(self, budget: int | None) -> int:
        """Return the number of sweeps of the current round."""
        return 2**62 if budget is None else max(1, budget // (self.rounds * self.alive.size))

    @property
    def is_last(self) -> bool:
        """Whether this is the last round."""
        return self.round + 1 >= self.rounds

    def absorb(self, values: Floats, parts: Floats | None = None) -> None:
        """Add the values of whole sweeps, and their parts: a row per sweep, a column per remaining candidate.

        If simulations report steps, ``values`` has a last axis for them. Sums are updated per sweep and products per
        round, so that no digit depends on the sizes of the slices.
        """
        steps = np.moveaxis(values, 2, 0) if values.ndim == 3 else values[None]
        self._count[self.alive] += steps.shape[1]
        squares = steps.sum(axis=0, keepdims=True) ** 2
        for total, rows in ((self._sum, steps), (self._squares, steps**2), (self._value_squares, squares)):
            joined = np.concatenate((total[:, None, self.alive], rows), axis=1)
            total[:, self.alive] = np.cumsum(joined, axis=1)[:, -1]
        if parts is not None:
            for total, rows in zip(self._parts, (parts, parts**2), strict=True):
                total[self.alive] = np.cumsum(np.vstack((total[None, self.alive], rows)), axis=0)[-1]
        self._pending.append(steps.copy())
        self.sweeps_left -= steps.shape[1]

    def _multiply(self) -> None:
        """Add the pending values to the products."""
        if self._pending:
            both = np.ix_(self.alive, self.alive)
            for step, values in enumerate(np.concatenate(self._pending, axis=1)):
                self._products[step][both] += values.T @ values
                self._common[step][both] += values.sum(axis=0)
            self._pending.clear()

    def end_round(self) -> None:
        """Drop the worse half of the remaining candidates."""
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
        """Mean of each candidate's simulations, or its estimate if it has none."""
        return self._means().sum(axis=0)

    def _means(self) -> Floats:
        """Return [step, candidate] the mean of each step, or its expected value if there are no simulations."""
        return np.where(self._count > 0, self._sum / np.maximum(self._count, 1), self._estimates)

    @property
    def shrunk(self) -> Floats:
        """Mean of each candidate, with its estimate counted as simulations; -inf without either."""
        weight = self._weights
        total = self._count + weight
        values = (self._sum + weight * self._estimates) / np.maximum(total, 1e-300)
        return np.where(total[0] > 0, values.sum(axis=0), -np.inf)

    @property
    def _weights(self) -> Floats:
        """[step, candidate] number of simulations that each estimate counts for.

        Apart from an error that all estimates share, an estimate should be as accurate as the mean of that many
        simulations. If it is far less accurate, its weight falls with the square of the surprise.
        """
        weights = np.repeat(self._weight[:, None], self._count.size, axis=1)
        errors = self._errors(self._sum, self._squares)
        for error, off, weight, weights_of_step in zip(
            errors, self._means() - self._estimates, self._weight, weights, strict=True
        ):
            known = np.isfinite(error) & (error > 0.0)  # equal simulations say nothing about the error
            if weight and known.any():
                expected = error[known] * np.sqrt(1.0 + self._count[known] / weight)
                surprise = np.abs(off[known] - np.median(off[known])) / expected
                weights_of_step[known] /= np.maximum(1.0, surprise / _SURPRISE) ** 2
        return weights

    @property
    def error(self) -> Floats:
        """Standard error of each mean.

        A few equal simulations say nothing about the spread, so each candidate's spread includes a share of the common
        one.
        """
        return self._errors(self._sum.sum(axis=0, keepdims=True), self._value_squares)[0]

    def _errors(self, sums: Floats, squares: Floats) -> Floats:
        """Return [row, candidate] the standard errors of the means, given sums and sums of squares."""
        spread, _ = self._spread(sums, squares)
        return np.where(self._count > 1, np.sqrt(spread / np.maximum(self._count, 1)), np.inf)

    def _spread(self, sums: Floats, squares: Floats) -> tuple[Floats, Floats]:
        """Return [row, candidate] the variance of each candidate's simulations, and [row, 0] that of all together."""
        count = np.maximum(self._count, 1)
        variance = np.maximum(squares / count - (sums / count) ** 2, 0.0) * count / np.maximum(count - 1, 1)
        tried, common = self._count > 1, np.zeros((len(sums), 1))
        if tried.any():
            common[:, 0] = [float(np.average(row[tried], weights=count[tried])) for row in variance]
        return (count * variance + _COMMON * common) / (count + _COMMON), common

    @property
    def loss_error(self) -> Floats:
        """Standard error of the difference between each shrunk mean and that of the first in order.

        Candidates of the same sweep had the same random numbers, so the common part of their scatter cancels.
        Differences that happen to be equal still have an error, so one difference as large as the scatter is added.
        """
        self._multiply()
        best, count = int(self.order()[0]), np.maximum(self._count, 1)
        spread, common = self._spread(self._sum, self._squares)
        together = self._products[:, :, best] / count - self._sum / count * self._common[:, :, best] / count
        weights = self._weights
        weight = np.minimum(weights, weights[:, [best]])
        total, of_best = count + weight, count[best] + weight
        variance = spread / total + (spread[:, [best]] - 2.0 * together) / of_best
        error = np.sqrt((np.maximum(variance, 0.0) + common / (count * total)).sum(axis=0))
        error[self._count < 2] = np.inf
        error[best] = 0.0
        return error

    def parts(self) -> tuple[Floats, Floats]:
        """Return [candidate, part] the means of the parts of values, and their standard errors."""
        count = np.maximum(self._count, 1)[:, None]
        means = self._parts[0] / count
        spread = np.maximum(self._parts[1] / count - means**2, 0.0) / np.maximum(count - 1, 1)
        return means, np.sqrt(spread)

    def order(self) -> NDArray[np.int64]:
        """Return all candidates, best first: those that survived longest, then by shrunk mean."""
        return np.lexsort((np.arange(self._count.size), -self.shrunk, -self._count))

    def _challengers(self) -> tuple[Floats, Floats]:
        """Return the lead of each other remaining candidate over the best one, and its standard error.

        Differences are paired, and shrunk like the means. With fewer than thirty sweeps the errors are infinite.
        """
        self._multiply()
        best = self.alive[int(np.argmax(self.shrunk[self.alive]))]
        others = self.alive[self.alive != best]
        count = int(self._count[best])
        if count < _ENOUGH:
            return np.zeros(others.size), np.full(others.size, np.inf)
        difference = (self._sum[:, others] - self._sum[:, [best]]) / count
        products = self._products
        squares = products[:, others, others] + products[:, [best], best] - 2.0 * products[:, others, best]
        variance = np.maximum(squares / count - difference**2, 0.0)
        shrunk, weights = self.shrunk, self._weights
        simulated = count / (count + np.minimum(weights[:, others], weights[:, [best]]))
        # an estimate counts as simulations with the same spread, so it adds as much uncertainty
        return shrunk[others] - shrunk[best], np.sqrt((simulated * variance / (count - 1)).sum(axis=0))

    def possible_gain(self, z: float) -> float:
        """Return how far the best candidate may be behind another one, within ``z`` standard errors."""
        lead, error = self._challengers()
        return float(np.max(lead + z * error, initial=-np.inf)) if lead.size else 0.0

    def expected_gain(self) -> float:
        """Return an upper bound on the average gain from knowing the true values of the remaining candidates.

        For one challenger it is the mean of the positive part of a normal lead: ``error · φ(z) + lead · Φ(z)``, with
        ``z = lead / error``. The bound adds these up.
        """
        lead, error = self._challengers()
        if not np.isfinite(error).all():
            return math.inf
        z = lead / np.maximum(error, _TINY)
        density = np.exp(-0.5 * np.minimum(np.abs(z), _FAR) ** 2) / math.sqrt(2.0 * math.pi)
        return float(np.sum(error * density + lead * _below(z)))

    @property
    def confidence(self) -> float:
        """The probability that no other candidate is better than the best one; 0.5 if nothing was compared.

        The comparisons are treated as independent.
        """
        lead, error = self._challengers()
        if not np.isfinite(error).all() or (not lead.size and self._count.size > 1):
            return 0.5
        return float(np.prod(_below(-lead / np.maximum(error, _TINY))))


def _below(z: Floats) -> Floats:
    """Return the normal distribution function at each of ``z``."""
    return np.array([0.5 * math.erfc(-value / math.sqrt(2.0)) for value in z])
