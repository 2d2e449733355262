"""Promise tables: what each row may still become, by its automaton state. They steer the search; no EV comes from them.

For every row and state the tables have the expected pay of the finished row, and the mean and variance of its final
strength. Both come from one backward pass over the automaton. The next card is the best of a few random ones, because a
player has some choice of what goes where. Live cards are ignored; the simulations take care of them.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.kernel_cache import cached_arrays
from bromeliad.games.ofc.hands.automaton import JOKER_RANK, SYMBOLS, HandType, hand_tables, hand_types
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES, RuleSet
from bromeliad.games.ofc.rules.rule_tables import rule_tables

CHOICE = 4.0
"""The next card of a row is the best of this number of random cards."""

BASE_VALUES: tuple[dict[int, float], ...] = (
    {HandType.PAIR: 3, HandType.THREE_OF_KIND: 10},
    {
        HandType.PAIR: 1,
        HandType.TWO_PAIR: 2,
        HandType.THREE_OF_KIND: 4,
        HandType.STRAIGHT: 6,
        HandType.FLUSH: 8,
        HandType.FULL_HOUSE: 12,
        HandType.FOUR_OF_KIND: 20,
        HandType.STRAIGHT_FLUSH: 30,
        HandType.ROYAL_FLUSH: 30,
    },
    {
        HandType.PAIR: 0.5,
        HandType.TWO_PAIR: 1,
        HandType.THREE_OF_KIND: 2,
        HandType.STRAIGHT: 3,
        HandType.FLUSH: 4,
        HandType.FULL_HOUSE: 6,
        HandType.FOUR_OF_KIND: 10,
        HandType.STRAIGHT_FLUSH: 15,
        HandType.ROYAL_FLUSH: 15,
    },
)
"""Base values of a finished top, middle and back row by category, set by hand."""

BASE_WEIGHT = 0.2
"""Share of the base value that is added to a row's pay: it separates rows that pay nothing."""


# First rows of the tables, which are indexed by [table + row, 2 * state + one suit].
EXPECTED_PAY = 0  # of the finished row, with a share of its base value
MEAN = 3  # of the final strength; in a deuce-to-seven middle, the probability to qualify
VARIANCE = 6  # of the final strength
CEILING = 9  # the most that the row can still pay
HIGHEST = 12  # strongest possible final strength
LOWEST = 15  # weakest one
PARTS = 18

PromiseTables = NDArray[np.float64]


def empty_promise_tables() -> PromiseTables:
    """Return empty tables, for states that are never searched."""
    tables = np.zeros((PARTS, 0))
    tables.setflags(write=False)  # as the full tables: read-only arrays are a type of their own to the kernels
    return tables


class _RowPromise(NamedTuple):
    """The tables of one row."""

    expected_pay: NDArray[np.float64]
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    ceiling: NDArray[np.float64]
    highest: NDArray[np.float64]
    lowest: NDArray[np.float64]


def _states() -> list[list[int]]:
    """Return the automaton states by their number of cards."""
    step = hand_tables().step.reshape(-1, SYMBOLS)
    levels = [[0]]
    for _ in range(5):
        following = np.unique(step[levels[-1]])
        levels.append([int(state) for state in following if state < len(step) - 1])
    return levels


