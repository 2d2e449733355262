"""The luck of a deal: it averages to zero for any values of boards, and is exact where the values are."""

import random
from functools import cache
from itertools import combinations, permutations

import numpy as np
import pytest

from bromeliad.core.cards import CardSet, parse_cards
from bromeliad.core.game import apply, clone, legal_actions
from bromeliad.core.jit import JIT
from bromeliad.core.rng import new_rng
from bromeliad.games.ofc.hands.canonical import canonical, canonical_weight, permute_suits
from bromeliad.games.ofc.luck.deals import (
    best_pair_in_deal,
    best_value,
    fill_looks,
    first_street_sum,
    hand_luck,
    is_full_deck,
    luck_scratch,
    mean_of_pairs,
)
from bromeliad.games.ofc.rules.files import parse_rules, preset
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values.hand_state import Field
from bromeliad.games.ofc.values.heuristics import board_look, look_scale
from bromeliad.games.ofc.values.learned import Learned, learned_layout, stage_size
from ofc_spots import random_spot
from oracles.ofc_expectation import Brute

kernel_test = pytest.mark.kernel

NO_COPIES = parse_rules("base: ultimate\nname: no copies\njokers: {may_copy_seen: false}\n")
SPOTS = [  # rules, street from 0, unseen cards, how to make the spot
    (preset("pineapple"), 4, 7, {}),
    (preset("regular"), 8, 8, {}),
    (preset("ultimate"), 4, 6, {"jokers": "bd"}),
    (preset("turbo"), 2, 7, {}),
    (preset("pineapple"), 3, 7, {}),
    (preset("pineapple"), 1, 12, {}),
    (preset("ultimate"), 2, 9, {"jokers": "dd"}),
    (preset("deuce"), 2, 9, {}),
    (preset("house"), 1, 12, {}),
    (preset("regular"), 3, 9, {}),
    (preset("turbo"), 1, 8, {}),
    (NO_COPIES, 3, 6, {"jokers": "d"}),
]
FEW = 2  # of them, where kernels are slow


@cache
def any_values(rules):
    """Return a learned evaluation of random weights."""
    layout = learned_layout(rules)
    size = (len(rules.streets) - 1) * stage_size(layout)
    weights = np.random.default_rng(1).normal(size=size).astype(np.float32)
    weights.setflags(write=False)
    return Learned(layout, weights)


def state_of(small, rules, by_chance=False, **objective):
    state = small.parse(rules, **objective).to_search_state()
    return state._replace(learned=any_values(rules)) if by_chance else state


def all_deals(state):
    """Return every possible next deal of a state, as an array of one street."""
    deck = [card for card in range(54) if int(state.v[Field.DECK]) >> card & 1]
    size = int(state.streets[2 * int(state.v[Field.STREET])])
    return np.array([[sum(1 << card for card in deal)] for deal in combinations(deck, size)], np.int64)


def lucks(root, deals, refined=2):
    """Return the luck of hands of one street, which does not depend on the placements."""
    state, scratch = clone(root), luck_scratch(np.zeros(1000, np.int64))
    apply(state, deals[0, 0])
    legal_actions(state, scratch.actions)
    codes = np.full(deals.shape, scratch.actions[0])
    out = np.zeros(deals.shape)
    hand_luck(root, clone(root), clone(root), deals, codes, np.nan, refined, 1, 0, scratch, new_rng(1), out)
    return out[:, 0]


@kernel_test
@pytest.mark.parametrize("by_chance", [False, True])
@pytest.mark.parametrize("number", range(len(SPOTS) if JIT else FEW))
def test_sums_to_nothing_over_all_deals(number, by_chance):
    rules, street, unseen, how = SPOTS[number]
    if by_chance and rules.fantasyland.first_street is not None:
        pytest.skip("nothing is learned for rules where the first street decides")
    rng = random.Random(number)
    for _ in range(20):  # until a board is found that is not lost whatever comes
        root = state_of(random_spot(rng, rules, street, unseen, cards=False, **how), rules, by_chance)
        found = lucks(root, all_deals(root))
        assert abs(found.mean()) < 1e-9
        if found.std() > 0.0:
            break
    assert found.std() > 0.0


