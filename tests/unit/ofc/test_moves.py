"""Placements: their counts, against enumerations, and their codes."""

import random
from itertools import product

import numpy as np
import pytest

from bromeliad.core.cards import Card, parse_cards
from bromeliad.core.jit import JIT
from bromeliad.games.ofc.game import OfcGame
from bromeliad.games.ofc.hands.placements import Action, count_placements, list_placements
from bromeliad.games.ofc.rules.files import preset, preset_names
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES

pytestmark = pytest.mark.kernel


def listing(count, free, place, twins=False):
    """Return the codes that the kernel lists."""
    out = np.zeros(count_placements(count, *free, place), np.int64)
    return out[: list_placements(count, *free, place, twins, out)].tolist()


def enumerated(count, free, place, twins=False):
    """Return the same codes by trying every digit for every card."""
    boards = set()
    for digits in product(range(4), repeat=count):
        if sum(digit > 0 for digit in digits) != place or any(digits.count(row + 1) > free[row] for row in range(3)):
            continue
        if twins:  # two equal cards: only which places they take counts
            digits = (*digits[:-2], *sorted(digits[-2:]))
        boards.add(digits)
    return {sum(digit << (2 * i) for i, digit in enumerate(digits)) for digits in boards}


def reachable(rules):
    """Return (deal, place, free places) of every street, for every way in which the rows may have been filled."""
    frees = {ROW_SIZES}
    for street in rules.streets:
        for free in sorted(frees):
            yield street.deal, street.place, free
        fillings = [(a, b, c) for a in range(4) for b in range(6) for c in range(6) if a + b + c == street.place]
        frees = {
            tuple(have - put for have, put in zip(free, filling, strict=True))
            for free in frees
            for filling in fillings
            if all(have >= put for have, put in zip(free, filling, strict=True))
        }
    assert frees == {(0, 0, 0)}


def test_first_street_has_232_placements():
    codes = listing(5, ROW_SIZES, 5)
    assert len(codes) == count_placements(5, *ROW_SIZES, 5) == 232 == 3**5 - 11
    assert set(codes) == enumerated(5, ROW_SIZES, 5)


def test_later_pineapple_streets_have_at_most_27_and_the_last_3_or_6():
    by_street = {}
    for deal, place, free in reachable(preset("pineapple")):
        by_street.setdefault(sum(free), set()).add(count_placements(deal, *free, place))
    assert max(by_street[8] | by_street[6] | by_street[4]) == 27
    assert by_street[13] == {232}
    assert by_street[2] == {3, 6}


def test_streets_without_discards():
    regular = [count_placements(deal, *free, place) for deal, place, free in reachable(preset("regular"))]
    assert set(regular) == {232, 3, 2, 1}
    turbo = {sum(free): set() for _, _, free in reachable(preset("turbo"))}
    for deal, place, free in reachable(preset("turbo")):
        turbo[sum(free)].add(count_placements(deal, *free, place))
    assert turbo[13] == {232}
    assert max(turbo[8]) == 70  # two free in the top, three in each other row: 3**4 - 9 - 1 - 1
    assert max(turbo[4]) == 12


@pytest.mark.parametrize("name", preset_names())
def test_every_street_of_every_preset_against_enumeration(name):
    most = OfcGame(preset(name)).info.max_actions
    cases = set(reachable(preset(name)))
    if not JIT:
        cases = set(random.Random(1).sample(sorted(cases), min(30, len(cases))))
    for deal, place, free in cases:
        for twins in (False, True) if deal > 1 and preset(name).jokers.count else (False,):
            codes = listing(deal, free, place, twins)
            assert len(codes) == len(set(codes)) <= most
            assert set(codes) == enumerated(deal, free, place, twins)
            assert twins or len(codes) == count_placements(deal, *free, place)


def test_any_street_that_a_rule_file_may_invent():
    rng = random.Random(2)
    for _ in range(150 if JIT else 30):
        free = rng.randint(0, 3), rng.randint(0, 5), rng.randint(0, 5)
        deal = rng.randint(1, 6)
        place = rng.randint(0, deal)
        twins = deal > 1 and rng.random() < 0.3
        assert set(listing(deal, free, place, twins)) == enumerated(deal, free, place, twins)


@pytest.mark.parametrize(("cards", "count"), [(13, 72_072), (14, 1_009_008)])
def test_fantasyland_arrangements_by_listing(cards, count):
    assert count_placements(cards, *ROW_SIZES, 13) == count
    if JIT:
        codes = np.array(listing(cards, ROW_SIZES, 13))
        assert len(codes) == len(np.unique(codes)) == count


@pytest.mark.parametrize(("cards", "count"), [(15, 7_567_560), (16, 40_360_320), (17, 171_531_360)])
def test_fantasyland_arrangements_by_counting(cards, count):
    assert count_placements(cards, *ROW_SIZES, 13) == count


def test_twin_jokers_are_listed_once():
    # two jokers and nothing else: both discarded is impossible, so {row, row} pairs and {row, discard}
    assert len(listing(2, ROW_SIZES, 2)) == 9
    assert len(listing(2, ROW_SIZES, 2, twins=True)) == 6
    assert len(listing(3, ROW_SIZES, 2)) == 27
    twins = listing(3, ROW_SIZES, 2, twins=True)
    assert set(twins) == enumerated(3, ROW_SIZES, 2, twins=True)
    # the discard is the third card (6 pairs of rows) or a joker (3 * 3 ways for the other two)
    assert len(twins) == 6 + 9


def random_hand(rng, size, jokers):
    return sorted(Card(value) for value in rng.sample(range(52 + jokers), size))


def test_codes_and_actions_are_the_same_thing():
    rng = random.Random(3)
    for _ in range(400 if JIT else 60):
        size = rng.choice((1, 3, 4, 5))
        place = size if size != 3 else 2
        cards = random_hand(rng, size, jokers=2)
        twins = sum(card.is_joker for card in cards) == 2
        codes = listing(size, ROW_SIZES, place, twins)
        actions = [Action.from_code(cards, code) for code in codes]
        assert [action.to_code() for action in actions] == codes
        assert len({str(action) for action in actions}) == len(actions) == len(set(actions))
        for action in actions[:5]:
            placed = (*action.top, *action.middle, *action.back)
            assert len(placed) == place
            assert sorted((*placed, *action.discards)) == cards


def test_an_action_with_its_jokers_exchanged_has_the_same_code():
    seven, one, two = parse_cards("7d Jk Jk")
    assert Action((one,), (two,), (), (seven,)).to_code() == Action((two,), (one,), (), (seven,)).to_code()
    assert Action((one,), (seven,), (), (two,)).to_code() == Action((two,), (seven,), (), (one,)).to_code()
    assert Action((one,), (), (seven,), (two,)).to_code() != Action((one,), (seven,), (), (two,)).to_code()


def test_how_an_action_is_written():
    cards = parse_cards("2c As Kd")
    assert str(Action.from_code(cards, 0b11_01_00)) == "Kd / - / As (2c)"
    assert str(Action.from_code(parse_cards("Ah As 2c Jk Td"), 0b10_11_01_10_10)) == "Ah / Td 2c Jk / As"
    first, same = Action.from_code(cards, 6), Action.from_code(reversed(cards), 6)
    assert first == same
    assert hash(first) == hash(same)
