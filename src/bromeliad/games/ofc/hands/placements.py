"""Every legal placement of the cards in hand, each resulting board once.

A placement is one integer with two bits per card in hand, in the order of the cards' numbers: 0 discard, 1 top,
2 middle, 3 back. Of two placements that differ only in which joker goes where, one is listed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from math import comb

from bromeliad.core.cards import DECK_SIZE, Card, CardSet
from bromeliad.core.jit import Ints, int64, kernel


@kernel
def list_placements(count: int, top: int, middle: int, back: int, place: int, twins: bool, out: Ints) -> int:
    """Write every placement of ``count`` cards into ``out``; return their number.

    Parameters
    ----------
    top, middle, back
        Free places in each row.
    place
        The number of cards to place; the others are discarded.
    twins
        Whether the last two cards are jokers.
    """
    found = 0
    code = int64(0)
    depth = 0
    digit = 0
    free = (count - place) | top << 8 | middle << 16 | back << 24  # free places by digit, a byte each
    while True:
        while digit < 4 and (free >> (8 * digit) & 255 == 0 or (digit > 0 and place == 0)):
            digit += 1
        if digit < 4:
            code |= int64(digit) << (2 * depth)
            free -= 1 << (8 * digit)
            place -= digit > 0
            depth += 1
            digit = 0
            if twins and depth == count - 1:
                digit = int64(code >> (2 * depth - 2) & 3)
            if depth < count:
                continue
            out[found] = code
            found += 1
        if depth == 0:
            return found
        depth -= 1
        last = int64(code >> (2 * depth) & 3)
        code &= ~(int64(3) << (2 * depth))
        free += 1 << (8 * last)
        place += last > 0
        digit = last + 1


@cache
def count_placements(count: int, top: int, middle: int, back: int, place: int) -> int:
    """Return the number of placements that :func:`list_placements` finds without twins."""
    return comb(count, place) * sum(
        comb(place, a) * comb(place - a, b)
        for a in range(min(top, place) + 1)
        for b in range(min(middle, place - a) + 1)
        if place - a - b <= back
    )


@dataclass(frozen=True, slots=True)
class Action:
    """A player's placement of the cards of one street."""

    top: tuple[Card, ...]
    middle: tuple[Card, ...]
    back: tuple[Card, ...]
    discards: tuple[Card, ...]

    @classmethod
    def from_code(cls, cards: Iterable[Card], code: int) -> "Action":
        """Return the action that a placement code means for these cards."""
        groups: list[list[Card]] = [[], [], [], []]
        for i, card in enumerate(sorted(cards)):
            groups[code >> (2 * i) & 3].append(card)
        discards, top, middle, back = (tuple(sorted(group, key=_show_order)) for group in groups)
        return cls(top, middle, back, discards)

    @classmethod
    def from_masks(cls, top: int, middle: int, back: int, discards: int) -> "Action":
        """Return the action that puts the cards of these masks into the rows."""
        return cls(*(tuple(sorted(CardSet(int(mask)), key=_show_order)) for mask in (top, middle, back, discards)))

    def to_code(self) -> int:
        """Return the placement code of the action."""
        place = {
            card: row for row, group in enumerate((self.discards, self.top, self.middle, self.back)) for card in group
        }
        code = sum(place[card] << (2 * i) for i, card in enumerate(sorted(place)))
        return _canonical_twins(code, sorted(place))

    def __str__(self) -> str:
        rows = " / ".join(" ".join(map(str, row)) or "-" for row in (self.top, self.middle, self.back))
        return f"{rows} ({' '.join(map(str, self.discards))})" if self.discards else rows


def _canonical_twins(code: int, cards: list[Card]) -> int:
    """Return the code that :func:`list_placements` finds, of the two that differ only in which joker goes where."""
    first = 2 * len(cards) - 4
    if len(cards) < 2 or cards[-2].value < DECK_SIZE or code >> first & 3 <= code >> (first + 2) & 3:
        return code
    low, high = code >> (first + 2) & 3, code >> first & 3
    return code & ((1 << first) - 1) | low << first | high << (first + 2)


def _show_order(card: Card) -> tuple[int, int]:
    return -card.rank, -card.suit
