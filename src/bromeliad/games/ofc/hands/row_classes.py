"""Rows as the learned evaluation sees them: classes of similar rows, and the ranks that improve them.

Every row (an automaton state, and whether all cards share a suit) has a *fine* and a *coarse* class as a middle or
back row, and a *front* class and a coarser *outline* as a top row. It also has three sets of ranks: held once, held
more often, and good for a straight. They select the cards in the deck that can improve the row. Its *held hand* is the
hand that it has so far, for comparisons with another player's row.
"""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.kernel_cache import cached_arrays
from bromeliad.games.ofc.hands.automaton import JOKER_RANK, HandType, hand_tables, hand_types, row_ranks

COARSE, FRONT, OUTLINE = 16, 32, 48
"""Lowest bits of the coarse class, front class and outline in a row's first word; the fine class begins at bit 0."""

SINGLE, MULTIPLE, NEEDED = 0, 13, 26
"""Lowest bits of three sets of ranks in a row's second word: held once, held more often, good for a straight."""

CATEGORY, FIRST_RANK, SECOND_RANK, CARDS = 8, 4, 0, 12
"""Lowest bits of the parts of a held hand: category, the two most important ranks, and the number of cards."""

_WINDOWS = [frozenset({(low - 1) % 13 for low in range(start, start + 5)}) for start in range(10)]
_BUCKETS = (0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4)  # by rank, deuce to ace
_BY_COUNT = (
    HandType.HIGH_CARD,
    HandType.HIGH_CARD,
    HandType.PAIR,
    HandType.THREE_OF_KIND,
    HandType.FOUR_OF_KIND,
)  # category of a row by the count of its most frequent rank
_FRONT_BUCKETS = (0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 5)  # queen, king and ace differ: their pairs earn fantasyland


class RowClasses(NamedTuple):
    """The classes of all rows; ``words`` is indexed by [2 * state + one suit, word]."""

    words: NDArray[np.int64]
    held_hands: NDArray[np.int64]  # [2 * state + one suit]
    fine: int  # number of classes
    coarse: int
    front: int
    outline: int
    top_states: int  # number of automaton states of at most three cards, which come first


class _Row(NamedTuple):
    """The properties of a row that decide its classes."""

    ranks: tuple[int, ...]  # without jokers, ascending
    jokers: int
    suited: bool

    @property
    def size(self) -> int:
        return len(self.ranks) + self.jokers

    @property
    def groups(self) -> list[tuple[int, int]]:
        """The (count, rank) of each rank, the most frequent first, then the highest."""
        return sorted(((self.ranks.count(rank), rank) for rank in set(self.ranks)), reverse=True)

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(count for count, _ in self.groups if count > 1)

    @property
    def needed(self) -> frozenset[int]:
        """The ranks that keep a straight possible; none if no straight is possible."""
        if self.counts:
            return frozenset()
        held = set(self.ranks)
        return frozenset(rank for window in _WINDOWS if held <= window for rank in window - held)


def _span(row: _Row) -> int:
    """Return the distance between the lowest and highest rank of a possible straight; 9 if no straight is possible."""
    if not row.needed or not row.ranks:
        return 9 if not row.needed and row.ranks else 0
    low = (row.ranks[-1] - row.ranks[0], max(r for r in row.ranks if r < 12) + 1 if row.ranks[0] < 4 else 99)
    return min(low) if row.ranks[-1] == 12 and len(row.ranks) > 1 else low[0]


def _fine(row: _Row, strength: int) -> tuple[object, ...]:
    """Return the key of a row's fine class."""
    kind = hand_types()[strength] if row.size == 5 else None
    if kind is not None:
        second = _BUCKETS[kind.ranks[1] - 2] if kind.category == kind.TWO_PAIR else 0
        return "made", kind.category, kind.ranks[0], second
    top = row.groups[0][1] if row.groups else 0
    if row.counts:
        others = [_BUCKETS[rank] >= 2 for count, rank in row.groups[1:]]
        second = _BUCKETS[row.groups[1][1]] if len(row.counts) > 1 else sum(others)
        return row.jokers, row.size, row.counts, top, second
    if row.jokers:
        return row.jokers, row.size, "joker", top, row.suited, bool(row.needed)
    return row.size, "high", top, row.suited, _span(row)


