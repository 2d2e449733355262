"""Candidates for each row of a fantasyland board: every set of three or five cards, rated, best first.

A table has the value of a row (royalties, and points against known boards) by its strength. A row with jokers may have
to be weaker than its best, so as not to beat the row behind it. Its rating is the most that any of its strengths pays:
an upper bound.
"""

from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import CardSet
from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.games.ofc.hands.automaton import (
    EMPTY_ROW,
    HandTables,
    add_card,
    best_strength,
    row_place,
    weakest_strength,
)
from bromeliad.games.ofc.rules.rule_tables import STAY, Flag, Tables
from bromeliad.games.ofc.rules.scoring import Scored

TOP, MIDDLE, BACK = 0, 1, 2
TIE = 1e-9
"""Points per step of strength, so that of equally good boards the strongest comes first: below 0.00003 per board."""


class Question(NamedTuple):
    """The data by which boards are judged, and scratch arrays for judging one board."""

    tables: Tables
    worth: NDArray[np.float64]  # [cards] worth of the next fantasyland hand, [FOUL_COST] cost of a foul
    opponents: NDArray[np.int64]  # [opponent] scored boards; none under the solo objective
    cards: int  # number of cards in this fantasyland hand
    seen: int  # opponents' open cards, as a mask
    mine: NDArray[np.int64]
    points: NDArray[np.int64]


class Gains(NamedTuple):
    """The points of each row by its strength, and the points that depend on the whole board."""

    points: NDArray[np.float64]  # [row, strength] royalties from all opponents, row points, and the tie-break
    ceiling: NDArray[np.float64]  # [row, strength] the most that this or a lower strength pays
    wins: NDArray[np.int64]  # [row, strength] a bit for each opponent whose row is beaten
    stay: float  # points for staying in fantasyland; 0 if staying costs points
    scoop: float  # points per opponent beaten in all three rows; 0 if a scoop costs points
    sure: float  # points of every unfouled board, whatever its rows


class Candidates(NamedTuple):
    """The sets of cards that can be one row, in parallel arrays."""

    mask: NDArray[np.int64]
    row: NDArray[np.int64]  # the row as a number of the automaton
    best: NDArray[np.int64]  # greatest strength; 0 for a low middle that does not qualify
    floor: NDArray[np.int64]  # least strength; less than best only with jokers
    value: NDArray[np.float64]  # the most that the row pays, without a stay
    key: NDArray[np.float64]  # value, plus the points for a stay if the row earns one


def list_sets(hands: HandTables, hand: CardSet) -> tuple[Candidates, Candidates]:
    """Return every set of three and every set of five cards of a hand, not rated yet."""
    cards = np.array([card.value for card in hand], np.int64)
    threes, fives = (_new_candidates(comb(len(cards), size)) for size in (3, 5))
    _list_threes(hands, cards, threes)
    _list_fives(hands, cards, fives)
    return threes, fives


def _new_candidates(size: int) -> Candidates:
    """Return arrays for this number of sets, not filled yet."""
    mask, row, best, floor = (np.empty(size, np.int64) for _ in range(4))
    return Candidates(mask, row, best, floor, np.empty(size), np.empty(size))


def pick(candidates: Candidates, index: NDArray[np.int64] | NDArray[np.bool_]) -> Candidates:
    """Return the candidates at these indices."""
    return Candidates._make(array[index] for array in candidates)


def make_gains(question: Question) -> Gains:
    """Return the gains of a question; its opponents' boards must be scored already."""
    tables, opponent_tables = question.tables, question.opponents
    flags = [int(flag) for flag in tables.flags]
    points = tables.royalty.astype(np.float64) * max(1, len(opponent_tables))
    wins = np.zeros(points.shape, np.int64)
    sure = 0.0
    strengths = np.arange(points.shape[1])
    for number, theirs in enumerate(opponent_tables):
        sure -= float(theirs[Scored.ROYALTIES]) + question.worth[theirs[Scored.NEXT_CARDS]]
        if theirs[Scored.FOUL]:
            sure += sum(flags[Flag.ROW_POINTS : Flag.ROW_POINTS + 3]) + flags[Flag.SCOOP]
            continue
        for row in (TOP, MIDDLE, BACK):
            price, other = flags[Flag.ROW_POINTS + row], theirs[Scored.STRENGTH + row]
            points[row] += price * np.sign(strengths - other)
            if flags[Flag.SUITS_BREAK_TIES]:
                points[row, other] += abs(price)  # the best outcome of a tie
                wins[row, other] |= 1 << number
            wins[row, other + 1 :] |= 1 << number
    points += TIE * strengths
    scoop = flags[Flag.SCOOP]
    if scoop < 0:
        sure -= scoop * len(opponent_tables)  # being scooped pays: every bound must allow for it
    stay = question.worth[flags[Flag.STAY_CARDS] or question.cards] * max(1, len(opponent_tables))
    ceiling = np.maximum.accumulate(points[:, 1:], axis=1)
    return Gains(
        points=points,
        ceiling=np.concatenate((points[:, :1], ceiling), axis=1),
        wins=wins,
        stay=max(0.0, float(stay)),
        scoop=max(0.0, float(scoop)),
        sure=float(sure),
    )


