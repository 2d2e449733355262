"""The worth of decisions against the baseline equals an enumeration of all draws."""

from itertools import permutations

import numpy as np
import pytest

from bromeliad.core.cards import CardSet, parse_cards
from bromeliad.core.jit import JIT
from bromeliad.core.rng import new_rng
from bromeliad.games.ofc.luck.decisions import decide, decision_scratch, decision_worth, own_cards, start_worth
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values.hand_state import Field
from oracles import ofc_scorer

pytestmark = pytest.mark.kernel

RULES = preset("regular")
WORTH = RULES.objective.fantasyland_worth
ENDS = 3000 if JIT else 150
UNDEALT = "Jh 9d 7c 2d As Th"
OTHER = "Qs Qd / 8c 8d 4h 4d 2h / Ks Kd Kc 5h 5s"  # waits for a card on top
MINE = "Qc Jd {top} / 9c 9s 6h 6d 3c / Ac Ad 7h 7d {back}"  # waits for two cards


def mask(text):
    return CardSet.from_cards(parse_cards(text)).mask


def search_state(board):
    return parse_spot(RULES, board=board, objective="solo").to_search_state()


def board_of(text):
    return [row.split() for row in text.split("/")]


def settled(mine, theirs):
    """Return the points of one full board against another, with the worth of fantasyland, by the oracle."""
    rules = RULES.model_dump(mode="json")
    one, two = (ofc_scorer.finish(board, rules) for board in (mine, theirs))
    worth = [WORTH.get(finished.fantasyland, 0.0) for finished in (one, two)]
    return ofc_scorer.settle_pair(one, two, rules) + worth[0] - worth[1]


def filled(text, card):
    """Return the board with a card in its only free place."""
    rows = board_of(text)
    free = next(i for i, size in enumerate((3, 5, 5)) if len(rows[i]) < size)
    rows[free].append(card)
    return rows


def over_all_draws(mine):
    return np.array([settled(filled(mine, b), filled(OTHER, a)) for a, b in permutations(UNDEALT.split(), 2)])


def test_a_decision_is_worth_what_all_draws_say():
    """A second queen goes on top, for fantasyland, or into the back; then both players have one card to come."""
    ways = [MINE.format(top="Qh", back=""), MINE.format(top="", back="Qh")]
    after = np.stack([search_state(way).v for way in ways])
    state = search_state(OTHER)
    tables, undealt = np.stack([state.v, after[0]])[None], np.array([mask(UNDEALT)], np.int64)
    out, scratch = np.zeros(2), decision_scratch(np.zeros(1000, np.int64), len(RULES.streets), 2)
    decision_worth(state, tables, undealt, 1, after, ENDS, 5, 0, scratch, new_rng(1), out)
    differences = over_all_draws(ways[0]) - over_all_draws(ways[1])
    assert differences.std() > 1
    assert abs(out[1] - differences.mean()) < 4 * differences.std() / ENDS**0.5
    assert out[0] == -out[1]


def test_a_start_is_worth_what_all_draws_say():
    mine = MINE.format(top="Qh", back="")
    state = search_state(OTHER)
    tables = np.stack([search_state(mine).v, state.v])[None]
    out, scratch = np.zeros(2), decision_scratch(np.zeros(1000, np.int64), len(RULES.streets), 2)
    undealt = np.array([mask(UNDEALT)], np.int64)
    start_worth(state, tables, undealt, ENDS, 6, 0, scratch, new_rng(1), out)
    values = over_all_draws(mine)
    assert abs(out[0] - values.mean()) < 4 * values.std() / ENDS**0.5
    assert out[1] == -out[0]


def test_the_baseline_sets_the_last_street_best():
    rules = preset("pineapple")
    board = "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d"
    state = parse_spot(rules, board=board, objective="solo").to_search_state()
    after, scratch = np.zeros((2, Field.SIZE), np.int64), decision_scratch(np.zeros(1000, np.int64), 5, 2)
    decide(state, np.int64(mask("Qc 9d Ks")), np.int64(0b011000), scratch, after)  # in the order Qc 9d Ks
    assert after[0, Field.MASK] == mask("Qd Qh Ks")
    assert after[1, Field.MASK] == mask("Qd Qh Qc")
    assert after[1, Field.MASK + 1] == mask("9c 9s 4h 4d 9d")
    assert after[0, Field.DECK] == after[1, Field.DECK] == state.v[Field.DECK]


@pytest.mark.parametrize(
    ("deal", "deck", "expected"), [("Jk2", "both", 1), ("Jk1", "both", 1), ("Jk1", "second", 2), ("Jk1 Jk2", "both", 3)]
)
def test_a_seat_counts_its_own_jokers(deal, deck, expected):
    left = {"both": 3, "second": 2}[deck] << 52
    natural = mask("Ac 2d")
    found = own_cards(np.int64(mask(deal) | natural), np.int64(left | natural))
    assert (found >> 52, found & ((1 << 52) - 1)) == (expected, natural)
