"""The best replies of an opponent who sees a finished board: after each last deal, the board that settles best.

An opponent is a list of boards, the choice of boards after each deal, and the probability of each deal. If one deal is
left, all deals are listed and the mean over them is exact. Hidden discards cannot be dealt. If they are inferred, the
probabilities of deals follow from those of the discards by inclusion and exclusion.
"""

from functools import lru_cache
from itertools import combinations, permutations
from math import comb, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.games.ofc.exact.settlement import split_settlement
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.hands.placements import count_placements, list_placements
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES
from bromeliad.games.ofc.rules.rule_tables import Flag, Tables
from bromeliad.games.ofc.rules.scoring import Scored, score_board, settle
from bromeliad.games.ofc.spot import Spot

MOST_CHOICES = 4_000_000
"""The maximum number of replies over all deals that are listed; more take too long."""

_MOST_DISCARDS = 100_000  # maximum number of sets of hidden discards that are listed
_ROW_BITS = 2  # per card of a placement code


class Replies(NamedTuple):
    """The possible final boards of an opponent."""

    boards: NDArray[np.int64]  # [board, offset in Scored]
    choices: NDArray[np.int64]  # [deal, choice] number of a board; a deal with fewer choices repeats one
    weights: NDArray[np.float64]  # [deal] its probability
    exact: bool  # all deals are listed, not sampled
    fantasyland: int = 0  # cards of the opponent's fantasyland hand


class ReplyContext(NamedTuple):
    """Everything that settlements depend on apart from the two boards."""

    tables: Tables
    worth: NDArray[np.float64]  # as in HandState
    goes_by: NDArray[np.float64]  # the worth by which the opponents choose
    seen: int  # open cards of the opponents
    fantasyland: int  # of my hand, as in HandState
    points: NDArray[np.int64]  # scratch of four entries


@kernel
def best_replies(
    context: ReplyContext, mine: Ints, boards: Ints, current: int, choices: Ints, gains: Floats, parts: Floats
) -> None:
    """Write, for each deal, the parts of the settlement of ``mine`` with the board that the opponent chooses.

    The opponent chooses the board that settles best; of equal boards one without a foul, then the one with more
    royalties, then the one with the better fantasyland.

    Parameters
    ----------
    mine, boards
        My scored board and the opponent's boards; they are scored again if jokers depend on the other board's cards.
    current
        The number of cards of the opponent's fantasyland hand, 0 for a normal hand.
    gains
        Scratch, one entry per board.
    parts
        [deal, offset in Part]
    """
    tables, worth = context.tables, context.worth
    copies = tables.flags[Flag.MAY_COPY_SEEN]
    for i in range(boards.shape[0]):
        if not copies:
            _score_both(context, mine, boards[i], current)
        lost = settle(tables, mine, boards[i], context.points)
        gains[i] = context.goes_by[boards[i, Scored.NEXT_CARDS]] - lost - worth[mine[Scored.NEXT_CARDS]]
    for deal in range(choices.shape[0]):
        best = choices[deal, 0]
        for number in range(1, choices.shape[1]):
            if _takes(worth, gains, boards, choices[deal, number], best):
                best = choices[deal, number]
        if not copies:
            _score_both(context, mine, boards[best], current)
        split_settlement(tables, worth, mine, boards[best], context.points, parts[deal])


@kernel
def _score_both(context: ReplyContext, mine: Ints, theirs: Ints, current: int) -> None:
    """Score two boards whose jokers may not copy a card of either board."""
    first = Scored.MASK
    seen = context.seen
    for row in range(3):
        seen |= mine[first + row] | theirs[first + row]
    score_board(context.tables, mine[first], mine[first + 1], mine[first + 2], context.fantasyland, seen, mine)
    score_board(context.tables, theirs[first], theirs[first + 1], theirs[first + 2], current, seen, theirs)


@kernel(inline=True)
def _takes(worth: Floats, gains: Floats, boards: Ints, new: int, old: int) -> bool:
    """Return whether the opponent prefers the new board to the old one."""
    if gains[new] != gains[old]:
        return gains[new] > gains[old]
    if boards[new, Scored.FOUL] != boards[old, Scored.FOUL]:
        return boards[new, Scored.FOUL] < boards[old, Scored.FOUL]
    if boards[new, Scored.ROYALTIES] != boards[old, Scored.ROYALTIES]:
        return boards[new, Scored.ROYALTIES] > boards[old, Scored.ROYALTIES]
    return worth[boards[new, Scored.NEXT_CARDS]] > worth[boards[old, Scored.NEXT_CARDS]]


def finished_board(spot: Spot, tables: Tables, board: PlayerArrangement) -> Replies:
    """Return the only board of an opponent who has finished."""
    boards = np.zeros((1, Scored.SIZE), np.int64)
    score_board(tables, *board.masks, 0, spot.opponents_open.mask, boards[0])
    return Replies(boards, np.zeros((1, 1), np.int64), np.ones(1), exact=True)


