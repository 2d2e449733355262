"""The first deal up to suits: 134,459 hands of five cards stand for all 2,598,960; with two jokers 152,646.

A hand is known by its canonical mask (:mod:`.canonical`); of two equal jokers a single one is the first.
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

__all__ = ["FIRST_DEAL", "Openings", "canonical_opening", "code_in_suits", "opening_hands", "symmetric_codes"]

FIRST_DEAL = 5
"""Cards of the first deal."""

_SUITED = (1 << DECK_SIZE) - 1


class Openings(NamedTuple):
    """All first deals of a deck up to suits, in the order of their masks."""

    masks: NDArray[np.int64]
    weights: NDArray[np.int64]  # how many deals each stands for


def canonical_opening(mask: int) -> tuple[int, tuple[int, ...]]:
    """Return the mask that stands for a hand, and what each suit becomes in it."""
    jokers = (mask >> DECK_SIZE).bit_count()
    mask = mask & _SUITED | ((1 << jokers) - 1) << DECK_SIZE
    order = canonical_order(mask)
    return permute_suits(mask, order), order


@cache
def opening_hands(jokers: int) -> Openings:
    """Return the first deals of a deck with so many jokers."""
    masks, weights = [], []
    for held in range(jokers + 1):
        suited = _suited_hands(FIRST_DEAL - held)
        masks.append(suited | ((1 << held) - 1) << DECK_SIZE)
        weights.append(_orbit_sizes(suited) * comb(jokers, held))
    openings = Openings(np.concatenate(masks), np.concatenate(weights))  # more jokers, greater masks: sorted
    for array in openings:
        array.setflags(write=False)
    return openings


def _suited_hands(count: int) -> NDArray[np.int64]:
    """Return all canonical hands of so many cards without jokers, sorted: no suit's ranks exceed those before it."""
    columns = [_columns(size) for size in range(count + 1)]
    found = []
    for sizes in product(range(count + 1), repeat=SUIT_COUNT):
        if sum(sizes) != count:
            continue
        suits = np.meshgrid(*(columns[size] for size in sizes), indexing="ij", sparse=True)
        falling = np.logical_and.reduce(np.broadcast_arrays(*(a >= b for a, b in pairwise(suits))))
        hands = sum(column << (suit * SUIT_BITS) for suit, column in enumerate(suits))
        found.append(np.asarray(hands)[falling])
    return np.sort(np.concatenate(found))


def _columns(size: int) -> NDArray[np.int64]:
    """Return every set of so many ranks."""
    ranks = np.arange(1 << SUIT_BITS, dtype=np.int64)
    chosen: NDArray[np.int64] = ranks[np.bitwise_count(ranks) == size]
    return chosen


def _orbit_sizes(masks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many hands the permutations of the suits make of each canonical one."""
    columns = [masks >> (suit * SUIT_BITS) & SUIT_MASK for suit in range(SUIT_COUNT)]
    same, run = np.ones_like(masks), np.ones_like(masks)
    for before, column in pairwise(columns):
        run = np.where(before == column, run + 1, 1)
        same *= run
    return 24 // same


def code_in_suits(mask: int, order: Sequence[int], code: int) -> int:
    """Return a placement of a canonical hand as one of the hand ``mask``, whose suits became ``order`` in it."""
    cards = [card.value for card in CardSet(mask)]
    jokers = iter(range(DECK_SIZE, DECK_SIZE + JOKERS))
    images = [next(jokers) if card >= DECK_SIZE else _in_suits(card, order) for card in cards]
    places = {image: place for place, image in enumerate(sorted(images))}
    return sum((code >> (2 * places[image]) & 3) << (2 * i) for i, image in enumerate(images))


def symmetric_codes(mask: int, code: int) -> list[int]:
    """Return all placements of a canonical hand that differ in nothing but suits which the hand holds alike, sorted."""
    columns = [mask >> (suit * SUIT_BITS) & SUIT_MASK for suit in range(SUIT_COUNT)]
    if all(a != b or not a for a, b in pairwise(columns)):
        return [code]
    orders = (order for order in permutations(range(SUIT_COUNT)) if permute_suits(mask, order) == mask)
    return sorted({code_in_suits(mask, order, code) for order in orders})


def _in_suits(card: int, order: Sequence[int]) -> int:
    return order[card // SUIT_BITS] * SUIT_BITS + card % SUIT_BITS
