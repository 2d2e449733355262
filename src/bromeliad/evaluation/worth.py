"""What fantasyland is worth under a rule set, and what a foul costs: solved from hands played, not guessed.

Two players, and the state of each decides what the next hands bring. By symmetry two normal players expect nothing
from each other, and the worth of being in fantasyland with n cards is

    W[n] = what a fantasyland hand gets from a normal one + the chance to stay with m cards * W[m]
           - the chance that the opponent enters with k cards * W[k],

a small linear system. How both play depends on W, so hands are played under the W found so far, the system is solved,
and so on to the fixed point; a last, longer run on fresh decks gives W and its standard errors. Worths are taken to
add up where both players are in fantasyland.

A foul costs what it changes in the points of rows and scoop between two normal players: lost royalties and a missed
fantasyland are counted elsewhere.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.cluster import Batch
from bromeliad.errors import InputError
from bromeliad.evaluation.results import Estimate, PlainResult, mean_and_error
from bromeliad.evaluation.worth_rounds import Floats, Sample, Table
from bromeliad.games.ofc.rules.rule_set import RuleSet

__all__ = ["LEAST_HANDS", "FantasylandWorth", "RulesWorth", "solve_worth", "solve_worths"]

LEAST_HANDS = 100
"""Fewer fantasyland hands say nothing."""

_ROUNDS = 6  # of play before the last run, at most
_SHARE = 4  # each of them has so many times fewer hands than the last run


@dataclass(frozen=True)
class FantasylandWorth:
    """What a fantasyland hand with so many cards is worth, and what that is made of."""

    cards: int
    worth: Estimate
    points: Estimate  # got from a normal player in this hand: rows, scoop, royalties of both
    royalties: Estimate
    p_stay: Estimate
    p_entry: Estimate  # that a normal hand leads to it


@dataclass(frozen=True)
class RulesWorth(PlainResult):
    """The answer for a rule set."""

    rules: str
    fantasyland: tuple[FantasylandWorth, ...]  # none where no board leads to a fantasyland hand
    foul_cost: Estimate
    p_foul: Estimate  # of normal play
    royalties: Estimate  # of normal play
    hands: int  # of the last run: fantasyland hands of each size, and twice as many normal ones
    rounds: int  # of play before it
    change: float  # of the worths in the last of these
    evaluation: str  # what normal players go by on the early streets: learned or guide
    seed: int
    cancelled: bool

    @property
    def worths(self) -> dict[int, float]:
        """The worth by the number of cards."""
        return {item.cards: item.worth.value for item in self.fantasyland}


# --- the system ----------------------------------------------------------------------------------------------------


def solve_worths(points: Floats, stay: Floats, entry: Floats) -> Floats:
    """Return the worths W that solve W = points + stay @ W - entry @ W.

    Parameters
    ----------
    points
        [size] what a fantasyland hand gets from a normal one.
    stay
        [size, next size] chances to stay.
    entry
        [size] chances that the opponent enters.
    """
    try:
        worths: Floats = np.linalg.solve(_system(stay, entry), points).astype(np.float64)
    except np.linalg.LinAlgError as error:
        raise InputError("under these rules fantasyland never ends, so it has no worth") from error
    return worths


def _system(stay: Floats, entry: Floats) -> Floats:
    return np.eye(len(entry)) - stay + entry[None, :]


class _Solution(NamedTuple):
    """What a sample says."""

    worth: Floats
    errors: Floats
    foul_cost: Estimate


def _solve(sample: Sample, sizes: tuple[int, ...]) -> _Solution:
    """Solve the system of a sample; errors by the delta method: how the worths follow the means of the rounds."""
    kinds = np.array(sizes, np.int64)
    stays = sample.next_cards[:, :, None] == kinds  # [round, size, next size]
    entries = (sample.normal_next[:, :, None] == kinds).mean(axis=1)  # [round, size]
    stay, entry = stays.mean(axis=0), entries.mean(axis=0)
    worth = solve_worths(sample.points.mean(axis=0), stay, entry)
    residuals = sample.points + stays @ worth - (entries @ worth)[:, None] - worth
    inverse = np.linalg.inv(_system(stay, entry))
    errors = np.std(residuals @ inverse.T, axis=0, ddof=1) / math.sqrt(len(residuals))
    return _Solution(worth, errors, _foul_cost(sample.normal_points, sample.normal_fouls))


def _foul_cost(points: Floats, fouls: Floats) -> Estimate:
    """Return mean points without a foul less mean points with one; its error counts a round's two hands as one."""
    if fouls.min() == fouls.max():
        return Estimate(math.nan, math.nan)
    cost, influence = 0.0, np.zeros(len(points))
    for sign, weight in ((1.0, 1.0 - fouls), (-1.0, fouls)):
        mean = float((points * weight).sum() / weight.sum())
        cost += sign * mean
        influence += sign * ((points - mean) * weight).mean(axis=1) / weight.mean()
    return Estimate(cost, float(influence.std(ddof=1) / math.sqrt(len(points))))


