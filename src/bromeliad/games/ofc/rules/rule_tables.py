"""A rule set as arrays: what the kernels look up instead of knowing any rule.

Rows are numbered 0 top, 1 middle, 2 back. Everything is indexed by a row's strength (see :mod:`.hands`); a
deuce-to-seven middle has a scale of its own, in ``low``, where a greater number is a lower and better hand.
"""

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.games.ofc.hands.automaton import SYMBOLS, HandTables, HandType, hand_tables, hand_types
from bromeliad.games.ofc.rules.rule_set import Category, Condition, Row, RuleSet, parse_rank

__all__ = ["ENTRY", "ROWS", "ROYALTY", "STAY", "Flag", "Tables", "category_number", "rule_tables"]

ROWS = (Row.TOP, Row.MIDDLE, Row.BACK)
ROYALTY, ENTRY, STAY = 0, 3, 6  # where the parts of Tables.marks begin


class _Flags(NamedTuple):
    """Offsets into :attr:`Tables.flags`."""

    STRICT: int = 0  # 1: equal rows foul
    LOW_MIDDLE: int = 1  # 1: the middle is played for low
    SUITS_BREAK_TIES: int = 2
    MAY_COPY_SEEN: int = 3  # 1: a joker may stand for a card that lies elsewhere
    JOKERS: int = 4  # how many in the deck
    ENTRY_BOTH: int = 5  # cards when two rows lead to fantasyland; 0: the best row counts
    BY_FIRST_STREET: int = 6  # 0: by the finished board; else the strength that the first cards must reach
    BONUS: int = 7  # points for reaching fantasyland
    STAY_CARDS: int = 8  # cards after a stay; 0: as many as now
    ROW_POINTS: int = 9  # three entries: top, middle, back
    SCOOP: int = 12
    ADDITIVE: int = (
        13  # 1: a board's value is the sum of its rows' (at most one row leads to fantasyland, no low middle)
    )
    SIZE: int = 14


Flag = _Flags()


class Tables(NamedTuple):
    """Everything that scoring looks up, read-only: states share it. The parts of ``marks`` by name are for Python."""

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
        """[row, strength] -> cards in the fantasyland that it leads to, 0 for none."""
        return self.marks[ENTRY:STAY]

    @property
    def stay(self) -> NDArray[np.int32]:
        """[row, strength] -> 1 if it keeps fantasyland."""
        return self.marks[STAY:]


@lru_cache(maxsize=32)
def rule_tables(rules: RuleSet) -> Tables:
    """Return the arrays of a rule set."""
    size = len(hand_types())
    low, low_hands = _low_table(rules)
    marks = np.zeros((9, size), np.int32)
    royalty, entry, stay = marks[ROYALTY:ENTRY], marks[ENTRY:STAY], marks[STAY:]
    for strength, kind in enumerate(hand_types()):
        if kind is not None:
            for row, name in enumerate(ROWS):
                royalty[row, strength] = _royalty(rules, name, kind)
                entry[row, strength] = max([0, *(c.cards for c in rules.fantasyland.entry if _reaches(c, name, kind))])
                stay[row, strength] = any(_reaches(c, name, kind) for c in rules.fantasyland.stay)
    if rules.order.low_middle:
        royalty[1] = entry[1] = stay[1] = 0
        for strength, ranks in enumerate(low_hands, start=1):
            royalty[1, strength] = _low_royalty(rules, ranks)
            entry[1, strength] = max([0, *(c.cards for c in rules.fantasyland.entry if _reaches_low(c, ranks))])
            stay[1, strength] = any(_reaches_low(c, ranks) for c in rules.fantasyland.stay)
    flags = _flags(rules)
    flags[Flag.ADDITIVE] = _is_additive(rules)
    for array in (low, marks, flags):
        array.setflags(write=False)
    return Tables(hand_tables(), low, marks, flags)


def _is_additive(rules: RuleSet) -> bool:
    rows = {condition.row for condition in rules.fantasyland.entry}
    return len(rows) <= 1 and rules.order.low_middle is None and rules.fantasyland.first_street is None


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
    return flags


def category_number(category: Category) -> int:
    """Return a category's place in the order of hands, as in :attr:`HandType.category`."""
    return list(Category).index(category)


def _weakest(category: Category) -> int:
    """Return the strength of the weakest hand of a category."""
    return next(s for s, kind in enumerate(hand_types()) if kind and kind.category == category_number(category))


def _royalty(rules: RuleSet, row: Row, kind: HandType) -> int:
    royalties = rules.royalties
    if row is Row.TOP:
        table = {HandType.PAIR: royalties.top.pair, HandType.THREE_OF_KIND: royalties.top.trips}.get(kind.category, {})
        return table.get(kind.ranks[0], 0)
    by_category = royalties.middle if row is Row.MIDDLE else royalties.back
    return by_category.get(list(Category)[kind.category], 0)


def _reaches(condition: Condition, row: Row, kind: HandType) -> bool:
    if condition.row is not row or condition.is_low:
        return False
    category, _, rank = condition.at_least.partition(" ")
    asked = (category_number(Category(category)), parse_rank(rank) if rank else 0)
    return (kind.category, kind.ranks[0]) >= asked


def _low_table(rules: RuleSet) -> tuple[NDArray[np.int32], list[tuple[int, ...]]]:
    """Return the deuce-to-seven table and its hands, worst first, as ranks from the highest down."""
    tables = hand_tables()
    low = np.zeros_like(tables.strength)
    if rules.order.low_middle is None:
        return low, []
    ranks = range(2, rules.order.low_middle.qualifier + 1)
    hands: list[tuple[int, ...]] = sorted(
        (h[::-1] for h in combinations(ranks, 5) if not _is_straight(h)), reverse=True
    )
    for strength, hand in enumerate(hands, start=1):
        state = 0
        for rank in hand:
            state = int(tables.step[state * SYMBOLS + rank - 2])
        low[2 * state] = strength
    return low, hands


def _is_straight(ranks: tuple[int, ...]) -> bool:
    """Say whether five distinct ranks, lowest first, are a straight in deuce-to-seven, where the ace is only high."""
    return ranks[4] - ranks[0] == 4


def _low_ranks(text: str) -> tuple[int, ...]:
    return tuple(sorted((parse_rank(letter) for letter in text), reverse=True))


def _low_royalty(rules: RuleSet, ranks: tuple[int, ...]) -> int:
    """Return the royalty of a low hand: of the whole hand if it is listed, else of its highest card."""
    by_hand = {_low_ranks(text): points for text, points in rules.royalties.middle_low.items()}
    return by_hand.get(ranks, by_hand.get(ranks[:1], 0))


def _reaches_low(condition: Condition, ranks: tuple[int, ...]) -> bool:
    """Say whether a low hand is as good as asked; ``low 9`` asks only about the highest card."""
    asked = _low_ranks(condition.at_least.removeprefix("low ")) if condition.is_low else ()
    return condition.is_low and ranks[: len(asked)] <= asked
