"""The learned value of a board between two deals: a sum of looked-up weights, one from each of a few tables.

The tables are indexed by rows and pairs and triples of rows in finer and coarser classes, and by what is still live
for them: cards of a flush suit, cards that pair or fill a straight, and the high cards that lead to fantasyland (see
:mod:`.rowclasses`). There is one set of tables for every street after which cards are still to come. Live cards are
counted on the scale of a hand alone against the deck: where opponents' cards are gone too, by the share that is left.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE
from bromeliad.core.jit import int64, kernel
from bromeliad.games.ofc.hands.automaton import JOKER_RANK, STATES
from bromeliad.games.ofc.hands.row_classes import COARSE, FRONT, MULTIPLE, NEEDED, OUTLINE, SINGLE, row_classes
from bromeliad.games.ofc.rules.rule_set import RuleSet

__all__ = [
    "TERMS",
    "Learned",
    "count_cards",
    "empty_learned",
    "learned_layout",
    "learned_scale",
    "learned_terms",
    "learned_value",
    "stage_size",
]

TERMS = 14
"""Weights behind one value."""

_LIVE = 16  # live cards of a suit, or for a straight: counted to here
_PAIRING = 10  # live cards that pair a single one
_IMPROVING = 6  # live cards of ranks that the row has twice or more
_HIGH = 5  # live cards of a rank, by number
_WILD = 3  # live jokers

# Entries of the layout that stands before the rows' words in Learned.map.
_SIZES = TERMS  # fine, coarse, front and outline classes
_STAGE = _SIZES + 4  # weights of one street's tables
_DECKS = _STAGE + 1  # unseen cards after each street of a hand alone
_WORDS = 32  # where the words begin

_RANKS = 0x1FFF
_EVERY_SUIT = 1 | 1 << 13 | 1 << 26 | 1 << 39
_STATE = 0xFFFF
_CLASS = 0xFFFF
_CARDS = (1 << DECK_SIZE) - 1


class Learned(NamedTuple):
    """A learned evaluation as kernels take it; without weights there is none."""

    map: NDArray[np.int64]  # where each table begins, sizes, and two words for each row
    weights: NDArray[np.float32]


def empty_learned() -> Learned:
    """Return what stands where nothing was learned."""
    learned = Learned(np.zeros(0, np.int64), np.zeros(0, np.float32))
    for array in learned:
        array.setflags(write=False)  # read-only arrays are another type to the kernels
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
        fine * _LIVE,
        fine * _LIVE,
        fine * _IMPROVING * _PAIRING,
        fine * _IMPROVING * _PAIRING,
        front * _PAIRING * coarse,
        fine * _LIVE,
        fine * _LIVE,
        front * _HIGH**3 * _WILD,
    ]
    layout = np.zeros(_WORDS, np.int64)
    layout[:TERMS] = np.cumsum([0, *sizes[:-1]])
    layout[_SIZES : _SIZES + 4] = fine, coarse, front, outline
    layout[_STAGE] = sum(sizes)
    dealt = np.cumsum([street.deal for street in rules.streets])
    layout[_DECKS : _DECKS + len(dealt)] = DECK_SIZE + rules.jokers.count - dealt
    packed = np.concatenate([layout, classes.words.ravel()])
    packed.setflags(write=False)
    return packed


def stage_size(layout: NDArray[np.int64]) -> int:
    """Return the number of weights of one street's tables."""
    return int(layout[_STAGE])


@kernel(inline=True)
def count_cards(mask: int) -> int:
    """Return the number of cards in a mask."""
    mask = mask - (mask >> 1 & 0x5555555555555555)
    mask = (mask & 0x3333333333333333) + (mask >> 2 & 0x3333333333333333)
    mask = mask + (mask >> 4) & 0x0F0F0F0F0F0F0F0F
    return (mask * 0x0101010101010101) >> 56 & 0xFF


@kernel(inline=True)
def learned_scale(learned: Learned, stage: int, deck: int) -> float:
    """Return what turns counts of live cards into those of a hand alone against the deck."""
    return learned.map[_DECKS + stage] / max(count_cards(deck), 1)


@kernel(inline=True)
def _live(deck: int, ranks: int, scale: float, limit: int) -> int:
    """Return how many cards of a set of ranks are live, at most ``limit - 1``."""
    return min(int64(count_cards(deck & (ranks * _EVERY_SUIT)) * scale + 0.5), limit - 1)