def _estimate(values: Floats | NDArray[np.bool_]) -> Estimate:
    """Return the mean over rounds; the hands of one round are one observation."""
    return mean_and_error(values.reshape(len(values), -1).mean(axis=1))


# --- the fixed point -----------------------------------------------------------------------------------------------


def solve_worth(
    rules: RuleSet,
    hands: int,
    *,
    seed: int = 1,
    batch: Batch | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> RulesWorth:
    """Return the worth of fantasyland by its number of cards, and the cost of a foul.

    Parameters
    ----------
    hands
        Fantasyland hands of each size in the last run, at least :data:`LEAST_HANDS`.
    batch
        Who plays them; nothing depends on it.
    on_progress, cancelled
        Told the share that is done, and asked whether to stop with what there is.
    """
    if hands < LEAST_HANDS:
        raise InputError("{hands} hands are too few: from {least} up", hands=hands, least=LEAST_HANDS)
    trial = max(hands // _SHARE, LEAST_HANDS)
    table = Table(rules, _ROUNDS * trial + hands, seed, batch or Batch(), on_progress, cancelled)
    worth = {cards: rules.objective.fantasyland_worth.get(cards, 0.0) for cards in table.sizes}
    foul_cost = rules.objective.foul_cost
    rounds, change = 0, math.nan
    while rounds < _ROUNDS:
        sample = table.play(worth, foul_cost, 0, trial)
        solution = _solve(sample, table.sizes)
        moved = np.abs(solution.worth - np.array([worth[cards] for cards in table.sizes]))
        rounds, change = rounds + 1, float(moved.max(initial=0.0))
        worth = dict(zip(table.sizes, map(float, solution.worth), strict=True))
        foul_cost = foul_cost if math.isnan(solution.foul_cost.value) else solution.foul_cost.value
        if cancelled() or bool((moved <= solution.errors).all()):
            break
    if not cancelled():
        table.done = _ROUNDS * trial
        sample = table.play(worth, foul_cost, trial, hands)
    return _answer(table, sample, rounds, change, cancelled())


def _answer(table: Table, sample: Sample, rounds: int, change: float, cancelled: bool) -> RulesWorth:
    solution = _solve(sample, table.sizes)
    fantasyland = tuple(
        FantasylandWorth(
            cards=cards,
            worth=Estimate(float(solution.worth[i]), float(solution.errors[i])),
            points=_estimate(sample.points[:, i]),
            royalties=_estimate(sample.royalties[:, i]),
            p_stay=_estimate(sample.next_cards[:, i] > 0),
            p_entry=_estimate(sample.normal_next == cards),
        )
        for i, cards in enumerate(table.sizes)
    )
    return RulesWorth(
        rules=table.rules.name,
        fantasyland=fantasyland,
        foul_cost=solution.foul_cost,
        p_foul=_estimate(sample.normal_fouls),
        royalties=_estimate(sample.normal_royalties),
        hands=len(sample.points),
        rounds=rounds,
        change=change,
        evaluation="learned" if table.learned else "guide",
        seed=table.seed,
        cancelled=cancelled,
    )