def _chances(level: Iterable[int], rank_of: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the probability of each next rank, given the row's cards and a fresh deck without jokers."""
    left: NDArray[np.float64] = np.maximum(4.0 - rank_of[list(level)][:, :JOKER_RANK], 0.0)
    chances: NDArray[np.float64] = left / left.sum(axis=1, keepdims=True)
    return chances


def _rank_counts() -> NDArray[np.int64]:
    """Return how often each state holds each rank."""
    step = hand_tables().step.reshape(-1, SYMBOLS)
    counts = np.zeros((len(step), SYMBOLS), np.int64)
    for level in _states()[:-1]:
        for state in level:
            for rank in range(SYMBOLS):
                following = step[state, rank]
                if following < len(step) - 1:
                    counts[following] = counts[state]
                    counts[following, rank] += 1
    return counts


def _expected_best(
    values: NDArray[np.float64], chances: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return, for each state, its outcomes from worst to best and the probability that each is the best of CHOICE."""
    order = np.argsort(values, axis=1, kind="stable")
    below = np.cumsum(np.take_along_axis(chances, order, axis=1), axis=1)
    best = np.minimum(below, 1.0) ** CHOICE
    weights = np.diff(best, axis=1, prepend=0.0)
    return order, weights / weights.sum(axis=1, keepdims=True)


@lru_cache(maxsize=8)
def promise_tables(rules: RuleSet, pay_bytes: bytes) -> PromiseTables:
    """Return the tables of a rule set and its pay by row and strength (the bytes of a float64 array)."""
    pay = np.frombuffer(pay_bytes).reshape(3, -1)
    tables = rule_tables(rules)
    kinds = hand_types()
    base = np.array([[table.get(kind.category, 0.0) if kind else 0.0 for kind in kinds] for table in BASE_VALUES])
    if rules.order.low_middle:
        base[1] = 0.0
    promise = np.zeros((PARTS, 2 * len(tables.hands.natural)))
    counts = cached_arrays("ofc-ranks", lambda: {"counts": _rank_counts()})["counts"]
    for row, size in enumerate(ROW_SIZES):
        low = row == 1 and rules.order.low_middle is not None
        ends = _Ends(tables.low if low else tables.hands.strength, pay[row], pay[row] + BASE_WEIGHT * base[row], low)
        _fill_row(_RowPromise(*promise[row::3]), size, ends, counts, rules.jokers.count > 0)
    promise.setflags(write=False)
    return promise


class _Ends(NamedTuple):
    """The values of full rows."""

    strength: NDArray[np.int32]  # [2 * state + one suit]
    pay: NDArray[np.float64]  # [strength]
    worth: NDArray[np.float64]  # [strength] pay and a share of the base value
    low: bool  # a deuce-to-seven row: its mean is the probability to qualify


def _fill_row(row: _RowPromise, size: int, ends: _Ends, counts: NDArray[np.int64], jokers: bool) -> None:
    """Fill one row's tables, from full rows back to the empty one."""
    levels = _states()
    for suited in (0, 1):
        entry = 2 * np.array(levels[size]) + suited
        strength = ends.strength[entry]
        wild = counts[levels[size]][:, JOKER_RANK] > 0
        row.expected_pay[entry] = ends.worth[strength]
        # to avoid a foul a joker may have to make a weaker hand, which may pay more
        row.ceiling[entry] = np.where(wild, np.maximum.accumulate(ends.pay)[strength], ends.pay[strength])
        row.mean[entry] = strength > 0 if ends.low else strength
        row.highest[entry] = strength
        row.lowest[entry] = np.where(wild, 0, strength)
    for level in reversed(levels[:size]):
        for suited in (1, 0):
            _fill_level(row, level, suited, counts, jokers)


def _fill_level(row: _RowPromise, level: list[int], suited: int, counts: NDArray[np.int64], jokers: bool) -> None:
    """Fill the states with one number of cards from those with one card more."""
    step = hand_tables().step.reshape(-1, SYMBOLS).astype(np.int64)
    states = np.array(level)
    entry = 2 * states + suited
    # One card in four keeps a row in its suit; the first card of a row always does.
    keeps = (1.0 if level == [0] else 0.25) if suited else 0.0
    chances = _chances(level, counts)
    following = step[states][:, :JOKER_RANK]
    outcomes = np.concatenate([2 * following, 2 * following + 1], axis=1)
    odds = np.concatenate([chances * (1.0 - keeps), chances * keeps], axis=1)
    order, weights = _expected_best(row.expected_pay[outcomes], odds)
    chosen = np.take_along_axis(outcomes, order, axis=1)
    row.expected_pay[entry] = (weights * row.expected_pay[chosen]).sum(axis=1)
    row.mean[entry] = (weights * row.mean[chosen]).sum(axis=1)
    second = (weights * (row.variance[chosen] + row.mean[chosen] ** 2)).sum(axis=1)
    row.variance[entry] = np.maximum(second - row.mean[entry] ** 2, 0.0)
    if jokers:  # bounds must allow for a joker, which the odds leave out
        wild = 2 * step[states][:, JOKER_RANK:] + suited
        outcomes, odds = np.concatenate([outcomes, wild], axis=1), np.pad(odds, ((0, 0), (0, 1)), constant_values=1.0)
    possible = (odds > 0.0) & (outcomes < row.ceiling.size - 2)
    row.ceiling[entry] = np.where(possible, row.ceiling[outcomes], -np.inf).max(axis=1)
    row.highest[entry] = np.where(possible, row.highest[outcomes], 0).max(axis=1)
    row.lowest[entry] = np.where(possible, row.lowest[outcomes], 1 << 30).min(axis=1)
