"""The learned value of a board between two deals: a sum of looked-up weights, one from each of a few tables.

The tables are indexed by rows, pairs and triples of rows in finer and coarser classes
(:mod:`bromeliad.games.ofc.hands.row_classes`), and by their live cards: those of a flush suit, those that pair a card
or fill a straight, and the high cards that lead to fantasyland. There is a set of tables for every street but the last.
Counts of live cards are scaled to the deck of a hand without opponents, because opponents' cards are missing too.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE
from bromeliad.core.jit import Ints, int64, kernel
from bromeliad.games.ofc.hands.automaton import JOKER_RANK, STATES, row_place
from bromeliad.games.ofc.hands.row_classes import COARSE, FRONT, MULTIPLE, NEEDED, OUTLINE, SINGLE, row_classes
from bromeliad.games.ofc.rules.rule_set import RuleSet

TERMS = 14
"""The number of weights in one value."""

# Distinct numbers of live cards.
LIVE = 16  # of a suit, or for a straight
PAIRING = 10  # that pair a single card
IMPROVING = 6  # of ranks that the row has twice or more
HIGH = 5  # of a rank
WILD = 3  # jokers

# Entries of the layout, which precedes the rows' words in Learned.map.
_SIZES = TERMS  # fine, coarse, front and outline classes
STAGE = _SIZES + 4  # number of weights of one street's tables
_DECKS = STAGE + 1  # unseen cards after each street of a hand without opponents
_WORDS = 32  # first word

RANKS = 0x1FFF
_EVERY_SUIT = 1 | 1 << 13 | 1 << 26 | 1 << 39
_STATE = 0xFFFF
_CLASS = 0xFFFF
_CARDS = (1 << DECK_SIZE) - 1


class Learned(NamedTuple):
    """A learned evaluation, for kernels; empty arrays if there is none."""

    map: NDArray[np.int64]  # first entries of the tables, sizes, and two words per row
    weights: NDArray[np.float32]


def empty_learned() -> Learned:
    """Return an empty table of learned values."""
    learned = Learned(np.zeros(0, np.int64), np.zeros(0, np.float32))
    for array in learned:
        array.setflags(write=False)  # read-only arrays are a type of their own to the kernels
    return learned


def learned_layout(rules: RuleSet) -> NDArray[np.int64]:
    """Return :attr:`Learned.map` for a rule set."""
    classes = row_classes(rules.jokers.count > 0)
    fine, coarse, front, outline = classes.fine, classes.coarse, classes.front, classes.outline
    row, states = 2 * (STATES + 1), classes.top_states
    sizes = [
        row,
        row,
        states * coarse,
        front * fine,
        fine * fine,
        outline * coarse * coarse,
        fine * LIVE,
        fine * LIVE,
        fine * IMPROVING * PAIRING,
        fine * IMPROVING * PAIRING,
        front * PAIRING * coarse,
        fine * LIVE,
        fine * LIVE,
        front * HIGH**3 * WILD,
    ]
    layout = np.zeros(_WORDS, np.int64)
    layout[:TERMS] = np.cumsum([0, *sizes[:-1]])
    layout[_SIZES : _SIZES + 4] = fine, coarse, front, outline
    layout[STAGE] = sum(sizes)
    dealt = np.cumsum([street.deal for street in rules.streets])
    layout[_DECKS : _DECKS + len(dealt)] = DECK_SIZE + rules.jokers.count - dealt
    packed = np.concatenate([layout, classes.words.ravel()])
    packed.setflags(write=False)
    return packed


def stage_size(layout: NDArray[np.int64]) -> int:
    """Return the number of weights of one street's tables."""
    return int(layout[STAGE])


@kernel(inline=True)
def count_cards(mask: int) -> int:
    """Return the number of cards in a mask."""
    mask = mask - (mask >> 1 & 0x5555555555555555)
    mask = (mask & 0x3333333333333333) + (mask >> 2 & 0x3333333333333333)
    mask = mask + (mask >> 4) & 0x0F0F0F0F0F0F0F0F
    return (mask * 0x0101010101010101) >> 56 & 0xFF


