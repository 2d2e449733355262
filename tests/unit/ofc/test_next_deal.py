"""The mean over all next deals by the learned tables, against a plain enumeration of deals and placements."""

from itertools import combinations, permutations

import numpy as np
import pytest

from bromeliad.core.cards import CardSet, parse_cards
from bromeliad.games.ofc.exact.next_deal import next_deal_value
from bromeliad.games.ofc.exact.scratch import pair_scratch
from bromeliad.games.ofc.hands.automaton import EMPTY_ROW, add_card, row_of_mask
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values.learned import learned_scale, learned_terms
from bromeliad.games.ofc.values.weights import versus_for

pytestmark = pytest.mark.kernel

BOARDS = [
    ("pineapple", "Qd Qh / 9c 9s / As Ac Kd 7h 2c", "Qs Js Ts 9h 8c 8d 7c 6c Ah"),
    ("pineapple", "Kd / 6h 6s 5d / 2h 7h Th Jh 9c", "Qh 3h Ts 6c 8c 8d 5c 6d 4h"),
    ("pineapple", "Kd / 6h 4h / 2h 7h Th Jh", "Qh 3h Ts 6c 8c 7d 5c"),
    ("pineapple", "- / 6h 4h 3s Kc / 2d 7h Th Jh 9c", "Qh 3h Qs Qc 8c 7d 5c"),
    ("ultimate", "Ks Kd / 6h 4h 6c / 2h 7h Th Jh", "Qh Jk Jk 6d 8c 7d"),
]
STAGE = 3


def rows_and_free(hands, text):
    masks = [0 if part.strip() == "-" else CardSet.from_cards(parse_cards(part)).mask for part in text.split("/")]
    rows = tuple(row_of_mask(hands, mask) if mask else EMPTY_ROW for mask in masks)
    return rows, tuple(size - mask.bit_count() for size, mask in zip(ROW_SIZES, masks, strict=True))


ROW_TERMS = (10, 13), (1, 7, 9, 12), (0, 6, 8, 11)
"""The terms that depend on the live cards of the top, the middle and the back; the others depend on no live cards."""


def value_of(values, scale, rows, put, deck):
    """Return the value of a board; the live cards of a row are those of the deck without the cards put in this row."""
    total = sum(values.solo.weights[term] for term in learned_terms(values.solo, STAGE, scale, *rows, deck)[2:6])
    for terms, cards in zip(ROW_TERMS, put, strict=True):
        live = deck - sum(1 << card for card in cards)
        places = learned_terms(values.solo, STAGE, scale, *rows, live)
        total += sum(values.solo.weights[places[term]] for term in terms)
    return total


def listed(values, hands, rows, free, cards):
    """Return the mean over all deals: a pair of each deal in any two free places, one card discarded."""
    deck = sum(1 << card for card in cards)
    scale = learned_scale(values.solo, STAGE, sum(1 << card for card in cards[3:]))

    def best_of(pair):
        found = []
        for two in permutations(pair):
            for places in ((a, b) for a in range(3) for b in range(3)):
                if all(places.count(row) <= free[row] for row in places):
                    new, put = list(rows), ([], [], [])
                    for card, row in zip(two, places, strict=True):
                        new[row] = add_card(hands, new[row], card)
                        put[row].append(card)
                    found.append(value_of(values, scale, new, put, deck))
        return max(found)

    best = {pair: best_of(pair) for pair in combinations(cards, 2)}
    return np.mean([max(best[pair] for pair in combinations(deal, 2)) for deal in combinations(cards, 3)])


@pytest.mark.parametrize(("name", "board", "live"), BOARDS)
def test_all_deals_are_counted(name, board, live):
    rules = preset(name)
    spot = parse_spot(rules)
    values, hands = versus_for(rules, spot.fantasyland_worth), spot.to_search_state().tables.hands
    rows, free = rows_and_free(hands, board)
    cards = sorted(card.value for card in parse_cards(live))
    found = next_deal_value(values.solo, hands, STAGE, rows, free, sum(1 << card for card in cards), pair_scratch())
    assert found == pytest.approx(listed(values, hands, rows, free, cards), abs=1e-5)  # sums of single precision
