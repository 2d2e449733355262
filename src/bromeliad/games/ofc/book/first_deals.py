"""First deals up to suits: 134,459 canonical hands represent all 2,598,960 hands of five cards.

With two jokers there are 152,646. A hand is identified by its canonical mask
(:mod:`bromeliad.games.ofc.hands.canonical`). A single joker is always the first one.
"""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise, permutations, product
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE, JOKERS, CardSet
from bromeliad.games.ofc.hands.canonical import SUIT_BITS, SUIT_COUNT, SUIT_MASK, canonical_order, permute_suits

FIRST_DEAL = 5  # cards
_SUITED = (1 << DECK_SIZE) - 1


class Openings(NamedTuple):
    """All canonical first deals of a deck, in the order of their masks."""

    masks: NDArray[np.int64]
    weights: NDArray[np.int64]  # number of deals that each one represents


def canonical_opening(mask: int) -> tuple[int, tuple[int, ...]]:
    """Return the canonical mask of a hand, and the canonical suit of each of its suits."""
    jokers = (mask >> DECK_SIZE).bit_count()
    mask = mask & _SUITED | ((1 << jokers) - 1) << DECK_SIZE
    order = canonical_order(mask)
    return permute_suits(mask, order), order


@cache
def opening_hands(jokers: int) -> Openings:
    """Return the canonical first deals of a deck with this number of jokers."""
    masks, weights = [], []
    for held in range(jokers + 1):
        suited = _suited_hands(FIRST_DEAL - held)
        masks.append(suited | ((1 << held) - 1) << DECK_SIZE)
        weights.append(_orbit_sizes(suited) * comb(jokers, held))
    openings = Openings(np.concatenate(masks), np.concatenate(weights))  # sorted, because jokers are the highest bits
    for array in openings:
        array.setflags(write=False)
    return openings


def _suited_hands(count: int) -> NDArray[np.int64]:
    """Return all canonical hands of ``count`` cards without jokers, sorted. No suit's mask exceeds the previous one."""
    ranks = np.arange(1 << SUIT_BITS, dtype=np.int64)
    columns = [ranks[np.bitwise_count(ranks) == size] for size in range(count + 1)]
    found = []
    for sizes in product(range(count + 1), repeat=SUIT_COUNT):
        if sum(sizes) != count:
            continue
        suits = np.meshgrid(*(columns[size] for size in sizes), indexing="ij", sparse=True)
        falling = np.logical_and.reduce(np.broadcast_arrays(*(a >= b for a, b in pairwise(suits))))
        hands = sum(column << (suit * SUIT_BITS) for suit, column in enumerate(suits))
        found.append(np.asarray(hands)[falling])
    return np.sort(np.concatenate(found))


def _orbit_sizes(masks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of hands that each canonical hand represents."""
    columns = [masks >> (suit * SUIT_BITS) & SUIT_MASK for suit in range(SUIT_COUNT)]
    same, run = np.ones_like(masks), np.ones_like(masks)
    for before, column in pairwise(columns):
        run = np.where(before == column, run + 1, 1)
        same *= run
    return 24 // same


def code_in_suits(mask: int, order: Sequence[int], code: int) -> int:
    """Translate a canonical hand's placement code to the hand ``mask``, whose ``suit`` became ``order[suit]``."""
    jokers = iter(range(DECK_SIZE, DECK_SIZE + JOKERS))
    images = []
    for card in CardSet(mask):
        suit, rank = divmod(card.value, SUIT_BITS)
        images.append(next(jokers) if card.value >= DECK_SIZE else order[suit] * SUIT_BITS + rank)
    places = {image: place for place, image in enumerate(sorted(images))}
    return sum((code >> (2 * places[image]) & 3) << (2 * i) for i, image in enumerate(images))


def symmetric_codes(mask: int, code: int) -> list[int]:
    """Return, sorted, all codes that ``code`` can become if suits with equal ranks in a canonical hand are swapped."""
    columns = [mask >> (suit * SUIT_BITS) & SUIT_MASK for suit in range(SUIT_COUNT)]
    if all(a != b or not a for a, b in pairwise(columns)):
        return [code]
    orders = (order for order in permutations(range(SUIT_COUNT)) if permute_suits(mask, order) == mask)
    return sorted({code_in_suits(mask, order, code) for order in orders})
