"""Hand strength: the kernels against phevaluator, eval7 and the plain-Python scorer, and the hand types."""

import random
from itertools import combinations
from math import comb

import numpy as np
import pytest
from phevaluator import evaluate_cards as phevaluator_rank

from bromeliad.core.cards import Card, parse_cards
from bromeliad.core.jit import JIT
from bromeliad.errors import CardError
from bromeliad.games.ofc.hands.automaton import (
    EMPTY_ROW,
    HandType,
    add_card,
    best_strength,
    evaluate_cards,
    hand_tables,
    hand_type,
    hand_types,
    natural_row,
    row_of_mask,
    strength_at_most,
)
from oracles import ofc_scorer as oracle
from support import import_eval7, mask_of, number_of, strengths_of_five, strengths_of_three

DECK = np.arange(52)
SMALL_DECK = np.array([rank + 13 * suit for rank in (0, 1, 2, 3, 4, 12) for suit in range(3)])


def strengths(size, cards):
    out = np.zeros(comb(len(cards), size), np.int64)
    (strengths_of_five if size == 5 else strengths_of_three)(hand_tables(), cards, out)
    return out


def assert_same_order(ours, theirs):
    """Both rankings have the same ties, and put the tied groups in the same order."""
    pairs = np.unique(np.stack([ours, theirs], axis=1), axis=0)
    assert len(np.unique(pairs[:, 0])) == len(np.unique(pairs[:, 1])) == len(pairs)
    assert np.all(np.diff(pairs[:, 1]) > 0)
    return len(pairs)


