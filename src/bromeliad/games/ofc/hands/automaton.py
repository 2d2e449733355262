"""Hand strength: rows as states of a small automaton, and one dense scale for three and five cards.

A row is one integer, ``state | suits << 16``. The state identifies the multiset of its ranks (jokers are a fourteenth
rank), so adding a card is one look-up in ``step``. ``suits`` has a bit for each suit that all cards may have: a full
row is a flush exactly if a bit is left. The strength of a full row is ``strength[2 * state + flush]``.

Three- and five-card hands share one scale of strengths, weakest first: by category, then by ranks; a missing kicker
is lower than any rank. To compare a top row with a middle row, compare two integers. 0 means "not a hand".
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, total_ordering
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE, JOKERS, Card
from bromeliad.core.jit import int64, kernel
from bromeliad.core.kernel_cache import cached_arrays
from bromeliad.errors import CardError

CATEGORIES = (
    "high card", "pair", "two pair", "three of a kind", "straight", "flush", "full house", "four of a kind",
    "straight flush", "royal flush",
)  # fmt: skip
JOKER_RANK = 13  # the rank index of a joker; 0 to 12 are deuce to ace
SYMBOLS = 14
EMPTY_ROW = 0b1111 << 16
"""The row without cards: state 0, all suits still possible."""

_CARD_RANK = np.array([c % 13 for c in range(DECK_SIZE)] + [JOKER_RANK] * JOKERS, np.int64)
_CARD_SUITS = np.array([1 << (c // 13 + 16) for c in range(DECK_SIZE)] + [EMPTY_ROW] * JOKERS, np.int64)
_STATE = int64(0xFFFF)

# Offsets of the parts of HandTables.packed. The last two are for rows with jokers: [2 * state + flush] -> start of the
# row's list in `options` (the next entry is its end), and `options`: the strengths it can take, strongest first.
STATES = sum(
    comb(13 + size - jokers - 1, size - jokers) for size in range(6) for jokers in range(min(size, JOKERS) + 1)
)
_STRENGTH = SYMBOLS * (STATES + 1)
_NATURAL = _STRENGTH + 2 * (STATES + 1)
_OPTION_START = _NATURAL + STATES + 1
_OPTIONS = _OPTION_START + 2 * (STATES + 1) + 1


class HandTables(NamedTuple):
    """The look-up tables of rows, the same for every rule set. One read-only array is faster in kernels than several.

    The properties are for Python; kernels add the offsets (``_STRENGTH`` and so on) to their indices.
    """

    packed: NDArray[np.int32]

    @property
    def step(self) -> NDArray[np.int32]:
        """[state * 14 + rank] -> state with one more card of that rank."""
        return self.packed[:_STRENGTH]

    @property
    def strength(self) -> NDArray[np.int32]:
        """[2 * state + flush] -> strength of a full row, its jokers at their best."""
        return self.packed[_STRENGTH:_NATURAL]

    @property
    def natural(self) -> NDArray[np.int32]:
        """[state] -> state without its jokers."""
        return self.packed[_NATURAL:_OPTION_START]


@total_ordering
@dataclass(frozen=True, slots=True)
class HandType:
    """The hand of a row of three or five cards: its category, and the ranks that break ties, most important first."""

    category: int
    ranks: tuple[int, ...]

    HIGH_CARD: ClassVar[int] = 0
    PAIR: ClassVar[int] = 1
    TWO_PAIR: ClassVar[int] = 2
    THREE_OF_KIND: ClassVar[int] = 3
    STRAIGHT: ClassVar[int] = 4
    FLUSH: ClassVar[int] = 5
    FULL_HOUSE: ClassVar[int] = 6
    FOUR_OF_KIND: ClassVar[int] = 7
    STRAIGHT_FLUSH: ClassVar[int] = 8
    ROYAL_FLUSH: ClassVar[int] = 9

    @property
    def strength(self) -> int:
        """The position on the scale of all three- and five-card hands, from 1."""
        return _strength_of()[self]

    @property
    def name(self) -> str:
        """The category in words."""
        return CATEGORIES[self.category]

    def __lt__(self, other: "HandType") -> bool:
        return (self.category, self.ranks) < (other.category, other.ranks)


def _type_of_ranks(ranks: tuple[int, ...], flush: bool) -> HandType | None:
    """Return the hand type of three or five ranks (0 to 12, ascending); None for five of a kind."""
    groups = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    counts = tuple(count for count, _ in groups)
    order = tuple(rank + 2 for _, rank in groups)
    if counts[0] == 5:
        return None
    if len(ranks) == 3:
        return HandType({1: HandType.HIGH_CARD, 2: HandType.PAIR, 3: HandType.THREE_OF_KIND}[counts[0]], order)
    by_counts = {
        (4, 1): HandType.FOUR_OF_KIND,
        (3, 2): HandType.FULL_HOUSE,
        (3, 1, 1): HandType.THREE_OF_KIND,
        (2, 2, 1): HandType.TWO_PAIR,
        (2, 1, 1, 1): HandType.PAIR,
    }
    if counts in by_counts:
        return HandType(by_counts[counts], order)
    if ranks == (0, 1, 2, 3, 12):
        return HandType(HandType.STRAIGHT_FLUSH if flush else HandType.STRAIGHT, (5,))
    if ranks[4] - ranks[0] == 4:
        if flush:
            return HandType(HandType.ROYAL_FLUSH if order[0] == 14 else HandType.STRAIGHT_FLUSH, order[:1])
        return HandType(HandType.STRAIGHT, order[:1])
    return HandType(HandType.FLUSH if flush else HandType.HIGH_CARD, order)


def row_ranks() -> Iterator[tuple[int, ...]]:
    """Yield the ranks of every row of up to five cards, ascending, in the order of the automaton's states."""
    for size in range(6):
        for ranks in combinations_with_replacement(range(SYMBOLS), size):
            if ranks.count(JOKER_RANK) <= JOKERS:
                yield ranks


