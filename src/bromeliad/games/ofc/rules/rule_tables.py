"""A rule set as arrays: kernels look up the rules and contain none themselves.

Rows are numbered 0 top, 1 middle, 2 back. Tables are indexed by the strength of a row
(:mod:`bromeliad.games.ofc.hands.automaton`). A deuce-to-seven middle has its own scale, ``low``, on which a greater
number is a lower and better hand.
"""

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.games.ofc.hands.automaton import SYMBOLS, HandTables, HandType, hand_kinds, hand_tables
from bromeliad.games.ofc.rules.rule_set import Category, Condition, Row, RuleSet, parse_rank

ROWS = tuple(Row)
ROYALTY, ENTRY, STAY = 0, 3, 6  # first rows of the parts of Tables.marks


class _Flags(NamedTuple):
    """Offsets into :attr:`Tables.flags`."""

    STRICT: int = 0  # 1: equal rows foul
    LOW_MIDDLE: int = 1  # 1: deuce-to-seven middle
    SUITS_BREAK_TIES: int = 2
    MAY_COPY_SEEN: int = 3  # 1: a joker may copy an open card
    JOKERS: int = 4  # number of jokers in the deck
    ENTRY_BOTH: int = 5  # cards if two rows lead to fantasyland; 0: the better row counts
    BY_FIRST_STREET: int = 6  # 0: entry by the finished board; otherwise the minimum strength of the first cards
    BONUS: int = 7  # points for entering fantasyland
    STAY_CARDS: int = 8  # cards after a stay; 0: the same number as now
    ROW_POINTS: int = 9  # three entries: top, middle, back
    SCOOP: int = 12
    ADDITIVE: int = 13  # 1: a board's value is the sum of its rows' values
    SIZE: int = 14


Flag = _Flags()


class Tables(NamedTuple):
    """The read-only scoring tables, shared by states. The properties are for Python; kernels index ``marks``."""

    hands: HandTables
    low: NDArray[np.int32]  # [2 * state + flush] -> strength of a deuce-to-seven middle, 0 if it does not qualify
    marks: NDArray[np.int32]  # [ROYALTY + row, strength], [ENTRY + row, strength], [STAY + row, strength]
    flags: NDArray[np.int64]

    @property
    def royalty(self) -> NDArray[np.int32]:
        """[row, strength] -> royalty."""
        return self.marks[ROYALTY:ENTRY]

    @property
    def entry(self) -> NDArray[np.int32]:
        """[row, strength] -> cards of the fantasyland that the row leads to, 0 for none."""
        return self.marks[ENTRY:STAY]

    @property
    def stay(self) -> NDArray[np.int32]:
        """[row, strength] -> 1 if the row stays in fantasyland."""
        return self.marks[STAY:]


@lru_cache(maxsize=32)
def rule_tables(rules: RuleSet) -> Tables:
    """Return the tables of a rule set."""
    low, low_hands = _low_table(rules)
    marks = np.zeros((9, len(_kinds()[0])), np.int32)
    royalty, entry, stay = marks[ROYALTY:ENTRY], marks[ENTRY:STAY], marks[STAY:]
    _mark_royalties(rules, royalty)
    for condition in rules.fantasyland.entry:
        if not condition.is_low:
            row = entry[ROWS.index(condition.row)]
            np.maximum(row, np.where(_reaching(condition), condition.cards, 0), out=row)
    for staying in rules.fantasyland.stay:
        if not staying.is_low:
            stay[ROWS.index(staying.row)] |= _reaching(staying)
    if rules.order.low_middle:
        royalty[1] = entry[1] = stay[1] = 0
        for strength, ranks in enumerate(low_hands, start=1):
            royalty[1, strength] = _low_royalty(rules, ranks)
            entry[1, strength] = max([0, *(c.cards for c in rules.fantasyland.entry if _reaches_low(c, ranks))])
            stay[1, strength] = any(_reaches_low(c, ranks) for c in rules.fantasyland.stay)
    flags = _flags(rules)
    for array in (low, marks, flags):
        array.setflags(write=False)
    return Tables(hand_tables(), low, marks, flags)