@kernel(inline=True)
def learned_scale(learned: Learned, stage: int, deck: int) -> float:
    """Return the factor that scales counts of live cards to those of a hand without opponents."""
    return learned.map[_DECKS + stage] / max(count_cards(deck), 1)


@kernel(inline=True)
def live_ranks(deck: int, ranks: int, scale: float, limit: int) -> int:
    """Return the number of live cards of a set of ranks, at most ``limit - 1``."""
    return min(int64(count_cards(deck & (ranks * _EVERY_SUIT)) * scale + 0.5), limit - 1)


@kernel(inline=True)
def live_suit(deck: int, row: int, scale: float) -> int:
    """Return the number of live cards of a row's only suit; 0 if it has several suits."""
    suits = row >> 16
    if suits == 0:
        return 0
    suit = 0 if suits & 1 else 1 if suits & 2 else 2 if suits & 4 else 3
    return min(int64(count_cards(deck >> (13 * suit) & RANKS) * scale + 0.5), LIVE - 1)


@kernel(inline=True)
def row_live(deck: int, held: int, scale: float) -> int:
    """Return the numbers of live cards that improve a row's pairs and that pair its single cards, as one number."""
    improving = live_ranks(deck, held >> MULTIPLE & RANKS, scale, IMPROVING)
    return improving * PAIRING + live_ranks(deck, held >> SINGLE & RANKS, scale, PAIRING)


@kernel(inline=True)
def held_ranks(m: Ints, row: int) -> int:
    """Return the sets of ranks that a row holds or needs; they begin at the bits SINGLE, MULTIPLE and NEEDED."""
    return m[_WORDS + 2 * row_place(row) + 1]


@kernel(inline=True)
def board_classes(m: Ints, top: int, middle: int, back: int) -> tuple[int, int, int, int, int, int]:
    """Return the classes of a board: front and outline of the top, fine and coarse of the middle and of the back."""
    a, b, c = m[_WORDS + 2 * row_place(top)], m[_WORDS + 2 * row_place(middle)], m[_WORDS + 2 * row_place(back)]
    return (
        a >> FRONT & _CLASS,
        a >> OUTLINE & _CLASS,
        b & _CLASS,
        b >> COARSE & _CLASS,
        c & _CLASS,
        c >> COARSE & _CLASS,
    )


@kernel(inline=True)
def learned_terms(
    learned: Learned, stage: int, scale: float, top: int, middle: int, back: int, deck: int
) -> tuple[int, ...]:
    """Return the places of the weights whose sum is a board's value."""
    m = learned.map
    holds_a, holds_b, holds_c = held_ranks(m, top), held_ranks(m, middle), held_ranks(m, back)
    front, outline, fine_b, coarse_b, fine_c, coarse_c = board_classes(m, top, middle, back)
    fine, coarse = m[_SIZES], m[_SIZES + 1]
    cards = deck & _CARDS
    base = stage * m[STAGE]
    high = (
        live_ranks(cards, 1 << (JOKER_RANK - 3), scale, HIGH) * (HIGH * HIGH)
        + live_ranks(cards, 1 << (JOKER_RANK - 2), scale, HIGH) * HIGH
        + live_ranks(cards, 1 << (JOKER_RANK - 1), scale, HIGH)
    )
    wild = count_cards(deck >> DECK_SIZE)
    pairing = live_ranks(cards, (holds_a >> SINGLE | holds_a >> MULTIPLE) & RANKS, scale, PAIRING)
    return (
        base + m[0] + row_place(back),
        base + m[1] + row_place(middle),
        base + m[2] + (top & _STATE) * coarse + coarse_b,
        base + m[3] + front * fine + fine_b,
        base + m[4] + fine_b * fine + fine_c,
        base + m[5] + (outline * coarse + coarse_b) * coarse + coarse_c,
        base + m[6] + fine_c * LIVE + live_suit(cards, back, scale),
        base + m[7] + fine_b * LIVE + live_suit(cards, middle, scale),
        base + m[8] + fine_c * (IMPROVING * PAIRING) + row_live(cards, holds_c, scale),
        base + m[9] + fine_b * (IMPROVING * PAIRING) + row_live(cards, holds_b, scale),
        base + m[10] + (front * PAIRING + pairing) * coarse + coarse_b,
        base + m[11] + fine_c * LIVE + live_ranks(cards, holds_c >> NEEDED & RANKS, scale, LIVE),
        base + m[12] + fine_b * LIVE + live_ranks(cards, holds_b >> NEEDED & RANKS, scale, LIVE),
        base + m[13] + (front * HIGH * HIGH * HIGH + high) * WILD + wild,
    )


