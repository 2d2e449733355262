"""The worth of fantasyland and the cost of a foul under a rule set, computed from played hands.

Two players change seats after every hand, unless one stays in fantasyland. Let b be the value of the later seat if both
players are normal; the first seat has -b, by symmetry. The worth W[n, k] of fantasyland with n cards in seat k is how
much more the player expects, from now on, than a normal player in that seat. All expectations satisfy

    value of a hand = its points + the value of the next one,

and the value with n cards in seat k against m cards is W[n, k] - W[m, other seat], plus b in the later seat and minus b
in the first. That is a small linear system: an equation for each size and seat, and one for two normal players. Play
depends on the worths, averaged over both seats. So hands are played under the current worths and the system is solved
again, until the worths no longer change. A last, longer run on new decks gives the worths and their standard errors. If
two players are in fantasyland, their worths are assumed to add up.

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
from bromeliad.core.jit import Floats
from bromeliad.errors import InputError
from bromeliad.evaluation.results import Estimate, PlainResult, mean_and_error
from bromeliad.evaluation.worth_hands import NORMALS
from bromeliad.evaluation.worth_rounds import Sample, Table
from bromeliad.games.ofc.rules.rule_set import RuleSet

LEAST_HANDS = 100  # fantasyland hands
_ROUNDS = 6  # most rounds of play before the last run
_SHARE = 4  # the last run has this many times the hands of a round


@dataclass(frozen=True)
class FantasylandWorth:
    """The worth of a fantasyland hand with this number of cards, and its parts."""

    cards: int
    worth: Estimate  # the mean over both seats
    by_seat: tuple[Estimate, Estimate]  # the worth if this hand is played in the first seat, and in the second
    points: Estimate  # against a normal player in this hand: rows, scoop, royalties of both
    royalties: Estimate
    p_stay: Estimate
    p_entry: Estimate  # the chance that a normal hand against another one leads to it


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
    evaluation: str  # of normal players: "versus" of both boards, "learned" of their own, or "guide" for promise tables
    commit: str  # when fantasyland hands are set: first, in turn, or last
    seat_worth: Estimate  # the value of the second seat if both players are normal
    seed: int
    cancelled: bool

    @property
    def worths(self) -> dict[int, float]:
        """The worth by the number of cards."""
        return {item.cards: item.worth.value for item in self.fantasyland}


def with_commit(rules: RuleSet, commit: str | None) -> RuleSet:
    """Return rules under which fantasyland hands are set ``first``, in ``turn`` or ``last``; None changes nothing."""
    if commit is None:
        return rules
    data = rules.to_data()
    return RuleSet.model_validate({**data, "fantasyland": {**data["fantasyland"], "commit": commit}})


# --- the system ----------------------------------------------------------------------------------------------------

SEATS = 2


class System(NamedTuple):
    """Equations of each round: values = points + shares of the next hand's values.

    The unknowns are W[size, first seat], then W[size, second seat], then the value b of the second seat; the equations
    are those of the same hands. The last equation is for two normal players.
    """

    points: Floats  # [round, equation]
    following: Floats  # [round, equation, unknown]

    def solve(self) -> tuple[Floats, Floats]:
        """Return the unknowns, and [round, unknown] what each round adds to their errors."""
        now = _values_now(self.points.shape[1] // SEATS)
        matrix = now - self.following.mean(axis=0)
        try:
            values = np.linalg.solve(matrix, self.points.mean(axis=0)).astype(np.float64)
        except np.linalg.LinAlgError as error:
            raise InputError("under these rules fantasyland never ends, so it has no worth") from error
        off = self.points + self.following @ values - now @ values
        return values, off @ np.linalg.inv(matrix).T


def _seat_sign(seat: int) -> float:
    """Return the share of b in the value of a seat."""
    return 1.0 if seat else -1.0


def _values_now(sizes: int) -> Floats:
    """Return [equation, unknown] the value of each hand."""
    now = np.eye(SEATS * sizes + 1)
    for seat in range(SEATS):
        now[seat * sizes : (seat + 1) * sizes, -1] = _seat_sign(seat)
    return now


def _values_next(mine: NDArray[np.int64], theirs: NDArray[np.int64], seat: int, kinds: NDArray[np.int64]) -> Floats:
    """Return [round, unknown] the value of the next hand in a seat, given both players' next cards."""
    sizes = len(kinds)
    out = np.zeros((len(mine), SEATS * sizes + 1))
    out[:, seat * sizes : (seat + 1) * sizes] += mine[:, None] == kinds
    out[:, (1 - seat) * sizes : (2 - seat) * sizes] -= theirs[:, None] == kinds
    out[:, -1] = _seat_sign(seat)
    return out


