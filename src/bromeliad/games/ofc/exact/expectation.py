"""Exact values of boards before a draw: the mean over all draws of the best placement's value.

``mean_eleven_cards`` values boards with two free places before one draw of three cards (the pair matrix itself),
``mean_nine_cards`` those one street earlier. ``listed`` values any board: it lists all draws and placements to the end,
for rules with other streets. All unseen cards are equally likely, and nothing is sampled.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.games.ofc.exact.pairs import (
    FANTASYLAND_UNIT,
    ROYALTY_UNIT,
    ExactContext,
    best_reply_counts,
    best_reply_sums,
    deck_cards,
    fill_pair_counts,
    fill_pairs,
    put_in_row,
)
from bromeliad.games.ofc.exact.scratch import CARDS, COUNT_SUMS, SUMS, WIDTH, PairScratch, pair_scratch
from bromeliad.games.ofc.hands.placements import list_placements
from bromeliad.games.ofc.values.hand_state import rows_value

_FIELD = int64(0xFFFF)


class _Expected(NamedTuple):
    """Offsets into an array of exact means."""

    VALUE: int = 0
    FOUL: int = 1
    FANTASYLAND: int = 2
    ROYALTIES: int = 3
    SIZE: int = 4


Expected = _Expected()


class NineScratch(NamedTuple):
    """The scratch of one thread that values nine-card boards."""

    pairs: PairScratch
    whole: NDArray[np.int64]  # as in PairScratch; the row CARDS has the unseen cards of the nine-card board
    best: NDArray[np.float64]  # [i, j, z] best sum after placing cards i and j and discarding z
    choice: NDArray[np.int8]  # [i, j, z] the best rows for i and j, as 3 * row of i + row of j
    used: NDArray[np.int8]  # [i, j, z] 1 if this is the best reply to the draw {i, j, z}


def nine_scratch() -> NineScratch:
    """Return the scratch of one thread."""
    cube = (WIDTH, WIDTH, WIDTH)
    return NineScratch(
        pair_scratch(),
        np.zeros((CARDS + 1, WIDTH), np.int64),
        np.zeros(cube),
        np.zeros(cube, np.int8),
        np.zeros(cube, np.int8),
    )


@kernel(inline=True)
def _draws(cards: int) -> float:
    """Return the number of draws of three cards."""
    return cards * (cards - 1) * (cards - 2) / 6.0


@kernel(inline=True)
def _open_rows(top: int, middle: int, back: int) -> tuple[int, int]:
    """Return the rows of the last two free places, the one nearer to the top first."""
    first = 0 if top > 0 else 1 if middle > 0 else 2
    second = 2 if back > 0 else 1 if middle > 0 else 0
    return first, second


@kernel(inline=True)
def eleven_value(
    context: ExactContext,
    top: int,
    middle: int,
    back: int,
    free: tuple[int, int, int],
    board: int,
    deck: int,
    scratch: PairScratch,
) -> float:
    """Return the mean value of an eleven-card board; ``free`` has the free places of each row."""
    count = deck_cards(deck, scratch.whole)
    first, second = _open_rows(free[0], free[1], free[2])
    fill_pairs(context, top, middle, back, first, second, board, count, scratch)
    return best_reply_sums(count, scratch) / _draws(count)


@kernel
def mean_eleven_cards(
    context: ExactContext,
    top: int,
    middle: int,
    back: int,
    free: tuple[int, int, int],
    board: int,
    deck: int,
    scratch: PairScratch,
    out: Floats,
) -> None:
    """Write the exact means of an eleven-card board into ``out`` (offsets: ``Expected``)."""
    count = deck_cards(deck, scratch.whole)
    first, second = _open_rows(free[0], free[1], free[2])
    fill_pair_counts(context, top, middle, back, first, second, board, count, scratch)
    draws = _draws(count)
    counted = best_reply_counts(count, scratch)
    out[Expected.VALUE] = best_reply_sums(count, scratch) / draws
    out[Expected.FOUL] = (counted & _FIELD) / draws
    out[Expected.FANTASYLAND] = (counted // FANTASYLAND_UNIT & _FIELD) / draws
    out[Expected.ROYALTIES] = counted // ROYALTY_UNIT / draws


@kernel(inline=True)
def _without(cards: Ints, count: int, i: int, j: int, rest: Ints) -> None:
    """Write all cards except two into ``rest``."""
    place = 0
    for k in range(count):
        if k != i and k != j:
            rest[CARDS, place] = cards[CARDS, k]
            place += 1


@kernel(inline=True)
def _after_pair(
    context: ExactContext, top: int, middle: int, back: int, free: tuple[int, int, int], rows: int, x: int, y: int
) -> tuple[int, int, int, int, int]:
    """Return the rows and the open rows after placing x and y; ``rows`` is 3 * row of x + row of y."""
    hands = context.tables.hands
    a, b = rows // 3, rows % 3
    r0, r1, r2 = put_in_row(hands, top, middle, back, a, x)
    r0, r1, r2 = put_in_row(hands, r0, r1, r2, b, y)
    f0 = free[0] - (a == 0) - (b == 0)
    f1 = free[1] - (a == 1) - (b == 1)
    f2 = free[2] - (a == 2) - (b == 2)
    first, second = _open_rows(f0, f1, f2)
    return r0, r1, r2, first, second


@kernel(inline=True)
def _fits(free: tuple[int, int, int], rows: int) -> bool:
    a, b = rows // 3, rows % 3
    return free[a] >= 2 if a == b else free[a] >= 1 and free[b] >= 1


@kernel
def _value_pairs(
    context: ExactContext,
    top: int,
    middle: int,
    back: int,
    free: tuple[int, int, int],
    board: int,
    count: int,
    scratch: NineScratch,
) -> None:
    """Find the best rows for every placed pair and discarded third card, and the sum of the best last replies."""
    pairs, cards = scratch.pairs, scratch.whole
    for i in range(count):
        for j in range(i + 1, count):
            _without(cards, count, i, j, pairs.whole)
            x, y = cards[CARDS, i], cards[CARDS, j]
            placed = board | int64(1) << x | int64(1) << y
            for z in range(count):
                scratch.best[i, j, z] = -1e300
            for rows in range(9):
                if not _fits(free, rows):
                    continue
                r0, r1, r2, first, second = _after_pair(context, top, middle, back, free, rows, x, y)
                fill_pairs(context, r0, r1, r2, first, second, placed, count - 2, pairs)
                total = best_reply_sums(count - 2, pairs)
                place = 0
                for z in range(count):
                    if z != i and z != j:
                        rest = total - pairs.real[SUMS, place]
                        if rest > scratch.best[i, j, z]:
                            scratch.best[i, j, z] = rest
                            scratch.choice[i, j, z] = rows
                        place += 1


@kernel
def _best_replies(count: int, scratch: NineScratch) -> float:
    """Mark the best reply to every draw; return the sum of their values."""
    best, used = scratch.best, scratch.used
    total = 0.0
    for i in range(count):
        for j in range(i + 1, count):
            for k in range(count):
                used[i, j, k] = 0
    for i in range(count):
        for j in range(i + 1, count):
            for k in range(j + 1, count):
                a, b, c = best[i, j, k], best[i, k, j], best[j, k, i]
                if a >= b and a >= c:
                    used[i, j, k] = 1
                    total += a
                elif b >= c:
                    used[i, k, j] = 1
                    total += b
                else:
                    used[j, k, i] = 1
                    total += c
    return total


@kernel(inline=True)
def _is_used(scratch: NineScratch, i: int, j: int, rows: int, count: int) -> bool:
    found = False
    for z in range(count):
        found = found or (scratch.used[i, j, z] and scratch.choice[i, j, z] == rows)
    return found


@kernel
def _count_replies(
    context: ExactContext,
    top: int,
    middle: int,
    back: int,
    free: tuple[int, int, int],
    board: int,
    count: int,
    scratch: NineScratch,
    out: Floats,
) -> None:
    """Add up the fouls, fantasylands and royalties of the best replies, as marked by :func:`_best_replies`."""
    pairs, cards = scratch.pairs, scratch.whole
    for i in range(count):
        for j in range(i + 1, count):
            for rows in range(9):
                if not _fits(free, rows) or not _is_used(scratch, i, j, rows, count):
                    continue
                x, y = cards[CARDS, i], cards[CARDS, j]
                placed = board | int64(1) << x | int64(1) << y
                _without(cards, count, i, j, pairs.whole)
                r0, r1, r2, first, second = _after_pair(context, top, middle, back, free, rows, x, y)
                fill_pair_counts(context, r0, r1, r2, first, second, placed, count - 2, pairs)
                total = best_reply_counts(count - 2, pairs)
                for z in range(count):
                    if scratch.used[i, j, z] and scratch.choice[i, j, z] == rows:
                        counted = total - pairs.whole[COUNT_SUMS, z - (z > i) - (z > j)]
                        out[Expected.FOUL] += counted & _FIELD
                        out[Expected.FANTASYLAND] += counted // FANTASYLAND_UNIT & _FIELD
                        out[Expected.ROYALTIES] += counted // ROYALTY_UNIT


@kernel
def mean_nine_cards(
    context: ExactContext,
    top: int,
    middle: int,
    back: int,
    free: tuple[int, int, int],
    board: int,
    deck: int,
    scratch: NineScratch,
    out: Floats,
) -> None:
    """Write the exact means of a nine-card board into ``out`` (offsets: ``Expected``)."""
    count = deck_cards(deck, scratch.whole)
    for i in range(Expected.SIZE):
        out[i] = 0.0
    _value_pairs(context, top, middle, back, free, board, count, scratch)
    out[Expected.VALUE] = _best_replies(count, scratch)
    _count_replies(context, top, middle, back, free, board, count, scratch, out)
    draws = _draws(count) * _draws(count - 3)
    for i in range(Expected.SIZE):
        out[i] /= draws


@kernel
def listed(
    context: ExactContext,
    streets: Ints,
    street: int,
    top: int,
    middle: int,
    back: int,
    f0: int,
    f1: int,
    f2: int,
    board: int,
    deck: int,
    codes: Ints,
) -> tuple[float, float, float, float]:
    """Return the means (value, foul, fantasyland, royalties) of a board before the draw of ``street``.

    All draws and placements are listed. ``codes`` is scratch: [street, placement].
    """
    if 2 * street == streets.size:
        value, fouled, paid, cards = rows_value(
            context.tables,
            context.worth,
            context.opponent_tables,
            top,
            middle,
            back,
            context.seen | board,
            context.fantasyland,
        )
        return np.float64(value), np.float64(fouled), np.float64(cards > 0), np.float64(paid)
    deal, place = streets[2 * street], streets[2 * street + 1]
    sums_value, sums_foul, sums_fantasyland, sums_royalties, draws = 0.0, 0.0, 0.0, 0.0, 0.0
    count = list_placements(deal, f0, f1, f2, place, False, codes[street])
    hands = context.tables.hands
    draw = first_draw(deck, deal)
    while draw != 0:
        best, foul, fantasyland, royalties = -1e300, 0.0, 0.0, 0.0
        for i in range(count):
            code = codes[street, i]
            r0, r1, r2, g0, g1, g2, placed = top, middle, back, f0, f1, f2, board
            left = draw
            card = 0
            while left:
                if left & 1:
                    row = int64(code & 3) - 1
                    code >>= 2
                    if row >= 0:
                        r0, r1, r2 = put_in_row(hands, r0, r1, r2, row, card)
                        placed |= int64(1) << card
                        g0 -= row == 0
                        g1 -= row == 1
                        g2 -= row == 2
                left >>= 1
                card += 1
            a, b, c, d = listed(context, streets, street + 1, r0, r1, r2, g0, g1, g2, placed, deck & ~draw, codes)
            if a > best or (a == best and b < foul):
                best, foul, fantasyland, royalties = a, b, c, d
        sums_value += best
        sums_foul += foul
        sums_fantasyland += fantasyland
        sums_royalties += royalties
        draws += 1.0
        draw = next_draw(deck, draw)
    return sums_value / draws, sums_foul / draws, sums_fantasyland / draws, sums_royalties / draws


@kernel(inline=True)
def first_draw(deck: int, size: int) -> int:
    """Return the lowest ``size`` cards of a deck as a mask."""
    draw = int64(0)
    for _ in range(size):
        draw |= (deck & ~draw) & -(deck & ~draw)
    return draw


@kernel(inline=True)
def next_draw(deck: int, draw: int) -> int:
    """Return the next set of equally many cards of the deck, in order; 0 after the last.

    The usual step through combinations, on a deck with gaps: it moves the lowest possible card up by one and the cards
    below it back to the bottom.
    """
    below = 0
    left = draw
    while left:
        low = left & -left
        left ^= low
        above = deck & ~(low | (low - 1))
        step = above & -above
        if step != 0 and not draw & step:
            kept = draw & ~(low | (low - 1))
            return kept | step | first_draw(deck & (step - 1), below)
        below += 1
    return int64(0)