def _flags(rules: RuleSet) -> NDArray[np.int64]:
    flags = np.zeros(Flag.SIZE, np.int64)
    fantasyland, points = rules.fantasyland, rules.scoring.row_points
    flags[Flag.STRICT] = rules.order.strict
    flags[Flag.LOW_MIDDLE] = rules.order.low_middle is not None
    flags[Flag.SUITS_BREAK_TIES] = rules.order.suits_break_ties
    flags[Flag.MAY_COPY_SEEN] = rules.jokers.may_copy_seen
    flags[Flag.JOKERS] = rules.jokers.count
    flags[Flag.ENTRY_BOTH] = fantasyland.entry_both or 0
    if fantasyland.first_street:
        flags[Flag.BY_FIRST_STREET] = _weakest(fantasyland.first_street.at_least)
    flags[Flag.BONUS] = fantasyland.bonus
    flags[Flag.STAY_CARDS] = 0 if fantasyland.stay_cards == "keep" else fantasyland.stay_cards
    flags[Flag.ROW_POINTS : Flag.ROW_POINTS + 3] = points.top, points.middle, points.back
    flags[Flag.SCOOP] = rules.scoring.scoop
    by_one_row = len({condition.row for condition in fantasyland.entry}) <= 1 and not fantasyland.first_street
    flags[Flag.ADDITIVE] = by_one_row and rules.order.low_middle is None
    return flags


def category_number(category: Category) -> int:
    """Return the number of a category, as in :attr:`HandType.category`: its place in the order of hands."""
    return list(Category).index(category)


def _kinds() -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the category and the first rank of every strength; strength 0, no hand, has category -1."""
    categories, ranks = hand_kinds()
    return categories, ranks[:, 0]


def _weakest(category: Category) -> int:
    """Return the strength of the weakest hand of a category."""
    return int(np.argmax(_kinds()[0] == category_number(category)))


def _mark_royalties(rules: RuleSet, royalty: NDArray[np.int32]) -> None:
    categories, ranks = _kinds()
    top = rules.royalties.top
    for category, points_of in ((HandType.PAIR, top.pair), (HandType.THREE_OF_KIND, top.trips)):
        for rank, points in points_of.items():
            royalty[0, (categories == category) & (ranks == rank)] = points
    for row, by_category in ((1, rules.royalties.middle), (2, rules.royalties.back)):
        for name, points in by_category.items():
            royalty[row, categories == category_number(name)] = points


def _reaching(condition: Condition) -> NDArray[np.bool_]:
    """Return, by strength, whether a hand meets a condition."""
    categories, ranks = _kinds()
    name, _, rank = condition.at_least.partition(" ")
    category, least = category_number(Category(name)), parse_rank(rank) if rank else 0
    return (categories > category) | ((categories == category) & (ranks >= least))


def _low_table(rules: RuleSet) -> tuple[NDArray[np.int32], list[tuple[int, ...]]]:
    """Return the deuce-to-seven table, and its hands, worst first, as ranks from the highest down."""
    tables = hand_tables()
    low = np.zeros_like(tables.strength)
    if rules.order.low_middle is None:
        return low, []
    ranks = range(2, rules.order.low_middle.qualifier + 1)
    falling = (hand[::-1] for hand in combinations(ranks, 5))
    hands: list[tuple[int, ...]] = sorted((hand for hand in falling if not _is_straight(hand)), reverse=True)
    for strength, hand in enumerate(hands, start=1):
        state = 0
        for rank in hand:
            state = int(tables.step[state * SYMBOLS + rank - 2])
        low[2 * state] = strength
    return low, hands


def _is_straight(ranks: tuple[int, ...]) -> bool:
    """Return whether five distinct ranks, highest first, are a straight in deuce-to-seven: the ace is only high."""
    return ranks[0] - ranks[4] == 4


def _low_ranks(text: str) -> tuple[int, ...]:
    return tuple(sorted((parse_rank(letter) for letter in text), reverse=True))


def _low_royalty(rules: RuleSet, ranks: tuple[int, ...]) -> int:
    """Return the royalty of a low hand: of the whole hand if it is listed, else of its highest card."""
    by_hand = {_low_ranks(text): points for text, points in rules.royalties.middle_low.items()}
    return by_hand.get(ranks, by_hand.get(ranks[:1], 0))


def _reaches_low(condition: Condition, ranks: tuple[int, ...]) -> bool:
    """Return whether a low hand meets a condition; ``low 9`` looks only at the highest card."""
    asked = _low_ranks(condition.at_least.removeprefix("low ")) if condition.is_low else ()
    return condition.is_low and ranks[: len(asked)] <= asked
