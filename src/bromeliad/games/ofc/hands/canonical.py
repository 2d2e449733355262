"""Positions up to suits: the same question in other suits has the same answer.

One permutation of the suits is applied to several card masks (rows, boards, discards …) at once. A suit is a column:
its thirteen ranks in each mask. Sorting the four columns gives the smallest tuple of masks without trying all
permutations. Jokers have no suit and stay where they are.
"""

from collections.abc import Sequence

from bromeliad.core.cards import SUITS
from bromeliad.core.jit import kernel

SUIT_COUNT = len(SUITS)
SUIT_BITS = 13
SUIT_MASK = (1 << SUIT_BITS) - 1
_JOKER_BITS = ~((1 << (SUIT_COUNT * SUIT_BITS)) - 1)


def canonical(*masks: int) -> tuple[int, ...]:
    """Return the smallest tuple of masks among all permutations of the suits."""
    order = canonical_order(*masks)
    return tuple(permute_suits(mask, order) for mask in masks)


def canonical_order(*masks: int) -> tuple[int, ...]:
    """Return the permutation that :func:`canonical` applies: ``suit`` becomes ``order[suit]``."""
    columns = [tuple(mask >> (suit * SUIT_BITS) & SUIT_MASK for mask in masks) for suit in range(SUIT_COUNT)]
    ranking = sorted(range(SUIT_COUNT), key=lambda suit: (columns[suit], -suit), reverse=True)
    return invert_order(ranking)  # the greatest column gets the lowest bits


def permute_suits(mask: int, order: Sequence[int]) -> int:
    """Return the mask with every card of ``suit`` moved to the suit ``order[suit]``; jokers stay."""
    moved = mask & _JOKER_BITS
    for suit, new in enumerate(order):
        moved |= (mask >> (suit * SUIT_BITS) & SUIT_MASK) << (new * SUIT_BITS)
    return moved


def invert_order(order: Sequence[int]) -> tuple[int, ...]:
    """Return the permutation that undoes ``order``, to translate a stored answer back to the suits of the question."""
    return tuple(sorted(range(SUIT_COUNT), key=lambda suit: order[suit]))


@kernel
def canonical_weight(mask: int) -> int:
    """Return the number of hands that a canonical hand represents; 0 if the hand is not canonical."""
    same, run = 1, 1
    for suit in range(1, SUIT_COUNT):
        before, column = mask >> ((suit - 1) * SUIT_BITS) & SUIT_MASK, mask >> (suit * SUIT_BITS) & SUIT_MASK
        if before < column:
            return 0
        run = run + 1 if before == column else 1
        same *= run
    return 24 // same  # of the 24 permutations of the suits, `same` leave the hand unchanged
