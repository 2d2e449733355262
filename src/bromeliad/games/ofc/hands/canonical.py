"""Positions up to suits: the same question asked in other suits has the same answer.

Several card masks (rows, boards, discards …) are taken together: one permutation of the suits is applied to all of
them. A suit is then a column, its thirteen ranks in each mask, and the smallest tuple of masks is had by sorting the
four columns, so no permutation has to be tried. Jokers have no suit and stay where they are.
"""

from collections.abc import Sequence
from math import factorial

from bromeliad.core.cards import SUITS
from bromeliad.core.jit import Ints, int64, kernel

__all__ = [
    "canonical",
    "canonical_order",
    "canonical_weight",
    "canonicalize",
    "invert_order",
    "orbit_size",
    "permute_suits",
]

SUIT_COUNT = len(SUITS)
SUIT_BITS = 13
SUIT_MASK = (1 << SUIT_BITS) - 1
_JOKER_BITS = ~((1 << (SUIT_COUNT * SUIT_BITS)) - 1)


def canonical(*masks: int) -> tuple[int, ...]:
    """Return the smallest tuple of masks that a permutation of the suits makes of these."""
    order = canonical_order(*masks)
    return tuple(permute_suits(mask, order) for mask in masks)


def canonical_order(*masks: int) -> tuple[int, ...]:
    """Return the permutation that :func:`canonical` applies: ``order[suit]`` is what ``suit`` becomes."""
    columns = _columns(masks)
    ranking = sorted(range(SUIT_COUNT), key=lambda suit: (columns[suit], -suit), reverse=True)
    order = [0] * SUIT_COUNT
    for place, suit in enumerate(ranking):  # the greatest column to the lowest bits
        order[suit] = place
    return tuple(order)


def permute_suits(mask: int, order: Sequence[int]) -> int:
    """Return the mask with every card of ``suit`` moved to the suit ``order[suit]``; jokers stay."""
    moved = mask & _JOKER_BITS
    for suit, new in enumerate(order):
        moved |= (mask >> (suit * SUIT_BITS) & SUIT_MASK) << (new * SUIT_BITS)
    return moved


def invert_order(order: Sequence[int]) -> tuple[int, ...]:
    """Return the permutation that undoes ``order``: it takes a stored answer back to the suits that were asked."""
    return tuple(sorted(range(SUIT_COUNT), key=lambda suit: order[suit]))


def orbit_size(*masks: int) -> int:
    """Return how many different tuples the permutations of the suits make of these masks."""
    columns = _columns(masks)
    same = 1
    for column in set(columns):
        same *= factorial(columns.count(column))
    return factorial(SUIT_COUNT) // same


def _columns(masks: Sequence[int]) -> list[tuple[int, ...]]:
    return [tuple(mask >> (suit * SUIT_BITS) & SUIT_MASK for mask in masks) for suit in range(SUIT_COUNT)]


@kernel
def canonicalize(masks: Ints) -> None:
    """Make the masks of an int64 array canonical in place, as :func:`canonical` does."""
    for end in range(SUIT_COUNT - 1, 0, -1):  # bubble sort: four columns, at most six swaps
        for suit in range(end):
            if _is_less(masks, suit, suit + 1):
                _swap_columns(masks, suit, suit + 1)


@kernel(inline=True)
def _is_less(masks: Ints, one: int, two: int) -> bool:
    """Say whether the column of suit ``one`` is less than that of suit ``two``."""
    for mask in masks:
        a, b = mask >> (one * SUIT_BITS) & SUIT_MASK, mask >> (two * SUIT_BITS) & SUIT_MASK
        if a != b:
            return a < b
    return False


@kernel(inline=True)
def _swap_columns(masks: Ints, one: int, two: int) -> None:
    for i in range(len(masks)):
        change = (masks[i] >> (one * SUIT_BITS) ^ masks[i] >> (two * SUIT_BITS)) & SUIT_MASK
        masks[i] ^= int64(change << (one * SUIT_BITS) | change << (two * SUIT_BITS))


@kernel
def canonical_weight(mask: int) -> int:
    """Return how many hands a canonical one stands for, itself included; 0 for a hand that is not canonical."""
    same, run = 1, 1
    for suit in range(1, SUIT_COUNT):
        before, column = mask >> ((suit - 1) * SUIT_BITS) & SUIT_MASK, mask >> (suit * SUIT_BITS) & SUIT_MASK
        if before < column:
            return 0
        run = run + 1 if before == column else 1
        same *= run
    return 24 // same  # of the 24 permutations of the suits, so many change nothing
