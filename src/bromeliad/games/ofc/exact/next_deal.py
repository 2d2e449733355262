"""The mean value of a board over all next deals, if the boards after the deal are valued by the learned tables.

The tables know live cards only roughly, most of all with a high pair in the top row, where fantasyland and a foul are
close. The mean over all deals is much closer to the exact value.

The sum over the deals is that of :mod:`.pairs`: three cards are dealt and two are placed, so an entry per pair is
enough. Cards of equal rank count as alike unless an open row may become a flush with one of them, so few pairs are
valued. The discarded card counts as live. A row's live cards are counted without the cards put in other rows, so the
parts of a value that belong to one row are computed once per card, not once per pair.
"""

from bromeliad.core.cards import DECK_SIZE
from bromeliad.core.jit import int64, kernel
from bromeliad.games.ofc.exact.pairs import NO_PAIR, best_reply_sums, deck_cards
from bromeliad.games.ofc.exact.scratch import ALIKE, CARDS, CLASSES, PAIRING, WITH, PairScratch
from bromeliad.games.ofc.hands.automaton import HandTables, add_card
from bromeliad.games.ofc.values.learned import (
    Learned,
    all_rows_term,
    learned_scale,
    middle_back_term,
    row_class,
    row_terms,
    top_middle_terms,
    top_pairing,
)

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
def _put_each(
    learned: Learned,
    hands: HandTables,
    stage: int,
    scale: float,
    rows: tuple[int, int, int],
    free: tuple[int, int, int],
    unseen: int,
    count: int,
    scratch: PairScratch,
) -> None:
    """Write the parts of a board's value that change if one card is put in a row, for every card and open row."""
    whole, real = scratch.whole, scratch.real
    top, a, b, c = rows[0], row_class(learned, rows[0]), row_class(learned, rows[1]), row_class(learned, rows[2])
    pairing = top_pairing(learned, top, unseen, scale)
    for i in range(count):
        if whole[ALIKE, i] != i:
            continue
        card = whole[CARDS, i]
        deck = unseen & ~(int64(1) << card)
        for where in range(3):
            if free[where] == 0:
                continue
            row = add_card(hands, rows[where], card)
            word = row_class(learned, row)
            whole[WITH + where, i], whole[CLASSES + where, i] = row, word
            real[WITH + where, i] = row_terms(learned, stage, where, row, deck, scale)
            if where == 0:
                whole[PAIRING, i] = top_pairing(learned, row, deck, scale)
                real[CLASSES, i] = top_middle_terms(learned, stage, row, whole[PAIRING, i], word, b)
            elif where == 1:
                real[CLASSES + 1, i] = middle_back_term(learned, stage, word, c)
                real[PAIRING, i] = top_middle_terms(learned, stage, top, pairing, a, word)
            else:
                real[CLASSES + 2, i] = middle_back_term(learned, stage, b, word)


@kernel
def _best_apart(
    learned: Learned,
    stage: int,
    tops: tuple[int, int],
    words: tuple[int, int, int],
    alone: tuple[float, float, float, float, float],
    free: tuple[int, int, int],
    x: int,
    y: int,
    scratch: PairScratch,
) -> float:
    """Return the highest value of the board with card ``x`` in one row and card ``y`` in a row below it.

    Parameters
    ----------
    tops
        The top row, and the live cards that pair it.
    alone
        Of the board without the cards: the values of each row, of the top with the middle, and of the middle with the
        back.
    """
    whole, real, best = scratch.whole, scratch.real, -1e300
    a, b, c = words
    if free[0] > 0 and free[1] > 0:
        a_x, b_y = whole[CLASSES, x], whole[CLASSES + 1, y]
        value = real[WITH, x] + real[WITH + 1, y] + alone[2] + real[CLASSES + 1, y]
        value += top_middle_terms(learned, stage, whole[WITH, x], whole[PAIRING, x], a_x, b_y)
        best = max(best, value + all_rows_term(learned, stage, a_x, b_y, c))
    if free[0] > 0 and free[2] > 0:
        a_x, c_y = whole[CLASSES, x], whole[CLASSES + 2, y]
        value = real[WITH, x] + alone[1] + real[WITH + 2, y] + real[CLASSES, x] + real[CLASSES + 2, y]
        best = max(best, value + all_rows_term(learned, stage, a_x, b, c_y))
    if free[1] > 0 and free[2] > 0:
        b_x, c_y = whole[CLASSES + 1, x], whole[CLASSES + 2, y]
        value = alone[0] + real[WITH + 1, x] + real[WITH + 2, y] + real[PAIRING, x]
        value += middle_back_term(learned, stage, b_x, c_y)
        best = max(best, value + all_rows_term(learned, stage, a, b_x, c_y))
    return best


