"""The pair matrix: the exact mean over all last draws of three cards, of which two are placed.

With two free places and n unseen cards, ``value[x, y]`` is the best value of placing the pair {x, y} there. One of
three cards is discarded, so the value of the best reply to the draw {x, y, z} is the largest of three entries, and the
value of the board is the mean of these over all C(n, 3) draws. This takes an n × n table and a loop that the compiler
vectorises, instead of hundreds of thousands of evaluations. The same loop gives, for every card z, the sum over the
draws that contain z. So the mean over the deck without z, which street 3 needs after discarding z, costs nothing more.

An entry may also have a packed count of (foul, fantasyland, royalties): see ``FOUL_UNIT`` and the other units.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE
from bromeliad.core.jit import Ints, int64, kernel
from bromeliad.games.ofc.exact.scratch import CARDS, COUNT_SUMS, PAY, STRENGTH, SUMS, WIDTH, PairScratch
from bromeliad.games.ofc.hands.automaton import HandTables, add_card, best_strength
from bromeliad.games.ofc.opponents.tables import OpponentTables, expected_scoop
from bromeliad.games.ofc.rules.rule_tables import Flag, Tables
from bromeliad.games.ofc.values.hand_state import FOUL_COST, BoardValue, rows_value

FOUL_UNIT = int64(1)
FANTASYLAND_UNIT = int64(1 << 16)
ROYALTY_UNIT = int64(1 << 32)
_HIGHEST = int64(1 << 30)  # more than any strength
NO_PAIR = -1e30
"""On the diagonal, where there is no pair: less than any value, so never chosen."""


class ExactContext(NamedTuple):
    """The rules and the objective, for the exact kernels."""

    tables: Tables
    worth: NDArray[np.float64]  # as in HandState
    pay: NDArray[np.float64]  # as in HandState
    opponent_tables: OpponentTables  # as in HandState
    seen: int  # open cards on other boards
    fantasyland: int  # as in HandState


@kernel(inline=True)
def deck_cards(mask: int, whole: Ints) -> int:
    """Write the cards of a mask into the row CARDS of ``whole``, lowest first; return their number."""
    count = 0
    card = 0
    while mask:
        if mask & 1:
            whole[CARDS, count] = card
            count += 1
        mask >>= 1
        card += 1
    return count


@kernel(inline=True)
def put_in_row(hands: HandTables, top: int, middle: int, back: int, row: int, card: int) -> tuple[int, int, int]:
    """Return the three rows after adding a card to one of them."""
    if row == 0:
        return add_card(hands, top, card), middle, back
    if row == 1:
        return top, add_card(hands, middle, card), back
    return top, middle, add_card(hands, back, card)


@kernel(internal=True)
def _pair_value(
    context: ExactContext, top: int, middle: int, back: int, first: int, second: int, x: int, y: int, board: int
) -> BoardValue:
    """Return :func:`rows_value` of the board with x in row ``first`` and y in row ``second``."""
    hands = context.tables.hands
    a, b, c = put_in_row(hands, top, middle, back, first, x)
    a, b, c = put_in_row(hands, a, b, c, second, y)
    seen = context.seen | board | int64(1) << x | int64(1) << y
    return rows_value(context.tables, context.worth, context.opponent_tables, a, b, c, seen, context.fantasyland)


@kernel(inline=True)
def is_better(value: float, packed: int, best: float, best_packed: int) -> bool:
    """Return whether a value beats another; of equal values, the one without a foul is better."""
    return value > best or (value == best and packed % FANTASYLAND_UNIT < best_packed % FANTASYLAND_UNIT)


@kernel(inline=True)
def _packed(fouled: bool, royalties: int, cards: int) -> int:
    return int64(fouled) * FOUL_UNIT + int64(cards > 0) * FANTASYLAND_UNIT + int64(royalties) * ROYALTY_UNIT


@kernel
def fill_pair_counts(
    context: ExactContext,
    top: int,
    middle: int,
    back: int,
    first: int,
    second: int,
    board: int,
    count: int,
    scratch: PairScratch,
) -> None:
    """Fill the matrix and the packed counts for two free places, one in each of the given rows."""
    for i in range(count):
        scratch.real[i, i] = NO_PAIR
        scratch.whole[i, i] = 0
        for j in range(i + 1, count):
            x, y = scratch.whole[CARDS, i], scratch.whole[CARDS, j]
            value, fouled, royalties, cards = _pair_value(context, top, middle, back, first, second, x, y, board)
            packed = _packed(fouled, royalties, cards)
            if first != second:
                other, fouled, royalties, cards = _pair_value(context, top, middle, back, first, second, y, x, board)
                other_packed = _packed(fouled, royalties, cards)
                if is_better(other, other_packed, value, packed):
                    value, packed = other, other_packed
            scratch.real[i, j] = scratch.real[j, i] = value
            scratch.whole[i, j] = scratch.whole[j, i] = packed


@kernel(internal=True)
def _fill_slowly(
    context: ExactContext,
    top: int,
    middle: int,
    back: int,
    first: int,
    second: int,
    board: int,
    start: int,
    count: int,
    scratch: PairScratch,
) -> None:
    """Fill the matrix entry by entry for the cards from ``start`` on: correct for all rules and for jokers."""
    for j in range(start, count):
        scratch.real[j, j] = NO_PAIR
        for i in range(j):
            x, y = scratch.whole[CARDS, i], scratch.whole[CARDS, j]
            value = _pair_value(context, top, middle, back, first, second, x, y, board)[0]
            if first != second:
                value = max(value, _pair_value(context, top, middle, back, first, second, y, x, board)[0])
            scratch.real[i, j] = scratch.real[j, i] = value


@kernel(inline=True)
def _fill_one_row(
    context: ExactContext,
    row_state: int,
    row: int,
    low: int,
    high: int,
    fixed: float,
    strengths: tuple[int, int, int],
    count: int,
    scratch: PairScratch,
) -> None:
    """Fill the matrix for two free places in one row, whose final strength must be from ``low`` to ``high``.

    ``strengths`` has those of all rows; the entry of the open row is ignored.
    """
    hands, opponent_tables = context.tables.hands, context.opponent_tables
    cost = -context.worth[FOUL_COST]
    for i in range(count):
        scratch.real[i, i] = NO_PAIR
        half = add_card(hands, row_state, scratch.whole[CARDS, i])
        for j in range(i + 1, count):
            strength = best_strength(hands, add_card(hands, half, scratch.whole[CARDS, j]))
            fits = low <= strength and strength <= high
            value = context.pay[row, strength] + fixed if fits else cost
            if opponent_tables.scoop.size and fits:
                a = strength if row == 0 else strengths[0]
                b = strength if row == 1 else strengths[1]
                c = strength if row == 2 else strengths[2]
                value += expected_scoop(opponent_tables, a, b, c)
            scratch.real[i, j] = scratch.real[j, i] = value


@kernel(inline=True, fastmath=True)
def _fill_two_rows(
    context: ExactContext,
    low_row: int,
    high_row: int,
    middle_strength: int,
    edge: int,
    fixed: float,
    count: int,
    scratch: PairScratch,
) -> None:
    """Fill the matrix for a free place in each of two rows, whose strengths and pay are in ``scratch``.

    ``low_row`` is nearer to the top. The strength of the finished row is ``middle_strength`` if it is the middle,
    otherwise ``edge``.
    """
    strict = context.tables.flags[Flag.STRICT]
    cost = -context.worth[FOUL_COST]
    whole, real = scratch.whole, scratch.real
    for i in range(count):
        mine = whole[STRENGTH, i]
        low = mine + strict
        high = _HIGHEST
        if low_row == 0 and high_row == 1:
            high = edge - strict
        elif low_row == 1:
            low = low if mine >= edge + strict else high
        else:
            low = middle_strength + strict if mine <= middle_strength - strict else high
        base = real[PAY, i] + fixed
        for j in range(WIDTH):
            fits = low <= whole[STRENGTH + 1, j] and whole[STRENGTH + 1, j] <= high
            scratch.real[i, j] = base + real[PAY + 1, j] if fits else cost
        if context.opponent_tables.scoop.size:
            for j in range(count):
                theirs = whole[STRENGTH + 1, j]
                if low <= theirs and theirs <= high:
                    a = mine if low_row == 0 else edge
                    b = mine if low_row == 1 else theirs if high_row == 1 else middle_strength
                    c = theirs if high_row == 2 else edge
                    scratch.real[i, j] += expected_scoop(context.opponent_tables, a, b, c)
    for i in range(count):
        scratch.real[i, i] = NO_PAIR
        for j in range(i + 1, count):
            scratch.real[i, j] = scratch.real[j, i] = max(scratch.real[i, j], scratch.real[j, i])


@kernel(internal=True)
def _row_strengths(
    context: ExactContext, row_state: int, row: int, slot: int, count: int, scratch: PairScratch
) -> None:
    for i in range(count):
        strength = best_strength(
            context.tables.hands, add_card(context.tables.hands, row_state, scratch.whole[CARDS, i])
        )
        scratch.whole[STRENGTH + slot, i] = strength
        scratch.real[PAY + slot, i] = context.pay[row, strength]


@kernel
def fill_pairs(
    context: ExactContext,
    top: int,
    middle: int,
    back: int,
    first: int,
    second: int,
    board: int,
    count: int,
    scratch: PairScratch,
) -> None:
    """Fill the matrix for two free places, one in each of the given rows (``first`` ≤ ``second``)."""
    naturals = count
    while naturals > 0 and scratch.whole[CARDS, naturals - 1] >= DECK_SIZE:
        naturals -= 1
    if not context.tables.flags[Flag.ADDITIVE] or board >> DECK_SIZE:
        naturals = 0
    hands, strict = context.tables.hands, context.tables.flags[Flag.STRICT]
    if naturals > 0:
        a, b, c = best_strength(hands, top), best_strength(hands, middle), best_strength(hands, back)
        fixed = (
            (context.pay[0, a] if first > 0 else 0.0)
            + (context.pay[1, b] if first != 1 and second != 1 else 0.0)
            + (context.pay[2, c] if second < 2 else 0.0)
        )
        if first == second:
            low, high = int64(0), _HIGHEST
            if first == 0:
                high = b - strict if b <= c - strict else int64(-1)
            elif first == 1:
                low, high = a + strict, c - strict
            else:
                low = b + strict if a <= b - strict else _HIGHEST
            row = top if first == 0 else middle if first == 1 else back
            _fill_one_row(context, row, first, low, high, fixed, (a, b, c), naturals, scratch)
        else:
            _row_strengths(context, top if first == 0 else middle, first, 0, naturals, scratch)
            _row_strengths(context, middle if second == 1 else back, second, 1, naturals, scratch)
            edge = c if second == 1 else a
            _fill_two_rows(context, first, second, b, edge, fixed, naturals, scratch)
    _fill_slowly(context, top, middle, back, first, second, board, naturals, count, scratch)


@kernel(fastmath=True)
def best_reply_sums(count: int, scratch: PairScratch) -> float:
    """Return the sum of the best replies to all draws; the sums by card are left in the row ``SUMS``.

    The loop combines every pair with every third card, so it visits each draw three times and adds it to the sums of
    all its cards. If the third card is one of the pair, the pair's own value is added; this is subtracted afterwards.
    """
    value = scratch.real
    for k in range(WIDTH):
        value[SUMS, k] = 0.0
    for i in range(count):
        for j in range(i + 1, count):
            pair = value[i, j]
            for k in range(WIDTH):
                best = value[i, k] if value[i, k] > value[j, k] else value[j, k]
                value[SUMS, k] += best if best > pair else pair
    total = 0.0
    for i in range(count):
        own = 0.0
        for j in range(count):
            if j != i:
                own += value[i, j]
        value[SUMS, i] -= own
        total += value[SUMS, i]
    return total / 3.0


@kernel
def best_reply_counts(count: int, scratch: PairScratch) -> int:
    """Return the sum of the packed counts of the best replies; the sums by card are left in ``COUNT_SUMS``."""
    value, packed = scratch.real, scratch.whole
    total = int64(0)
    for i in range(count):
        scratch.whole[COUNT_SUMS, i] = 0
    for i in range(count):
        for j in range(i + 1, count):
            for k in range(j + 1, count):
                best, which = value[i, j], packed[i, j]
                if is_better(value[i, k], packed[i, k], best, which):
                    best, which = value[i, k], packed[i, k]
                if is_better(value[j, k], packed[j, k], best, which):
                    which = packed[j, k]
                total += which
                scratch.whole[COUNT_SUMS, i] += which
                scratch.whole[COUNT_SUMS, j] += which
                scratch.whole[COUNT_SUMS, k] += which
    return total