@kernel
def _list_threes(hands: HandTables, cards: Ints, out: Candidates) -> None:
    """Write the mask and the row of every set of three cards."""
    at = 0
    for a in range(len(cards)):
        row_a = add_card(hands, int64(EMPTY_ROW), cards[a])
        for b in range(a):
            row_b = add_card(hands, row_a, cards[b])
            for c in range(b):
                out.row[at] = add_card(hands, row_b, cards[c])
                out.mask[at] = int64(1) << cards[a] | int64(1) << cards[b] | int64(1) << cards[c]
                at += 1


@kernel
def _list_fives(hands: HandTables, cards: Ints, out: Candidates) -> None:
    """Write the mask and the row of every set of five cards."""
    at = 0
    for a in range(len(cards)):
        row_a = add_card(hands, int64(EMPTY_ROW), cards[a])
        for b in range(a):
            row_b = add_card(hands, row_a, cards[b])
            two = int64(1) << cards[a] | int64(1) << cards[b]
            for c in range(b):
                row_c = add_card(hands, row_b, cards[c])
                for d in range(c):
                    row_d = add_card(hands, row_c, cards[d])
                    four = two | int64(1) << cards[c] | int64(1) << cards[d]
                    for e in range(d):
                        out.row[at] = add_card(hands, row_d, cards[e])
                        out.mask[at] = four | int64(1) << cards[e]
                        at += 1


@kernel(inline=True)
def strength_range(tables: Tables, row: int, low: bool) -> tuple[int, int]:
    """Return the greatest and the least strength of a full row; a ``low`` middle has one, 0 if it does not qualify."""
    if low:
        strength = int64(tables.low[row_place(row)])
        return strength, strength
    return best_strength(tables.hands, row), weakest_strength(tables.hands, row)


@kernel
def rate_rows(tables: Tables, gains: Gains, row: int, out: Candidates) -> None:
    """Set the strengths, value and key of each candidate for one row of the board."""
    low = row == MIDDLE and tables.flags[Flag.LOW_MIDDLE] != 0
    for i in range(len(out.row)):
        best, floor = strength_range(tables, out.row[i], low)
        out.best[i], out.floor[i] = best, floor
        out.value[i] = gains.points[row, best] if floor == best else gains.ceiling[row, best]
        out.key[i] = out.value[i] + gains.stay * tables.marks[STAY + row, best]


@kernel
def best_first(candidates: Candidates, levels: Floats, codes: Ints, counts: Ints, work: Ints, order: Ints) -> None:
    """Write the indices of the candidates into ``order``, greatest key first.

    Without the tie-break there are few different keys, so two counting sorts suffice: by strength, then by key.
    ``levels``, ``codes`` and ``work`` have one entry per candidate, ``counts`` one per strength.
    """
    best, found = candidates.best, 0
    for i in range(len(order)):
        key = candidates.key[i] - TIE * best[i]
        at = _level(levels, found, key)
        if at == found or levels[at] < key - TIE / 2:
            for j in range(found, at, -1):
                levels[j] = levels[j - 1]
            levels[at] = key
            found += 1
        codes[i] = len(counts) - 1 - best[i]
        order[i] = i
    _counting_sort(order, codes, counts, work)
    for i in range(len(order)):
        codes[i] = _level(levels, found, candidates.key[i] - TIE * best[i])
    _counting_sort(work, codes, counts, order)


@kernel(inline=True)
def _level(levels: Floats, found: int, key: float) -> int:
    """Return the position of a key among the different keys, greatest first."""
    at = 0
    while at < found and levels[at] > key + TIE / 2:
        at += 1
    return at


@kernel(internal=True)
def _counting_sort(items: Ints, codes: Ints, counts: Ints, out: Ints) -> None:
    """Write the items sorted by code, smallest first; the sort is stable."""
    counts[:] = 0
    for i in items:
        counts[codes[i]] += 1
    total = 0
    for code in range(len(counts)):
        total += counts[code]
        counts[code] = total - counts[code]
    for i in items:
        out[counts[codes[i]]] = i
        counts[codes[i]] += 1
