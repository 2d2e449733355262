"""The worth of fantasyland and the cost of a foul under a rule set, computed from played hands.

Two normal players expect 0 points from each other, by symmetry. The worth of being in fantasyland with n cards is

    W[n] = points of a fantasyland hand against a normal one + the chance to stay with m cards * W[m]
           - the chance that the opponent enters with k cards * W[k],

a small linear system. Play depends on W, so hands are played under the current W and the system is solved again, until
W no longer changes. A last, longer run on new decks gives W and its standard errors. If two players are in fantasyland,
their worths are assumed to add up.

The cost of a foul is the loss of points for rows and scoop between two normal players: lost royalties and a missed
fantasyland count elsewhere.
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

LEAST_HANDS = 100  # fantasyland hands
_ROUNDS = 6  # most rounds of play before the last run
_SHARE = 4  # the last run has this many times the hands of a round


@dataclass(frozen=True)
class FantasylandWorth:
    """The worth of a fantasyland hand with this number of cards, and its parts."""

    cards: int
    worth: Estimate
    points: Estimate  # against a normal player in this hand: rows, scoop, royalties of both
    royalties: Estimate
    p_stay: Estimate
    p_entry: Estimate  # the chance that a normal hand leads to it


@dataclass(frozen=True)
class RulesWorth(PlainResult):
    """The worths of a rule set."""

    rules: str
    fantasyland: tuple[FantasylandWorth, ...]  # empty if no board leads to a fantasyland hand
    foul_cost: Estimate
    p_foul: Estimate  # of normal play
    royalties: Estimate  # of normal play
    hands: int  # of the last run: fantasyland hands of each size, and twice as many normal ones
    rounds: int  # before the last run
    change: float  # of the worths in the last round
    evaluation: str  # of normal players on early streets: "learned", or "guide" for promise tables
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
        [size] points of a fantasyland hand against a normal one.
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
    """The worths of a sample."""

    worth: Floats
    errors: Floats
    foul_cost: Estimate


def _solve(sample: Sample, sizes: tuple[int, ...]) -> _Solution:
    """Solve the system of a sample, with errors by the delta method."""
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
    """Return mean points without a foul minus mean points with one; the two hands of a round are one observation."""
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
        Plays the hands; results do not depend on it.
    on_progress, cancelled
        The first is called with the share done; once the second returns True, the result is of the hands so far.
    """
    if hands < LEAST_HANDS:
        raise InputError("{hands} hands are too few: give at least {least}", hands=hands, least=LEAST_HANDS)
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
