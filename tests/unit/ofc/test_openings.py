"""First deals up to suits: their number, and every deal is one of them."""

from itertools import combinations, islice, permutations
from math import comb

import numpy as np
import pytest

from bromeliad.core.cards import Card, CardSet
from bromeliad.games.ofc.book.first_deals import canonical_opening, code_in_suits, opening_hands, symmetric_codes
from bromeliad.games.ofc.hands.canonical import permute_suits
from bromeliad.games.ofc.hands.placements import Action

ORDERS = list(permutations(range(4)))


@pytest.mark.parametrize(("jokers", "count"), [(0, 134_459), (1, 150_891), (2, 152_646)])
def test_counts(jokers, count):
    openings = opening_hands(jokers)
    assert len(openings.masks) == count
    assert openings.weights.sum() == comb(52 + jokers, 5)
    assert (openings.masks[1:] > openings.masks[:-1]).all()


def test_weights_are_the_sizes_of_orbits():
    openings = opening_hands(0)
    for i in range(0, len(openings.masks), 997):
        assert openings.weights[i] == len({permute_suits(int(openings.masks[i]), order) for order in ORDERS})


def random_hands(count, deck=52, seed=1):
    rng = np.random.default_rng(seed)
    return [sum(1 << int(card) for card in rng.choice(deck, 5, replace=False)) for _ in range(count)]


def test_every_deal_is_one_of_them():
    masks = opening_hands(2).masks
    for mask in random_hands(3000, 54):
        found, _ = canonical_opening(mask)
        assert masks[np.searchsorted(masks, found)] == found


def test_suits_and_the_number_of_a_joker_do_not_matter():
    for mask in random_hands(100, 54):
        jokers = mask >> 52
        other = mask & ((1 << 52) - 1) | (jokers >> 1 | (jokers & 1) << 1) << 52
        images = {canonical_opening(permute_suits(hand, order))[0] for hand in (mask, other) for order in ORDERS}
        assert len(images) == 1


def test_placements_go_back_into_the_suits_of_the_hand():
    """A code of the canonical hand means the same placement, card by card, in the hand's own suits."""
    rng = np.random.default_rng(2)
    for mask in random_hands(200):
        hand, order = canonical_opening(mask)
        rows = rng.integers(1, 4, 5)
        code = sum(int(row) << (2 * i) for i, row in enumerate(rows))
        theirs = Action.from_code(CardSet(hand), code)
        ours = Action.from_code(CardSet(mask), code_in_suits(mask, order, code))
        for a, b in zip((ours.top, ours.middle, ours.back), (theirs.top, theirs.middle, theirs.back), strict=True):
            assert permute_suits(CardSet.from_cards(a).mask, order) == CardSet.from_cards(b).mask


def test_symmetric_placements_are_the_images_under_what_keeps_the_hand():
    for mask in [*random_hands(60, seed=3), 0b111 | 0b1 << 13 | 0b1 << 26]:
        hand, _ = canonical_opening(mask)
        keeping = [order for order in ORDERS if permute_suits(hand, order) == hand]
        for code in (0b1110011101, 0b1111101011):
            action = Action.from_code(CardSet(hand), code)
            images = {Action(*(moved(row, order) for row in rows_of(action)), ()).to_code() for order in keeping}
            assert symmetric_codes(hand, code) == sorted(images)
    assert len(symmetric_codes(0b111 | 0b1 << 13 | 0b1 << 26, 0b1110010101)) == 2


def rows_of(action):
    return action.top, action.middle, action.back


def moved(cards, order):
    return tuple(Card(order[card.value // 13] * 13 + card.value % 13) for card in cards)


@pytest.mark.accept
def test_all_deals_map_to_one_entry_each():
    """The suits of all 2,598,960 hands are sorted by numpy: each result is in the list, as often as its weight."""
    openings = opening_hands(0)
    seen = np.zeros(len(openings.masks), np.int64)
    hands = combinations(range(52), 5)
    while block := list(islice(hands, 200_000)):
        masks = np.bitwise_or.reduce(np.int64(1) << np.array(block), axis=1)
        columns = np.stack([masks >> (13 * suit) & 8191 for suit in range(4)])
        columns = -np.sort(-columns, axis=0)
        found = sum(column << (13 * suit) for suit, column in enumerate(columns))
        places = np.searchsorted(openings.masks, found)
        assert (openings.masks[places] == found).all()
        np.add.at(seen, places, 1)
    assert (seen == openings.weights).all()
