"""The mean value of a board over all next deals, if the boards after the deal are valued by the learned tables.

The tables know live cards only roughly. For a board of nine cards they are off by 0.9 points (1.4 with a high pair in
the top row, where fantasyland and a foul are close); the mean over all deals is off by 0.4, in some 30 µs.

The sum over the deals is that of :mod:`.pairs`: three cards are dealt and two are placed, so an entry per pair is
enough. Cards of equal rank count as alike unless an open row may become a flush with one of them, so few pairs are
valued. The discarded card counts as live.
"""

from bromeliad.core.cards import DECK_SIZE
from bromeliad.core.jit import int64, kernel
from bromeliad.games.ofc.exact.pairs import NO_PAIR, best_reply_sums, deck_cards, put_in_row
from bromeliad.games.ofc.exact.scratch import ALIKE, CARDS, PairScratch
from bromeliad.games.ofc.hands.automaton import HandTables
from bromeliad.games.ofc.values.learned import Learned, learned_scale, learned_value

_DEALT = 3


@kernel
def _find_alike(rows: tuple[int, int, int], free: tuple[int, int, int], count: int, scratch: PairScratch) -> None:
    """Write into the row ALIKE, for each unseen card, the place of the first card alike, and below, of the second."""
    whole, suits = scratch.whole, int64(0)
    for row in range(1, 3):
        if free[row] > 0:
            suits |= rows[row] >> 16
    for i in range(count):
        card = whole[CARDS, i]
        whole[ALIKE, i], whole[ALIKE + 1, i] = i, -1
        if card >= DECK_SIZE or suits >> card // 13 & 1:
            continue
        for j in range(i):
            other = whole[CARDS, j]
            if other % 13 == card % 13 and not suits >> other // 13 & 1:
                whole[ALIKE, i] = j
                if whole[ALIKE + 1, j] < 0:
                    whole[ALIKE + 1, j] = i
                break


@kernel
def _best_with(
    learned: Learned,
    hands: HandTables,
    stage: int,
    scale: float,
    rows: tuple[int, int, int],
    free: tuple[int, int, int],
    x: int,
    y: int,
    deck: int,
) -> float:
    """Return the highest learned value of the board with two more cards."""
    best = -1e300
    for first in range(3):
        if free[first] == 0:
            continue
        half = put_in_row(hands, rows[0], rows[1], rows[2], first, x)
        for second in range(3):
            if free[second] > int64(first == second):
                top, middle, back = put_in_row(hands, half[0], half[1], half[2], second, y)
                best = max(best, learned_value(learned, stage, scale, top, middle, back, deck))
    return best


@kernel
def next_deal_value(
    learned: Learned,
    hands: HandTables,
    stage: int,
    rows: tuple[int, int, int],
    free: tuple[int, int, int],
    unseen: int,
    scratch: PairScratch,
) -> float:
    """Return the mean, over all deals of three cards, of the highest learned value after placing two of them.

    Parameters
    ----------
    stage
        The street of the deal, from 0.
    free
        The free places of each row, at least two in all.
    """
    whole, real = scratch.whole, scratch.real
    count, left = deck_cards(unseen, whole), unseen
    for _ in range(_DEALT):
        left &= left - 1
    scale = learned_scale(learned, stage, left)
    _find_alike(rows, free, count, scratch)
    for i in range(count):
        real[i, i] = NO_PAIR
        for j in range(i):
            high, low = whole[ALIKE, i], whole[ALIKE, j]
            if high == low:
                high = whole[ALIKE + 1, low]
            high, low = max(high, low), min(high, low)
            if high == i and low == j:
                x, y = whole[CARDS, i], whole[CARDS, j]
                rest = unseen & ~(int64(1) << x | int64(1) << y)
                real[i, j] = _best_with(learned, hands, stage, scale, rows, free, x, y, rest)
            else:
                real[i, j] = real[high, low]
            real[j, i] = real[i, j]
    return best_reply_sums(count, scratch) * 6.0 / (count * (count - 1) * (count - 2))