@kernel(inline=True)
def _live_suit(deck: int, row: int, scale: float) -> int:
    """Return how many cards of a row's one suit are live; 0 if it has several suits."""
    suits = row >> 16
    if suits == 0:
        return 0
    suit = 0 if suits & 1 else 1 if suits & 2 else 2 if suits & 4 else 3
    return min(int64(count_cards(deck >> (13 * suit) & _RANKS) * scale + 0.5), _LIVE - 1)


@kernel(inline=True)
def _row_live(deck: int, held: int, scale: float) -> int:
    """Return how many cards would improve and pair what a row holds, as one number."""
    improving = _live(deck, held >> MULTIPLE & _RANKS, scale, _IMPROVING)
    return improving * _PAIRING + _live(deck, held >> SINGLE & _RANKS, scale, _PAIRING)


@kernel(inline=True)
def learned_terms(
    learned: Learned, stage: int, scale: float, top: int, middle: int, back: int, deck: int
) -> tuple[int, ...]:
    """Return the places of the weights that a board's value sums, as a tuple."""
    m = learned.map
    a = 2 * (top & _STATE) + (top > _STATE)
    b = 2 * (middle & _STATE) + (middle > _STATE)
    c = 2 * (back & _STATE) + (back > _STATE)
    front, holds_a = m[_WORDS + 2 * a], m[_WORDS + 2 * a + 1]
    class_b, holds_b = m[_WORDS + 2 * b], m[_WORDS + 2 * b + 1]
    class_c, holds_c = m[_WORDS + 2 * c], m[_WORDS + 2 * c + 1]
    fine_b, coarse_b = class_b & _CLASS, class_b >> COARSE & _CLASS
    fine_c, coarse_c = class_c & _CLASS, class_c >> COARSE & _CLASS
    outline, front = front >> OUTLINE & _CLASS, front >> FRONT & _CLASS
    fine, coarse = m[_SIZES], m[_SIZES + 1]
    cards = deck & _CARDS
    base = stage * m[_STAGE]
    high = (
        _live(cards, 1 << (JOKER_RANK - 3), scale, _HIGH) * (_HIGH * _HIGH)
        + _live(cards, 1 << (JOKER_RANK - 2), scale, _HIGH) * _HIGH
        + _live(cards, 1 << (JOKER_RANK - 1), scale, _HIGH)
    )
    wild = count_cards(deck >> DECK_SIZE)
    pairing = _live(cards, (holds_a >> SINGLE | holds_a >> MULTIPLE) & _RANKS, scale, _PAIRING)
    return (
        base + m[0] + c,
        base + m[1] + b,
        base + m[2] + (top & _STATE) * coarse + coarse_b,
        base + m[3] + front * fine + fine_b,
        base + m[4] + fine_b * fine + fine_c,
        base + m[5] + (outline * coarse + coarse_b) * coarse + coarse_c,
        base + m[6] + fine_c * _LIVE + _live_suit(cards, back, scale),
        base + m[7] + fine_b * _LIVE + _live_suit(cards, middle, scale),
        base + m[8] + fine_c * (_IMPROVING * _PAIRING) + _row_live(cards, holds_c, scale),
        base + m[9] + fine_b * (_IMPROVING * _PAIRING) + _row_live(cards, holds_b, scale),
        base + m[10] + (front * _PAIRING + pairing) * coarse + coarse_b,
        base + m[11] + fine_c * _LIVE + _live(cards, holds_c >> NEEDED & _RANKS, scale, _LIVE),
        base + m[12] + fine_b * _LIVE + _live(cards, holds_b >> NEEDED & _RANKS, scale, _LIVE),
        base + m[13] + (front * _HIGH * _HIGH * _HIGH + high) * _WILD + wild,
    )


@kernel
def learned_value(learned: Learned, stage: int, scale: float, top: int, middle: int, back: int, deck: int) -> float:
    """Return the learned value of a board after street ``stage`` (from 0), ``deck`` being the cards still to come."""
    terms = learned_terms(learned, stage, scale, top, middle, back, deck)
    total = 0.0
    for i in range(TERMS):
        total += learned.weights[terms[i]]
    return total
