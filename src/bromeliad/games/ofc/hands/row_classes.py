"""What the learned evaluation sees of a row: classes of like rows, and the cards that they wait for.

Every row (an automaton state and whether it is still of one suit, see :mod:`.hands`) belongs to a *fine* and a
*coarse* class among middle and back rows, and to a *front* class and a coarser *outline* among top rows. Beside them
stand the ranks that it holds once, those that it holds more often, and those that keep a straight possible: so what
is live for it can be counted by one look at the deck.
"""

from collections.abc import Iterable
from functools import cache
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import JOKERS
from bromeliad.core.kernel_cache import cached_arrays
from bromeliad.games.ofc.hands.automaton import JOKER_RANK, SYMBOLS, hand_tables, hand_types

__all__ = ["COARSE", "FRONT", "MULTIPLE", "NEEDED", "OUTLINE", "SINGLE", "RowClasses", "row_classes"]

COARSE, FRONT, OUTLINE = 16, 32, 48
"""Bits of a row's first word where its coarse and its two front classes begin; the fine class has the lowest."""

SINGLE, MULTIPLE, NEEDED = 0, 13, 26
"""Bits of a row's second word where three sets of ranks begin: held once, held more often, good for a straight."""

_WINDOWS = [frozenset({(low - 1) % 13 for low in range(start, start + 5)}) for start in range(10)]
_BUCKETS = (0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4)  # of ranks, deuce to ace
_FRONT_BUCKETS = (0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 5)  # queen, king and ace lead to fantasyland: told apart


class RowClasses(NamedTuple):
    """The classes of all rows; ``words`` is indexed by [2 * state + one suit, word]."""

    words: NDArray[np.int64]
    fine: int  # number of classes
    coarse: int
    front: int
    outline: int
    top_states: int  # automaton states of at most three cards: the first ones


class _Row(NamedTuple):
    """A row as its classes see it."""

    ranks: tuple[int, ...]  # without jokers, upwards
    jokers: int
    suited: bool

    @property
    def size(self) -> int:
        return len(self.ranks) + self.jokers

    @property
    def groups(self) -> list[tuple[int, int]]:
        """(count, rank), the most frequent first, then the highest."""
        return sorted(((self.ranks.count(rank), rank) for rank in set(self.ranks)), reverse=True)

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(count for count, _ in self.groups if count > 1)

    @property
    def needed(self) -> frozenset[int]:
        """The ranks that keep a straight possible; none if it is not."""
        if self.counts:
            return frozenset()
        held = set(self.ranks)
        return frozenset(rank for window in _WINDOWS if held <= window for rank in window - held)


def _symbols() -> Iterable[tuple[int, ...]]:
    """Yield the rank multisets in the order of their automaton states."""
    for size in range(6):
        for symbols in combinations_with_replacement(range(SYMBOLS), size):
            if symbols.count(JOKER_RANK) <= JOKERS:
                yield symbols


def _span(row: _Row) -> int:
    """Return how far the ranks of a possible straight lie apart; 9 if no straight is possible."""
    if not row.needed or not row.ranks:
        return 9 if not row.needed and row.ranks else 0
    low = (row.ranks[-1] - row.ranks[0], max(r for r in row.ranks if r < 12) + 1 if row.ranks[0] < 4 else 99)
    return min(low) if row.ranks[-1] == 12 and len(row.ranks) > 1 else low[0]


def _fine(row: _Row, strength: int) -> tuple[object, ...]:
    """Return what tells fine classes apart."""
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
    """Return what tells coarse classes apart."""
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
    """Return what tells front classes apart."""
    buckets = [_FRONT_BUCKETS[rank] for rank in row.ranks]
    if row.counts:
        return row.jokers, row.size, row.counts, row.groups[0][1]
    return row.jokers, row.size, tuple(sorted(buckets, reverse=True)[: 2 if row.size == 2 else 1])


def _outline(row: _Row) -> tuple[object, ...]:
    """Return what tells outlines of top rows apart."""
    buckets = sorted((_FRONT_BUCKETS[rank] for rank in row.ranks), reverse=True)
    if row.counts:
        return row.jokers, row.size, row.counts, _FRONT_BUCKETS[row.groups[0][1]] if row.counts[0] == 2 else 0
    return row.jokers, row.size, buckets[0] if buckets else 0, row.size == 2 and len(buckets) == 2 and buckets[1] > 2


def _mask(ranks: Iterable[int]) -> int:
    return sum(1 << rank for rank in ranks)


def _number(numbers: dict[tuple[object, ...], int], key: tuple[object, ...]) -> int:
    return numbers.setdefault(key, len(numbers))


def _build(jokers: bool) -> dict[str, np.ndarray]:
    strength = hand_tables().strength
    words = np.zeros((len(strength), 2), np.int64)
    numbers: tuple[dict[tuple[object, ...], int], ...] = ({}, {}, {}, {})
    top_states = 0
    for state, symbols in enumerate(_symbols()):
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
    return {"words": words, "sizes": np.array([*map(len, numbers), top_states])}


@cache
def row_classes(jokers: bool) -> RowClasses:
    """Return the classes of rows, for decks with or without jokers; built once and kept on disk."""
    stored = cached_arrays(f"ofc-classes-{int(jokers)}", lambda: _build(jokers))
    return RowClasses(stored["words"], *(int(size) for size in stored["sizes"]))