@cache
def hand_types() -> tuple[HandType | None, ...]:
    """Return the hand type of every strength; the first entry, for strength 0, is None."""
    found = set()
    for size in (3, 5):
        for ranks in combinations_with_replacement(range(JOKER_RANK), size):
            found.add(_type_of_ranks(ranks, flush=False))
    for ranks in combinations(range(JOKER_RANK), 5):
        found.add(_type_of_ranks(ranks, flush=True))
    return (None, *sorted(kind for kind in found if kind is not None))


@cache
def hand_kinds() -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return [strength] categories and [strength, place] ranks, padded with 0; strength 0, no hand, has category -1."""
    stored = cached_arrays("ofc-kinds", _build_kinds)
    return stored["categories"], stored["ranks"]


def _build_kinds() -> dict[str, NDArray[np.int32]]:
    kinds = [(-1, -1) if kind is None else (kind.category, *kind.ranks) for kind in hand_types()]
    table = np.array([(*kind, 0, 0, 0, 0)[:6] for kind in kinds], np.int32)
    return {"categories": table[:, 0].copy(), "ranks": table[:, 1:].copy()}


def hand_type(strength: int) -> HandType | None:
    """Return the hand type of a strength, None for 0.

    For many strengths :func:`hand_types` is faster, although its first call is slow.
    """
    categories, ranks = hand_kinds()
    if categories[strength] < 0:
        return None
    return HandType(int(categories[strength]), tuple(int(rank) for rank in ranks[strength] if rank))


@cache
def _strength_of() -> dict[HandType | None, int]:
    return {kind: strength for strength, kind in enumerate(hand_types())}


@cache
def _strength_of_ranks() -> tuple[dict[tuple[int, ...], int], dict[tuple[int, ...], int]]:
    """Return two tables, for mixed suits and for one suit: three or five sorted ranks -> strength."""
    number = _strength_of()
    mixed = {
        ranks: number[_type_of_ranks(ranks, flush=False)]
        for size in (3, 5)
        for ranks in combinations_with_replacement(range(JOKER_RANK), size)
    }
    suited: dict[tuple[int, ...], int] = {
        ranks: number[_type_of_ranks(ranks, flush=True)] for ranks in combinations(range(JOKER_RANK), 5)
    }
    return mixed, suited


def _options(symbols: tuple[int, ...], flush: bool) -> list[int]:
    """Return the strengths that a full row can take, strongest first: one without jokers, more with jokers."""
    mixed, suited = _strength_of_ranks()
    naturals = tuple(symbol for symbol in symbols if symbol != JOKER_RANK)
    jokers = len(symbols) - len(naturals)
    found = set()
    for extra in combinations_with_replacement(range(JOKER_RANK), jokers):
        ranks = tuple(sorted(naturals + extra))
        in_suit = suited.get(ranks, 0) if flush else 0
        found.add(in_suit)
        if jokers or not in_suit:  # a joker may also take another suit
            found.add(mixed[ranks])
    return sorted(found - {0}, reverse=True)


def _build() -> dict[str, np.ndarray]:
    states = list(row_ranks())
    number = {symbols: state for state, symbols in enumerate(states)}
    dead = len(states)  # the state of impossible rows
    step = np.full((dead + 1, SYMBOLS), dead, np.int32)
    natural = np.full(dead + 1, dead, np.int32)
    strength = np.zeros(2 * (dead + 1), np.int32)
    starts, options = [0], []
    for state, symbols in enumerate(states):
        for rank in range(SYMBOLS):
            step[state, rank] = number.get(tuple(sorted((*symbols, rank))), dead)
        natural[state] = number[tuple(symbol for symbol in symbols if symbol != JOKER_RANK)]
        for flush in (False, True):
            found = _options(symbols, flush) if len(symbols) in (3, 5) else []
            strength[2 * state + flush] = found[0] if found else 0
            if JOKER_RANK in symbols:
                options.extend(found)
            starts.append(len(options))
    starts.extend([len(options)] * 2)
    parts = (step.ravel(), strength, natural, np.array(starts, np.int32), np.array(options, np.int32))
    return {"packed": np.concatenate(parts)}


@cache
def hand_tables() -> HandTables:
    """Return the tables of rows, built once and cached on disk."""
    packed = cached_arrays("ofc-hands", _build)["packed"]
    packed.setflags(write=False)
    return HandTables(packed)


@kernel(inline=True)
def add_card(tables: HandTables, row: int, card: int) -> int:
    """Return the row with one more card."""
    return int64(tables.packed[(row & _STATE) * SYMBOLS + _CARD_RANK[card]]) | (row & _CARD_SUITS[card])


@kernel(inline=True)
def natural_row(tables: HandTables, row: int) -> int:
    """Return the row without its jokers."""
    return int64(tables.packed[_NATURAL + (row & _STATE)]) | (row & ~_STATE)


@kernel
def row_of_mask(tables: HandTables, mask: int) -> int:
    """Return the row that holds the cards of a mask."""
    row = int64(EMPTY_ROW)
    for card in range(DECK_SIZE + JOKERS):
        if mask >> card & 1:
            row = add_card(tables, row, card)
    return row


@kernel(inline=True)
def row_place(row: int) -> int:
    """Return the index of a row in tables by state and suit: ``2 * state + flush``."""
    return 2 * (row & _STATE) + int64(row > _STATE)


@kernel(inline=True)
def best_strength(tables: HandTables, row: int) -> int:
    """Return the strength of a full row, its jokers at their best."""
    return int64(tables.packed[_STRENGTH + row_place(row)])


@kernel(inline=True)
def _options_of(tables: HandTables, row: int) -> tuple[int, int]:
    """Return the start and the end of a row's list of strengths in ``packed``; they are equal without jokers."""
    entry = _OPTION_START + row_place(row)
    return _OPTIONS + tables.packed[entry], _OPTIONS + tables.packed[entry + 1]


@kernel(inline=True)
def strength_at_most(tables: HandTables, row: int, limit: int) -> int:
    """Return the greatest strength up to ``limit`` that a full row can take, 0 if there is none."""
    best = best_strength(tables, row)
    if best <= limit:
        return best
    start, end = _options_of(tables, row)
    for i in range(start, end):
        if tables.packed[i] <= limit:
            return int64(tables.packed[i])
    return int64(0)


@kernel(inline=True)
def weakest_strength(tables: HandTables, row: int) -> int:
    """Return the least strength that a full row can take."""
    start, end = _options_of(tables, row)
    return int64(tables.packed[end - 1]) if end > start else best_strength(tables, row)


def evaluate_cards(cards: Iterable[Card]) -> HandType:
    """Return the hand type of three or five cards, jokers at their best."""
    tables = hand_tables()
    row = EMPTY_ROW
    count = 0
    for card in cards:
        row = add_card(tables, row, card.value)
        count += 1
    strength: int = best_strength(tables, row) if count in (3, 5) else 0
    kind = hand_type(strength)
    if kind is None:
        raise CardError("a hand is three or five cards, not {count}", count=count)
    return kind
