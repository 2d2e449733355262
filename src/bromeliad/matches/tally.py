"""The tally of a match: results per deal, their mean and its standard error, Elo, and results without luck."""

import math
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.evaluation.results import mean_and_error

Adjust = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
"""Takes one player's results and the luck [result, measure] in them; returns the results without luck."""


class Estimate(NamedTuple):
    """The mean of independent results."""

    mean: float
    stderr: float
    results: int  # number of results


class Tally:
    """The results of a match, in the order of play.

    Parameters
    ----------
    players
        Number of players.
    swaps
        Number of successive results that share a deal, with sides swapped: their mean is one independent result.
    adjust
        Removes luck from results; None if the game does not measure luck.
    """

    def __init__(self, players: int = 2, swaps: int = 2, adjust: Adjust | None = None) -> None:
        self._players, self._swaps, self._adjust = players, swaps, adjust
        self._values, self._luck = array("d"), array("d")

    def add(self, values: Sequence[float], luck: Iterable[Iterable[float]] = ()) -> None:
        """Add one result per player and, if the game measures luck, the luck [player, measure] in it."""
        self._values.extend(values)
        for measures in luck:
            self._luck.extend(measures)

    def __len__(self) -> int:
        return len(self._values) // self._players

    @property
    def deals(self) -> int:
        """The number of complete deals: those played with all sides."""
        return len(self) // self._swaps

    def mean(self, player: int = 0) -> Estimate:
        """Return a player's mean result."""
        return _estimate(self._by_deal(self._values)[:, player, 0])

    def mean_without_luck(self, player: int = 0) -> Estimate:
        """Return a player's mean result without luck: same expectation, smaller error."""
        return _estimate(self._by_deal(self._values)[:, player, 0] - self._luck_of(player))

    def luck(self, player: int = 0) -> Estimate:
        """Return a player's mean luck: the difference of the two means. It averages to zero."""
        return _estimate(self._luck_of(player))

    def _luck_of(self, player: int) -> NDArray[np.float64]:
        """Return the luck in a player's result of each deal; zero if the game does not measure it."""
        values = self._by_deal(self._values)[:, player, 0]
        if self._adjust is None:
            return np.zeros(len(values))
        return values - self._adjust(values, self._by_deal(self._luck)[:, player])

    def _by_deal(self, numbers: "array[float]") -> NDArray[np.float64]:
        """Return the means of complete deals as [deal, player, measure]."""
        each = np.array(numbers).reshape(len(self), self._players, -1)[: self.deals * self._swaps]
        return np.asarray(each.reshape(self.deals, self._swaps, *each.shape[1:]).mean(axis=1))

    @property
    def counts(self) -> tuple[int, int, int]:
        """Games that the first player won, drew and lost, if results are 1, ½ and 0."""
        scores = self._values[:: self._players]
        return scores.count(1.0), scores.count(0.5), scores.count(0.0)

    @property
    def score(self) -> Estimate:
        """The first player's mean score, if results are 1, ½ and 0; its standard error is never 0."""
        deals: list[float] = self._by_deal(self._values)[:, 0, 0].tolist() if self.deals else []
        return _score(deals or self._values[:: self._players].tolist())

    @property
    def elo(self) -> tuple[float, float, float]:
        """The Elo difference that corresponds to the score, and the ends of its 95 % interval."""
        mean, stderr, _ = self.score
        return elo_of(mean), elo_of(mean - 1.96 * stderr), elo_of(mean + 1.96 * stderr)


def _estimate(values: NDArray[np.float64]) -> Estimate:
    return Estimate(*mean_and_error(values), len(values))


def _score(values: list[float]) -> Estimate:
    """Return the mean of scores; if all are equal, its error is as if one more score were the opposite."""
    if not values:
        return Estimate(0.5, 0.5, 0)
    count = len(values)
    mean = sum(values) / count
    spread = sum((value - mean) ** 2 for value in values) / max(count - 1, 1)
    least = (1.0 / (count + 1)) ** 2
    return Estimate(mean, math.sqrt(max(spread / count, least * (spread == 0.0))), count)


def mean_score(scores: Iterable[float]) -> Estimate:
    """Return the mean of the scores of games; each successive pair shares a deal."""
    tally = Tally()
    for score in scores:
        tally.add((score, 1.0 - score))
    return tally.score


def elo_of(score: float) -> float:
    """Return the Elo difference that corresponds to a mean score; infinite for 0 and 1."""
    if score <= 0.0 or score >= 1.0:
        return math.copysign(math.inf, score - 0.5)
    return -400.0 * math.log10(1.0 / score - 1.0)


def expected_score(elo: float) -> float:
    """Return the mean score that corresponds to an Elo difference."""
    return float(1.0 / (1.0 + 10.0 ** (-elo / 400.0)))