def can_list_deals(spot: Spot, board: PlayerArrangement, discards: int) -> bool:
    """Return whether an opponent has one deal left, with few enough possible deals to list.

    Parameters
    ----------
    discards
        The number of hidden discards that are inferred; 0 if all unseen cards are equally likely.
    """
    street = spot.rules.streets[-1]
    if sum(ROW_SIZES) - board.cards.size != street.place:
        return False
    unseen = spot.unseen.size
    replies = count_placements(street.deal, *_free(board), street.place)
    return comb(unseen, street.deal) * replies <= MOST_CHOICES and comb(unseen, discards) <= _MOST_DISCARDS


def list_deals(
    spot: Spot, tables: Tables, board: PlayerArrangement, discards: int, weights: NDArray[np.float64]
) -> Replies:
    """Return the replies of an opponent with one deal left: all deals from the unseen cards, and all replies to each.

    Parameters
    ----------
    discards
        The number of hidden discards that are inferred; 0 if all unseen cards are equally likely.
    weights
        The weight of each card among the hidden discards.
    """
    street = spot.rules.streets[-1]
    cards = np.array([card.value for card in spot.unseen], np.int64)
    codes = np.zeros(count_placements(street.place, *_free(board), street.place), np.int64)
    ways = int(list_placements(street.place, *_free(board), street.place, False, codes))
    placed = _combinations(len(cards), street.place)
    boards = np.zeros((len(placed) * ways, Scored.SIZE), np.int64)
    seen = int64(spot.opponents_open.mask)
    _fill_boards(tables, np.array(board.masks, np.int64), cards[placed], codes[:ways], seen, boards)
    deals = _combinations(len(cards), street.deal)
    kept = np.array(list(combinations(range(street.deal), street.place)), np.int64)
    numbers = _numbers(deals[:, kept])  # [deal, which cards are placed]
    choices = (numbers[:, :, None] * ways + np.arange(ways)).reshape(len(deals), -1)
    return Replies(boards, choices, _likelihood(deals, weights[cards], discards), exact=True)


def _free(board: PlayerArrangement) -> tuple[int, int, int]:
    top, middle, back = (row.position.size - len(row.cards) for row in board.rows)
    return top, middle, back


@kernel
def _fill_boards(tables: Tables, rows: Ints, placed: Ints, codes: Ints, seen: int, out: Ints) -> None:
    """Score the board after placing every set of cards in every possible way."""
    at = 0
    for i in range(placed.shape[0]):
        for j in range(codes.size):
            top, middle, back = rows[0], rows[1], rows[2]
            for k in range(placed.shape[1]):
                row, card = codes[j] >> (_ROW_BITS * k) & 3, int64(1) << placed[i, k]
                if row == 1:
                    top |= card
                elif row == 2:
                    middle |= card
                else:
                    back |= card
            score_board(tables, top, middle, back, 0, seen | top | middle | back, out[at])
            at += 1


# --- sets of cards and their probabilities ------------------------------------------------------------------------


@lru_cache(maxsize=32)
def _combinations(count: int, size: int) -> NDArray[np.int64]:
    """Return [set, card] all sets of ``size`` out of ``count`` cards, in the order of their numbers."""
    sets = np.array(list(combinations(range(count), size)), np.int64).reshape(-1, size)
    sets = sets[np.argsort(_numbers(sets))]
    sets.setflags(write=False)
    return sets


def _numbers(sets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the combinatorial number of each set; its cards are in the last axis, in ascending order."""
    size = sets.shape[-1]
    below = np.array([[comb(card, i + 1) for card in range(int(sets.max(initial=0)) + 1)] for i in range(size)])
    numbers = np.zeros(sets.shape[:-1], np.int64)
    for i in range(size):
        numbers += below[i][sets[..., i]]
    return numbers


def _likelihood(deals: NDArray[np.int64], weights: NDArray[np.float64], discards: int) -> NDArray[np.float64]:
    """Return the probability of each deal after some discards, which are drawn one after the other by weight."""
    if discards == 0:
        return np.full(len(deals), 1.0 / len(deals))
    count, size = len(weights), deals.shape[1]
    gone = _combinations(count, discards)
    probability = _drawn(weights[gone], float(weights.sum()))
    untouched = np.ones(len(deals))  # the probability that no card of the deal was discarded
    for order in range(1, min(discards, size) + 1):
        known = np.zeros(comb(count, order))
        for which in combinations(range(discards), order):
            known += np.bincount(_numbers(gone[:, which]), probability, len(known))
        for which in combinations(range(size), order):
            untouched += (-1) ** order * known[_numbers(deals[:, which])]
    return np.maximum(untouched, 0.0) / comb(count - discards, size)


def _drawn(weights: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """Return the probability of drawing each set of cards in any order, given their weights [set, card]."""
    probability = np.zeros(len(weights))
    for order in permutations(range(weights.shape[1])):
        drawn = weights[:, order]
        left = total - np.cumsum(drawn, axis=1) + drawn
        probability += prod(drawn[:, i] / left[:, i] for i in range(len(order)))
    return probability