def _coarse(row: _Row, strength: int) -> tuple[object, ...]:
    """Return the key of a row's coarse class."""
    kind = hand_types()[strength] if row.size == 5 else None
    if kind is not None:
        return "made", kind.category, _BUCKETS[kind.ranks[0] - 2] if kind.category < kind.FLUSH else 0
    top = _BUCKETS[row.groups[0][1]] if row.groups else 0
    if row.counts:
        return row.jokers, row.size, row.counts, top
    if row.jokers:
        return row.jokers, row.size, top > 2, row.suited or bool(row.needed)
    return row.size, "high", row.suited, bool(row.needed), top > 2


def _front(row: _Row) -> tuple[object, ...]:
    """Return the key of a top row's front class."""
    buckets = [_FRONT_BUCKETS[rank] for rank in row.ranks]
    if row.counts:
        return row.jokers, row.size, row.counts, row.groups[0][1]
    return row.jokers, row.size, tuple(sorted(buckets, reverse=True)[: 2 if row.size == 2 else 1])


def _outline(row: _Row) -> tuple[object, ...]:
    """Return the key of a top row's outline."""
    buckets = sorted((_FRONT_BUCKETS[rank] for rank in row.ranks), reverse=True)
    if row.counts:
        return row.jokers, row.size, row.counts, _FRONT_BUCKETS[row.groups[0][1]] if row.counts[0] == 2 else 0
    return row.jokers, row.size, buckets[0] if buckets else 0, row.size == 2 and len(buckets) == 2 and buckets[1] > 2


def _held_hand(row: _Row, strength: int) -> int:
    """Return a row's held hand as one number; a missing rank is lower than any rank."""
    kind = hand_types()[strength] if row.size == 5 else None
    if kind is not None:
        ranks = (*(rank - 1 for rank in kind.ranks), 0)
        return _pack(kind.category, ranks[0], ranks[1], row.size)
    counts = [count for count, _ in row.groups] or [0]
    counts[0] += row.jokers
    pair = HandType.FULL_HOUSE if counts[0] == 3 else HandType.TWO_PAIR
    category = pair if len(counts) > 1 and counts[1] == 2 and counts[0] > 1 else _BY_COUNT[min(counts[0], 4)]
    ranks = (*(rank + 1 for _, rank in row.groups), 0, 0)
    return _pack(category, ranks[0], ranks[1], row.size)


def _pack(category: int, first: int, second: int, cards: int) -> int:
    return category << CATEGORY | first << FIRST_RANK | second << SECOND_RANK | cards << CARDS


def _mask(ranks: Iterable[int]) -> int:
    return sum(1 << rank for rank in ranks)


def _number(numbers: dict[tuple[object, ...], int], key: tuple[object, ...]) -> int:
    return numbers.setdefault(key, len(numbers))


def _build(jokers: bool) -> dict[str, np.ndarray]:
    strength = hand_tables().strength
    words, held_hands = np.zeros((len(strength), 2), np.int64), np.zeros(len(strength), np.int64)
    numbers: tuple[dict[tuple[object, ...], int], ...] = ({}, {}, {}, {})
    top_states = 0
    for state, symbols in enumerate(row_ranks()):
        top_states += len(symbols) <= 3
        ranks = tuple(symbol for symbol in symbols if symbol != JOKER_RANK)
        if len(ranks) < len(symbols) and not jokers:
            continue
        for suited in (False, True):
            entry = 2 * state + suited
            row = _Row(ranks, len(symbols) - len(ranks), suited)
            known = int(strength[entry])
            front = _number(numbers[2], _front(row)) if row.size <= 3 else 0
            outline = _number(numbers[3], _outline(row)) if row.size <= 3 else 0
            words[entry, 0] = (
                _number(numbers[0], _fine(row, known))
                | _number(numbers[1], _coarse(row, known)) << COARSE
                | front << FRONT
                | outline << OUTLINE
            )
            words[entry, 1] = (
                _mask(rank for count, rank in row.groups if count == 1) << SINGLE
                | _mask(rank for count, rank in row.groups if count > 1) << MULTIPLE
                | _mask(row.needed) << NEEDED
            )
            held_hands[entry] = _held_hand(row, known)
    return {"words": words, "held_hands": held_hands, "sizes": np.array([*map(len, numbers), top_states])}


@cache
def row_classes(jokers: bool) -> RowClasses:
    """Return the classes of rows, for decks with or without jokers; built once and cached on disk."""
    stored = cached_arrays(f"ofc-classes-{int(jokers)}", lambda: _build(jokers))
    return RowClasses(stored["words"], stored["held_hands"], *(int(size) for size in stored["sizes"]))