def make_system(sample: Sample, sizes: tuple[int, ...], *, moves_on_stay: bool) -> System:
    """Return the equations of a sample; ``moves_on_stay`` says whether seats change after a stay too."""
    kinds = np.array(sizes, np.int64)
    rounds, count = len(sample.normal_total), SEATS * len(sizes) + 1
    points, following = np.zeros((rounds, count)), np.zeros((rounds, count, count))
    for seat in range(SEATS):
        for i in range(len(sizes)):
            equation = seat * len(sizes) + i
            points[:, equation] = sample.points[:, i].mean(axis=1)
            for player in range(NORMALS):
                mine, theirs = sample.next_cards[:, i, player], sample.met_next[:, i, player]
                changed, kept = (_values_next(mine, theirs, where, kinds) for where in (1 - seat, seat))
                stays = (mine > 0) & (not moves_on_stay)
                following[:, equation] += np.where(stays[:, None], kept, changed) / NORMALS
    points[:, -1] = sample.normal_total.mean(axis=1)
    for seating in range(sample.normal_next.shape[1]):
        first, second = sample.normal_next[:, seating].T
        following[:, -1] += _values_next(second, first, 0, kinds) / sample.normal_next.shape[1]
    return System(points, following)


class _Solution(NamedTuple):
    """The worths of a sample."""

    worth: list[Estimate]  # [size] the mean over both seats
    by_seat: list[tuple[Estimate, Estimate]]  # [size]
    seat_worth: Estimate
    foul_cost: Estimate


def _solve(sample: Sample, rules: RuleSet, sizes: tuple[int, ...]) -> _Solution:
    """Solve the system of a sample, with errors by the delta method."""
    system = make_system(sample, sizes, moves_on_stay=rules.fantasyland.button_moves_on_stay)
    values, influence = system.solve()
    count = len(sizes)
    halves = 0.5 * np.eye(count)
    mixed = np.vstack([np.eye(len(values)), np.hstack([halves, halves, np.zeros((count, 1))])])
    means, errors = mixed @ values, (influence @ mixed.T).std(axis=0, ddof=1) / math.sqrt(len(influence))
    found = [Estimate(float(mean), float(error)) for mean, error in zip(means, errors, strict=True)]
    first, second, seat_worth, worth = found[:count], found[count : 2 * count], found[2 * count], found[2 * count + 1 :]
    by_hand = (column.reshape(len(influence), -1) for column in (sample.normal_points, sample.normal_fouls))
    cost = _foul_cost(*by_hand)
    return _Solution(worth, list(zip(first, second, strict=True)), seat_worth, cost)


def _foul_cost(points: Floats, fouls: Floats) -> Estimate:
    """Return mean points without a foul minus mean points with one; the hands of a round are one observation."""
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
        The first is called with the share done. Once the second returns True, the result covers the hands so far.
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
        solution = _solve(sample, rules, table.sizes)
        moved = [abs(new.value - worth[cards]) for cards, new in zip(table.sizes, solution.worth, strict=True)]
        rounds, change = rounds + 1, max(moved, default=0.0)
        worth = {cards: new.value for cards, new in zip(table.sizes, solution.worth, strict=True)}
        foul_cost = foul_cost if math.isnan(solution.foul_cost.value) else solution.foul_cost.value
        if cancelled() or all(gone <= new.stderr for gone, new in zip(moved, solution.worth, strict=True)):
            break
    if not cancelled():
        table.done = _ROUNDS * trial
        sample = table.play(worth, foul_cost, trial, hands)
    return _answer(table, sample, rounds, change, cancelled())


def _answer(table: Table, sample: Sample, rounds: int, change: float, cancelled: bool) -> RulesWorth:
    solution = _solve(sample, table.rules, table.sizes)
    fantasyland = tuple(
        FantasylandWorth(
            cards=cards,
            worth=solution.worth[i],
            by_seat=solution.by_seat[i],
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
        evaluation=table.evaluation,
        commit=table.rules.fantasyland.commit,
        seat_worth=solution.seat_worth,
        seed=table.seed,
        cancelled=cancelled,
    )