def phevaluator_strengths(cards, every=1):
    """Rank every five of ``cards`` (each n-th of them) by phevaluator; turned round, so that more is better."""
    ids = [card % 13 * 4 + card // 13 for card in cards.tolist()]
    hands = list(combinations(ids, 5))[::every]
    return -np.array([phevaluator_rank(*hand) for hand in hands])


@pytest.mark.kernel
def test_a_tenth_of_all_five_card_hands_in_the_order_of_phevaluator():
    cards, every = (DECK, 10) if JIT else (SMALL_DECK, 1)
    assert_same_order(strengths(5, cards)[::every], phevaluator_strengths(cards, every))


@pytest.mark.accept
def test_all_five_card_hands_in_the_order_of_phevaluator():
    assert assert_same_order(strengths(5, DECK), phevaluator_strengths(DECK)) == 7_462


@pytest.mark.kernel
def test_all_three_card_hands_in_the_order_of_eval7():
    """eval7 has no straights nor flushes of fewer than five cards, so its order is that of a top row."""
    eval7 = import_eval7()
    cards = [eval7.Card(name) for name in oracle.DECK]
    theirs = np.array([eval7.evaluate(list(hand)) for hand in combinations(cards, 3)])
    assert assert_same_order(strengths(3, DECK), theirs) == 455


def as_type(oracle_strength):
    category, ranks = oracle_strength
    return HandType(category, tuple(rank for rank in ranks if rank))


def random_row(rng, jokers):
    """Return three or five cards of a random deck: all cards, one or two suits, or four ranks."""
    decks = [
        oracle.DECK,
        [card for card in oracle.DECK if card[1] == "h"],
        [card for card in oracle.DECK if card[1] in "cs"],
        [card for card in oracle.DECK if card[0] in rng.sample(oracle.RANKS, 4)],
    ]
    size = rng.choice((3, 5))
    deck = rng.choice(decks)
    count = rng.randint(0, 2) if jokers else 0
    return (
        rng.sample(deck, min(size - count, len(deck))) + ["Jk"] * count
        if len(deck) >= size
        else random_row(rng, jokers)
    )


def row_of(cards):
    return row_of_mask(hand_tables(), np.int64(mask_of(cards)))


@pytest.mark.kernel
def test_rows_have_the_type_that_the_oracle_gives():
    rng = random.Random(10)
    for _ in range(2000):
        cards = random_row(rng, jokers=False)
        assert hand_types()[best_strength(hand_tables(), row_of(cards))] == as_type(oracle.strength(cards))


@pytest.mark.kernel
def test_jokers_at_their_best_and_below_a_limit():
    """Every strength that a row with jokers can take, against all cards that the jokers can be."""
    rng = random.Random(11)
    for _ in range(60):
        cards = random_row(rng, jokers=True)
        options = {as_type(strength).strength for _, strength, _ in oracle._row_fills(cards, ())}
        row = row_of(cards)
        assert best_strength(hand_tables(), row) == max(options)
        for limit in [0, *rng.sample(range(1, len(hand_types())), 20), *options]:
            expected = max((option for option in options if option <= limit), default=0)
            assert strength_at_most(hand_tables(), row, limit) == expected


@pytest.mark.kernel
def test_a_row_grows_the_same_in_any_order():
    rng = random.Random(12)
    for _ in range(300):
        cards = random_row(rng, jokers=True)
        numbers = [number for number in range(54) if mask_of(cards) >> number & 1]
        rng.shuffle(numbers)
        row = np.int64(EMPTY_ROW)
        for number in numbers:
            row = add_card(hand_tables(), row, number)
        assert row == row_of(cards)


@pytest.mark.kernel
def test_natural_row_is_the_row_without_its_jokers():
    rng = random.Random(13)
    for _ in range(300):
        cards = random_row(rng, jokers=True)
        assert natural_row(hand_tables(), row_of(cards)) == row_of([card for card in cards if card != "Jk"])


@pytest.mark.kernel
def test_a_sixth_card_and_a_third_joker_are_not_hands():
    six = row_of(["As", "Ks", "Qs", "Js", "Ts", "9s"])
    assert best_strength(hand_tables(), six) == 0
    three_jokers = add_card(hand_tables(), row_of(["Jk", "Jk", "As", "Ks"]), 52)
    assert best_strength(hand_tables(), three_jokers) == 0
    assert best_strength(hand_tables(), row_of(["As", "Ks"])) == 0


def test_one_type_is_looked_up_as_all_are_listed():
    assert [hand_type(strength) for strength in range(len(hand_types()))] == list(hand_types())


def test_strength_numbers_go_up_with_the_types():
    types = hand_types()[1:]
    assert list(types) == sorted(types)
    assert [kind.strength for kind in types] == list(range(1, len(types) + 1))


@pytest.mark.parametrize(
    ("text", "name", "ranks"),
    [
        ("As Ks Qs Js Ts", "royal flush", (14,)),
        ("5h 4h 3h 2h Ah", "straight flush", (5,)),
        ("Ah 2c 3d 4s 5h", "straight", (5,)),
        ("9c 9d 9h 9s 2c", "four of a kind", (9, 2)),
        ("Tc Td Th 4s 4c", "full house", (10, 4)),
        ("Kd Jd 9d 7d 3d", "flush", (13, 11, 9, 7, 3)),
        ("Qc Qd 7h 7s Ac", "two pair", (12, 7, 14)),
        ("Ac Ad Ah", "three of a kind", (14,)),
        ("Qc Qd 7h", "pair", (12, 7)),
        ("Ah Kh Qh", "high card", (14, 13, 12)),
        ("Jk Jk 2c", "three of a kind", (2,)),
        ("Jk Jk 9h 8h 7h", "straight flush", (11,)),
        ("Jk Ac Ad Ah As", "four of a kind", (14, 13)),
        ("Jk Jk Ac Ad Ah", "four of a kind", (14, 13)),
        ("Jk Qc Qd 7h 7s", "full house", (12, 7)),
    ],
)
def test_known_hands(text, name, ranks):
    kind = evaluate_cards(parse_cards(text))
    assert (kind.name, kind.ranks) == (name, ranks)


@pytest.mark.parametrize(("top", "middle"), [("Qc Qd 7h", "Qh Qs 6c 5d 4h"), ("Kc Kd Ah", "Kh Ks Qc 7d 3h")])
def test_a_missing_kicker_counts_as_nothing(top, middle):
    assert evaluate_cards(parse_cards(top)) > evaluate_cards(parse_cards(middle))


def test_a_shorter_hand_of_the_same_ranks_is_weaker():
    assert evaluate_cards(parse_cards("Ac Kd Qh")) < evaluate_cards(parse_cards("Ah Ks Qc 3d 2h"))
    assert evaluate_cards(parse_cards("7c 7d 7h")) < evaluate_cards(parse_cards("7s 7h 7d 3d 2h"))


@pytest.mark.parametrize("count", [0, 1, 2, 4, 6])
def test_other_sizes_are_no_hand(count):
    with pytest.raises(CardError, match=f"not {count}"):
        evaluate_cards([Card(number) for number in range(count)])


def test_types_compare_all_ways():
    pair, trips = HandType(HandType.PAIR, (12, 7)), HandType(HandType.THREE_OF_KIND, (2,))
    assert pair < trips
    assert trips > pair
    assert pair <= HandType(HandType.PAIR, (12, 7)) >= pair
    assert len({pair, HandType(HandType.PAIR, (12, 7))}) == 1


def test_number_of_agrees_with_cards():
    assert [Card.from_string(card).value for card in oracle.DECK] == [number_of(card) for card in oracle.DECK]