@kernel
def learned_value(learned: Learned, stage: int, scale: float, top: int, middle: int, back: int, deck: int) -> float:
    """Return the learned value of a board after street ``stage`` (from 0); ``deck`` has the cards still to come."""
    terms = learned_terms(learned, stage, scale, top, middle, back, deck)
    total = 0.0
    for i in range(TERMS):
        total += learned.weights[terms[i]]
    return total


# --- the terms of one row, and of two or three rows, for sums over many boards that share rows ----------------------


@kernel(inline=True)
def row_class(learned: Learned, row: int) -> int:
    """Return the classes of a row, for the sums below."""
    return learned.map[_WORDS + 2 * row_place(row)]


@kernel(inline=True)
def top_pairing(learned: Learned, top: int, deck: int, scale: float) -> int:
    """Return the number of live cards that pair the top row."""
    held = held_ranks(learned.map, top)
    return live_ranks(deck & _CARDS, (held >> SINGLE | held >> MULTIPLE) & RANKS, scale, PAIRING)


@kernel(inline=True)
def row_terms(learned: Learned, stage: int, where: int, row: int, deck: int, scale: float) -> float:
    """Return the sum of the weights of one row by itself; ``where`` counts the rows from the top."""
    m, weights = learned.map, learned.weights
    base, cards, word = stage * m[STAGE], deck & _CARDS, row_class(learned, row)
    if where == 0:
        high = (
            live_ranks(cards, 1 << (JOKER_RANK - 3), scale, HIGH) * (HIGH * HIGH)
            + live_ranks(cards, 1 << (JOKER_RANK - 2), scale, HIGH) * HIGH
            + live_ranks(cards, 1 << (JOKER_RANK - 1), scale, HIGH)
        )
        front, wild = word >> FRONT & _CLASS, count_cards(deck >> DECK_SIZE)
        return weights[base + m[13] + (front * HIGH * HIGH * HIGH + high) * WILD + wild]
    at, fine, held = 2 - where, word & _CLASS, held_ranks(m, row)
    return (
        weights[base + m[at] + row_place(row)]
        + weights[base + m[6 + at] + fine * LIVE + live_suit(cards, row, scale)]
        + weights[base + m[8 + at] + fine * (IMPROVING * PAIRING) + row_live(cards, held, scale)]
        + weights[base + m[11 + at] + fine * LIVE + live_ranks(cards, held >> NEEDED & RANKS, scale, LIVE)]
    )


@kernel(inline=True)
def top_middle_terms(learned: Learned, stage: int, top: int, pairing: int, a: int, b: int) -> float:
    """Return the sum of the weights of the top and the middle row together, given their classes ``a`` and ``b``."""
    m, weights = learned.map, learned.weights
    base, front, coarse = stage * m[STAGE], a >> FRONT & _CLASS, b >> COARSE & _CLASS
    return (
        weights[base + m[2] + (top & _STATE) * m[_SIZES + 1] + coarse]
        + weights[base + m[3] + front * m[_SIZES] + (b & _CLASS)]
        + weights[base + m[10] + (front * PAIRING + pairing) * m[_SIZES + 1] + coarse]
    )


@kernel(inline=True)
def middle_back_term(learned: Learned, stage: int, b: int, c: int) -> float:
    """Return the weight of the middle and the back row together."""
    m = learned.map
    return learned.weights[stage * m[STAGE] + m[4] + (b & _CLASS) * m[_SIZES] + (c & _CLASS)]


@kernel(inline=True)
def all_rows_term(learned: Learned, stage: int, a: int, b: int, c: int) -> float:
    """Return the weight of all three rows together."""
    m = learned.map
    coarse = m[_SIZES + 1]
    place = ((a >> OUTLINE & _CLASS) * coarse + (b >> COARSE & _CLASS)) * coarse + (c >> COARSE & _CLASS)
    return learned.weights[stage * m[STAGE] + m[5] + place]
