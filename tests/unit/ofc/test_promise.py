"""Promise tables steer a search: their values must be plausible, and their bounds must really bound."""

import random
from itertools import combinations

import numpy as np
import pytest

from bromeliad.games.ofc.hands.automaton import best_strength, hand_types, row_of_mask, strength_at_most
from bromeliad.games.ofc.rules.files import preset, preset_names
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values.promise import (
    BASE_VALUES,
    BASE_WEIGHT,
    CEILING,
    EXPECTED_PAY,
    HIGHEST,
    LOWEST,
    MEAN,
    VARIANCE,
    empty_promise_tables,
    promise_tables,
)

HIGHEST_LIMIT = 1 << 30
# Fantasyland with more cards worth less: then a weaker top pays more.
ODD_WORTH = {13: 9.5, 14: 40.25, 15: 3.5, 16: 2.75, 17: 0.5}


def state_of(name, worth=None):
    return parse_spot(preset(name), fantasyland_worth=worth).to_search_state()


def entry_of(state, cards):
    row = int(row_of_mask(state.tables.hands, np.int64(sum(1 << card for card in cards))))
    return 2 * (row & 0xFFFF) + (row > 0xFFFF), np.int64(row)


def ends_of(state, row, rules_row):
    """Return every strength that a full row can take: one without jokers, more with jokers."""
    if state.tables.low.any() and rules_row == 1:
        return [int(state.tables.low[2 * (row & 0xFFFF) + (row > 0xFFFF)])]
    found, limit = [], HIGHEST_LIMIT
    while (strength := int(strength_at_most(state.tables.hands, row, np.int64(limit)))) > 0:
        found.append(strength)
        limit = strength - 1
    return found


@pytest.mark.parametrize("name", preset_names())
def test_a_full_row_promises_its_pay_and_a_share_of_its_base_value(name):
    state, rng = state_of(name), random.Random(name)
    for _ in range(150):
        for row, size in enumerate(ROW_SIZES):
            entry, packed = entry_of(state, rng.sample(range(52), size))
            (strength,) = ends_of(state, packed, row)
            low = row == 1 and name == "deuce"
            kind = hand_types()[strength]
            base = 0.0 if low else BASE_WEIGHT * BASE_VALUES[row].get(kind.category, 0.0)
            assert state.promise[EXPECTED_PAY + row, entry] == pytest.approx(state.pay[row, strength] + base)
            assert state.promise[CEILING + row, entry] == state.pay[row, strength]
            assert state.promise[HIGHEST + row, entry] == state.promise[LOWEST + row, entry] == strength
            assert state.promise[MEAN + row, entry] == (strength > 0 if low else strength)
            assert state.promise[VARIANCE + row, entry] == 0


@pytest.mark.parametrize("worth", [None, ODD_WORTH], ids=["usual", "odd"])
@pytest.mark.parametrize("name", preset_names())
def test_bounds_bound_every_completion(name, worth):
    state, rng = state_of(name, worth), random.Random(f"{name} bounds")
    deck = preset(name).deck_size
    jokers = set(range(52, deck))
    for _ in range(250):
        for row, size in enumerate(ROW_SIZES):
            cards = rng.sample(range(deck), size)
            if jokers and rng.random() < 0.5:
                cards[rng.randrange(size)] = 52
                cards = list(dict.fromkeys(cards))
                cards += rng.sample(sorted(set(range(52)) - set(cards)), size - len(cards))
            ends = ends_of(state, entry_of(state, cards)[1], row)
            for held in range(size + 1):
                entry, _ = entry_of(state, cards[:held])
                assert state.promise[HIGHEST + row, entry] >= max(ends)
                assert state.promise[LOWEST + row, entry] <= min(ends)
                assert state.promise[CEILING + row, entry] >= max(state.pay[row, end] for end in ends)


@pytest.mark.parametrize("name", ["pineapple", "ultimate", "deuce", "house"])
def test_bounds_are_reached_one_card_before_the_end(name):
    state, rng = state_of(name), random.Random(f"{name} tight")
    deck = preset(name).deck_size
    for _ in range(25):
        for row, size in enumerate(ROW_SIZES):
            cards = rng.sample(range(52), size - 1)
            entry, _ = entry_of(state, cards)
            rows = [entry_of(state, [*cards, card])[1] for card in range(deck) if card not in cards]
            ends = [end for packed in rows for end in ends_of(state, packed, row)]
            assert state.promise[HIGHEST + row, entry] == max(ends)
            assert state.promise[CEILING + row, entry] == max(state.pay[row, end] for end in ends)
            if not preset(name).jokers.count:
                assert state.promise[LOWEST + row, entry] == min(ends)


@pytest.mark.parametrize("name", preset_names())
def test_every_row_that_can_occur_has_finite_entries_in_order(name):
    state, rng = state_of(name), random.Random(f"{name} finite")
    entries = {
        (row, entry_of(state, rng.sample(range(52), held))[0])
        for row, size in enumerate(ROW_SIZES)
        for held in range(size + 1)
        for _ in range(60)
    }
    for row, entry in entries:
        parts = state.promise[row::3, entry]
        assert np.isfinite(parts).all()
        promise, mean, variance, ceiling, highest, lowest = parts
        base = BASE_WEIGHT * max(BASE_VALUES[row].values())
        assert 0 <= promise <= ceiling + base + 1e-9
        assert lowest <= highest
        assert variance >= 0
        assert (0 <= mean <= 1) if row == 1 and name == "deuce" else (lowest - 1e-6 <= mean <= highest + 1e-6)


def test_more_cards_of_a_kind_promise_more():
    state = state_of("pineapple")
    suits = [12, 25, 38, 51]  # the aces
    for row, most in ((0, 3), (1, 4), (2, 4)):
        promises = [state.promise[EXPECTED_PAY + row, entry_of(state, suits[:held])[0]] for held in range(1, most + 1)]
        assert promises == sorted(promises)
    one_suit, mixed = entry_of(state, [0, 3, 6, 9])[0], entry_of(state, [0, 3, 6, 22])[0]
    assert state.promise[EXPECTED_PAY + 2, one_suit] > state.promise[EXPECTED_PAY + 2, mixed]
    assert state.promise[CEILING + 2, one_suit] > state.promise[CEILING + 2, mixed]


def test_promise_tables_are_kept_and_cannot_be_changed():
    state = state_of("pineapple")
    assert promise_tables(preset("pineapple"), state.pay.tobytes()) is state.promise
    with pytest.raises(ValueError, match="read-only"):
        state.promise[0, 0] = 1.0
    assert empty_promise_tables().shape == (len(state.promise), 0)


def test_all_three_card_rows_have_their_strength():
    """The top row has no flushes and no straights."""
    state = state_of("pineapple")
    for cards in combinations(range(0, 52, 3), 3):
        entry, packed = entry_of(state, cards)
        assert state.promise[HIGHEST, entry] == best_strength(state.tables.hands, packed)