@kernel_test
@pytest.mark.parametrize("street", [3, 4])
def test_is_true_where_values_are_exact(street):
    """The oracle takes the best value of all placements, less the mean before the deal."""
    rules, rng = preset("pineapple"), random.Random(street)
    small = random_spot(rng, rules, street, 7 if street == 4 or JIT else 6, cards=False)
    worth, cost = {14: 7.5}, 3.25
    brute = Brute(rules.model_dump(mode="json"), worth, cost)
    root = state_of(small, rules, fantasyland_worth=worth, foul_cost=cost)
    mean = brute.mean(small.board, small.deck).value
    for _ in range(4 if JIT else 1):
        dealt = rng.sample(small.deck, 3)
        rest = [card for card in small.deck if card not in dealt]
        best = max(means.value for means in brute.actions(small.board, dealt, rest).values())
        deal = CardSet.from_cards(parse_cards(" ".join(dealt))).mask
        found = lucks(root, np.array([[deal]], np.int64), refined=1000)
        assert found[0] == pytest.approx(best - mean, abs=1e-9)


@kernel_test
def test_pairs_are_tabulated_right():
    """The table's mean is the mean over all deals, and an entry is the best look of a board with the pair."""
    rules = preset("pineapple")
    root = state_of(random_spot(random.Random(5), rules, 2, 9, cards=False), rules, by_chance=True)
    scratch = luck_scratch(np.zeros(1000, np.int64))
    count = fill_looks(root, scratch)
    assert count == 9
    deck = root.v[Field.DECK]
    deals = all_deals(root)[:, 0]
    values = [best_pair_in_deal(deck, deal, scratch.pairs) for deal in deals]
    assert mean_of_pairs(count, scratch.pairs) == pytest.approx(np.mean(values))
    for i, j in ((0, 1), (2, 7)):
        assert scratch.pairs[i, j] == pytest.approx(best_pair_look(root, i, j))


def best_pair_look(root, i, j):
    """Return the best look of a board with two cards of the deck placed, as a street of two cards would place them."""
    streets = np.array([5, 5, 3, 2, 2, 2, 3, 2, 3, 2])
    streets.setflags(write=False)
    state = clone(root)._replace(streets=streets)
    cards = [card for card in range(52) if int(root.v[Field.DECK]) >> card & 1]
    pair = np.int64(1 << cards[i] | 1 << cards[j])
    apply(state, pair)
    actions, looks = np.zeros(100, np.int64), []
    for code in actions[: legal_actions(state, actions)]:
        after = clone(state)
        apply(after, code)
        rows = [after.v[Field.ROW + row] for row in range(3)]
        looks.append(board_look(after, 2, look_scale(after, 2), *rows))
    return max(looks)


@kernel_test
def test_canonical_hands_stand_for_all_others():
    rng = random.Random(3)
    for _ in range(200 if JIT else 40):
        mask = sum(1 << card for card in rng.sample(range(54), 5))
        first = canonical(mask)[0]
        orbit = {permute_suits(first, order) for order in permutations(range(4))}
        assert canonical_weight(np.int64(first)) == len(orbit)
        assert mask == first or canonical_weight(np.int64(mask)) == 0


@pytest.mark.parametrize(
    ("name", "deals"), [("pineapple", 2_598_960), pytest.param("ultimate", 3_162_510, marks=pytest.mark.accept)]
)
def test_first_street_mean_is_that_of_random_deals(name, deals):
    """The mean over deals up to suits is near that of a random sample of all deals."""
    rules = preset(name)
    root = parse_spot(rules, foul_cost=0.0).to_search_state()
    assert is_full_deck(root)
    scratch, work = luck_scratch(np.zeros(1000, np.int64)), clone(root)
    total, number = np.sum([first_street_sum(root, work, low, scratch) for low in range(rules.deck_size - 4)], axis=0)
    assert number == deals
    rng, values = np.random.default_rng(4), []
    for _ in range(4000):
        state = clone(root)
        apply(state, np.int64(sum(1 << int(card) for card in rng.choice(rules.deck_size, 5, replace=False))))
        values.append(best_value(state, scratch.actions))
    assert abs(np.mean(values) - total / number) < 4 * np.std(values) / 4000**0.5