@kernel
def _best_together(
    learned: Learned,
    hands: HandTables,
    stage: int,
    scale: float,
    rows: tuple[int, int, int],
    tops: tuple[int, int],
    words: tuple[int, int, int],
    alone: tuple[float, float, float, float, float],
    free: tuple[int, int, int],
    x: int,
    y: int,
    deck: int,
    scratch: PairScratch,
) -> float:
    """Return the highest value of the board with both cards in one row."""
    whole, best = scratch.whole, -1e300
    a, b, c = words
    for where in range(3):
        if free[where] < 2:
            continue
        row = add_card(hands, whole[WITH + where, x], whole[CARDS, y])
        word = row_class(learned, row)
        value = row_terms(learned, stage, where, row, deck, scale)
        if where == 0:
            pairing = top_pairing(learned, row, deck, scale)
            value += alone[1] + alone[2] + alone[4] + top_middle_terms(learned, stage, row, pairing, word, b)
            value += all_rows_term(learned, stage, word, b, c)
        elif where == 1:
            value += alone[0] + alone[2] + top_middle_terms(learned, stage, tops[0], tops[1], a, word)
            value += middle_back_term(learned, stage, word, c) + all_rows_term(learned, stage, a, word, c)
        else:
            value += alone[0] + alone[1] + alone[3] + middle_back_term(learned, stage, b, word)
            value += all_rows_term(learned, stage, a, b, word)
        best = max(best, value)
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
    count = deck_cards(unseen, whole)
    _find_alike(rows, free, count, scratch)
    scale = learned_scale(learned, stage, (int64(1) << (count - _DEALT)) - 1)
    _put_each(learned, hands, stage, scale, rows, free, unseen, count, scratch)
    words = row_class(learned, rows[0]), row_class(learned, rows[1]), row_class(learned, rows[2])
    tops = rows[0], top_pairing(learned, rows[0], unseen, scale)
    alone = (
        row_terms(learned, stage, 0, rows[0], unseen, scale),
        row_terms(learned, stage, 1, rows[1], unseen, scale),
        row_terms(learned, stage, 2, rows[2], unseen, scale),
        top_middle_terms(learned, stage, tops[0], tops[1], words[0], words[1]),
        middle_back_term(learned, stage, words[1], words[2]),
    )
    for i in range(count):
        real[i, i] = NO_PAIR
        for j in range(i):
            high, low = whole[ALIKE, i], whole[ALIKE, j]
            if high == low:
                high = whole[ALIKE + 1, low]
            high, low = max(high, low), min(high, low)
            if high == i and low == j:
                x, y = whole[ALIKE, i], low
                rest = unseen & ~(int64(1) << whole[CARDS, i] | int64(1) << whole[CARDS, j])
                best = _best_together(learned, hands, stage, scale, rows, tops, words, alone, free, y, i, rest, scratch)
                best = max(best, _best_apart(learned, stage, tops, words, alone, free, x, y, scratch))
                real[i, j] = max(best, _best_apart(learned, stage, tops, words, alone, free, y, x, scratch))
            else:
                real[i, j] = real[high, low]
            real[j, i] = real[i, j]
    return best_reply_sums(count, scratch) * 6.0 / (count * (count - 1) * (count - 2))
