"""The counts of hands in the rules document, all by our own kernels.

Without the JIT the same kernels run over a smaller deck, and the plain-Python scorer gives the expected counts.
"""

from collections import Counter
from functools import cache
from itertools import combinations
from math import comb

import numpy as np
import pytest

from bromeliad.core.jit import JIT, kernel
from bromeliad.games.ofc.hands.automaton import EMPTY_ROW, add_card, hand_tables, hand_types
from bromeliad.games.ofc.hands.canonical import canonical_weight
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.rule_tables import rule_tables
from oracles import ofc_scorer as oracle
from support import number_of, strengths_of_five, strengths_of_three

pytestmark = pytest.mark.kernel

DECK = np.arange(52) if JIT else np.array([rank + 13 * suit for rank in (0, 1, 2, 3, 4, 12) for suit in range(3)])
NAMES = [oracle.DECK[card] for card in DECK]
FIVE = {
    "high_card": 1_302_540,
    "pair": 1_098_240,
    "two_pair": 123_552,
    "trips": 54_912,
    "straight": 10_200,
    "flush": 5_108,
    "full_house": 3_744,
    "quads": 624,
    "straight_flush": 36,
    "royal": 4,
}
THREE = {"high_card": 18_304, "pair": 3_744, "trips": 52}
LOWS = {10: 70_380, 9: 34_680, 8: 14_280, 7: 4_080}
NUMBER_ONE = 1_020  # 75432


@cache
def strengths(size):
    out = np.zeros(comb(len(DECK), size), np.int64)
    (strengths_of_five if size == 5 else strengths_of_three)(hand_tables(), DECK, out)
    return out


@cache
def oracle_strengths(size):
    return [oracle.strength(hand) for hand in combinations(NAMES, size)]


@pytest.mark.parametrize(("size", "table", "distinct"), [(5, FIVE, 7_462), (3, THREE, 455)])
def test_categories_and_distinct_strengths(size, table, distinct):
    if not JIT:
        table = Counter(oracle.CATEGORIES[category] for category, _ in oracle_strengths(size))
        distinct = len(set(oracle_strengths(size)))
    values, counts = np.unique(strengths(size), return_counts=True)
    found = Counter()
    for value, count in zip(values.tolist(), counts.tolist(), strict=True):
        found.update({oracle.CATEGORIES[hand_types()[value].category]: count})
    assert found == table
    assert len(values) == distinct


def test_three_and_five_card_strengths_share_one_dense_scale():
    assert len(hand_types()) == 1 + 7_462 + 455
    if JIT:
        assert set(np.unique(strengths(5))) | set(np.unique(strengths(3))) == set(range(1, len(hand_types())))
        assert not set(np.unique(strengths(5))) & set(np.unique(strengths(3)))


def test_queens_or_better_on_top():
    entry = rule_tables(preset("pineapple")).entry[0]
    expected = 916 if JIT else sum((c, r[0]) >= (1, 12) for c, r in oracle_strengths(3))
    assert np.count_nonzero(entry[strengths(3)]) == expected


@kernel
def count_lows(hands, low, cards, out):
    """Count the deuce-to-seven strengths of every five cards."""
    n = len(cards)
    for a in range(n):
        row_a = add_card(hands, np.int64(EMPTY_ROW), cards[a])
        for b in range(a + 1, n):
            row_b = add_card(hands, row_a, cards[b])
            for c in range(b + 1, n):
                row_c = add_card(hands, row_b, cards[c])
                for d in range(c + 1, n):
                    row_d = add_card(hands, row_c, cards[d])
                    for e in range(d + 1, n):
                        row = add_card(hands, row_d, cards[e])
                        out[low[2 * (row & 0xFFFF) + (row > 0xFFFF)]] += 1


def test_deuce_to_seven_qualifiers():
    tables = rule_tables(preset("deuce"))
    cards = DECK if JIT else np.array([rank + 13 * suit for rank in (0, 1, 2, 3, 5, 7, 8) for suit in range(2)])
    out = np.zeros(int(tables.low.max()) + 1, np.int64)
    count_lows(tables.hands, tables.low, cards, out)
    by_high = Counter()
    for ranks, count in zip(all_lows(), out[1:].tolist(), strict=True):
        by_high[ranks[0]] += count
    if JIT:
        assert by_high == LOWS
        assert out[1:].sum() == 123_420
        assert out[-1] == NUMBER_ONE
    else:
        lows = [oracle.low_ranks(hand) for hand in combinations([oracle.DECK[card] for card in cards], 5)]
        assert +by_high == Counter(ranks[0] for ranks in lows if ranks and ranks[0] <= 10)


def all_lows():
    """Return the ranks of all qualifying low hands, worst first."""
    hands = [hand[::-1] for hand in combinations(range(2, 11), 5) if hand[4] - hand[0] != 4]
    return sorted(hands, reverse=True)


@kernel
def count_orbits(cards, size, hand, out):
    """Count in ``out[orbit size]`` the hands that are their own canonical form; ``hand`` is scratch."""
    n = len(cards)
    for i in range(size):
        hand[i] = i
    while True:
        mask = np.int64(0)
        for i in range(size):
            mask |= np.int64(1) << np.int64(cards[hand[i]])
        if canonical_weight(mask):
            out[orbit_of(mask)] += 1
        i = size - 1
        while i >= 0 and hand[i] == n - size + i:
            i -= 1
        if i < 0:
            return
        hand[i] += 1
        for j in range(i + 1, size):
            hand[j] = hand[j - 1] + 1


@kernel
def orbit_of(mask):
    """Return the orbit size of a canonical mask, whose equal suits are next to each other."""
    orbit, run = 24, 1
    for suit in range(1, 4):
        if mask >> (13 * suit) & 0x1FFF == mask >> (13 * (suit - 1)) & 0x1FFF:
            run += 1
            orbit //= run
        else:
            run = 1
    return orbit


@pytest.mark.parametrize(
    ("size", "classes", "orbits"),
    [(5, 134_459, {24: 83_655, 12: 48_503, 4: 2_301}), (4, 16_432, None), (3, 1_755, None)],
)
def test_starting_hands_up_to_suits(size, classes, orbits):
    cards = np.arange(52) if JIT else np.array([rank + 13 * suit for rank in range(4) for suit in range(4)])
    out = np.zeros(25, np.int64)
    count_orbits(cards, size, np.zeros(size, np.int64), out)
    found = {orbit: count for orbit, count in enumerate(out.tolist()) if count}
    assert sum(orbit * count for orbit, count in found.items()) == comb(len(cards), size)
    if not JIT:
        classes, orbits = smaller_deck_classes(cards, size), None
    assert sum(found.values()) == classes
    assert orbits is None or found == orbits


def smaller_deck_classes(cards, size):
    """Count the classes of hands up to suits. A class is the multiset of the sets of ranks of each suit."""

    def shape(hand):
        suits = [tuple(card % 13 for card in hand if card // 13 == suit) for suit in range(4)]
        return tuple(sorted(suits))

    return len({shape(hand) for hand in combinations(cards.tolist(), size)})


def test_card_numbers_of_the_oracle_deck():
    assert [number_of(card) for card in oracle.DECK] == list(range(52))
