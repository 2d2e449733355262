"""Spots: possible ones are read; impossible ones are refused with an error of one line."""

import math
import random

import numpy as np
import pytest

from bromeliad.core.cards import Card, CardSet, format_cards, parse_cards
from bromeliad.core.game import CHANCE, apply, to_play
from bromeliad.errors import CardError, PositionError
from bromeliad.games.ofc.hands.automaton import row_of_mask
from bromeliad.games.ofc.rules.files import parse_rules, preset, preset_names
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values.hand_state import FOUL_COST, Field, board_value

BOARD = "Qd Qh / 9c 9s 4h 4d / As Ac Jd 7h 7d"
FULL = "2c 3d 5s / 6h 6d Th Td 9d / Ks Kd Kh 3c 3h"


def deal(rng, rules, placed, street_cards=0):
    """Return (board text, cards text, rest of the deck) with this number of cards placed at random."""
    deck = [Card(value) for value in rng.sample(range(rules.deck_size), rules.deck_size)]
    places = [row for row, size in enumerate(ROW_SIZES) for _ in range(size)]
    rows = [[], [], []]
    for card, row in zip(deck, rng.sample(places, placed), strict=False):
        rows[row].append(card)
    board = " / ".join(format_cards(row) or "-" for row in rows)
    return board, format_cards(deck[placed : placed + street_cards]), deck[placed + street_cards :]


@pytest.mark.parametrize("name", preset_names())
def test_street_numbers(name):
    rules, rng = preset(name), random.Random(1)
    placed = 0
    for index, street in enumerate(rules.streets):
        board, cards, _ = deal(rng, rules, placed, street.deal)
        for text in (cards, ""):
            spot = parse_spot(rules, board=board, cards=text)
            assert spot.street == spot.street_index + 1 == index + 1
            assert spot.is_last_street == (index == len(rules.streets) - 1)
            state = spot.to_state()
            assert state.v[Field.STREET] == index
            assert (to_play(state) == CHANCE) == (text == "")
        placed += street.place


def test_the_state_of_a_spot():
    spot = parse_spot(preset("pineapple"), board=BOARD, cards="Kc 8d 3s", dead="2d 2h", opponents=[FULL])
    state = spot.to_state()
    for row, (mask, free) in enumerate(zip(spot.board.masks, (1, 1, 0), strict=True)):
        assert state.v[Field.MASK + row] == mask
        assert state.v[Field.FREE + row] == free
        assert state.v[Field.ROW + row] == row_of_mask(state.tables.hands, np.int64(mask))
    assert state.v[Field.HAND] == CardSet.from_cards(parse_cards("Kc 8d 3s")).mask
    assert state.v[Field.DECK] == spot.unseen.mask
    assert state.v[Field.SEEN] == spot.opponents[0].cards.mask
    assert state.v[Field.FANTASYLAND] == 0
    assert state.worth[14] == 9.9
    assert state.worth[FOUL_COST] == 6
    assert state.streets.tolist() == [5, 5, 3, 2, 3, 2, 3, 2, 3, 2]


def test_unseen_cards_are_all_that_are_nowhere_else():
    rng = random.Random(2)
    for name in preset_names():
        rules = preset(name)
        placed = rules.streets[0].place
        for _ in range(10):
            board, cards, rest = deal(rng, rules, placed, rules.streets[1].deal)
            dead, theirs = rest[:3], rest[3:8]
            spot = parse_spot(
                rules,
                board=board,
                cards=cards,
                dead=format_cards(dead),
                opponents=[f"{format_cards(theirs[:2])} / {format_cards(theirs[2:])} / -"],
            )
            naturals = [card for card in rest[8:] if not card.is_joker]
            assert [card for card in spot.unseen if not card.is_joker] == sorted(naturals)
            assert spot.unseen.size == len(rest) - 8  # jokers are told apart only by how many there are
            assert spot.opponents_open.size == 5


def test_defaults_come_from_the_rules_and_can_be_changed():
    rules = preset("progressive")
    spot = parse_spot(rules, cards="As Ah Kd 7c 2s")
    assert (spot.objective, spot.foul_cost, dict(spot.fantasyland_worth)) == (
        "solo",
        rules.objective.foul_cost,
        rules.objective.fantasyland_worth,
    )
    spot = parse_spot(rules, cards="As Ah Kd 7c 2s", foul_cost=0, fantasyland_worth={14: 1.5, 13: 2})
    assert spot.foul_cost == 0
    assert dict(spot.fantasyland_worth) == {**rules.objective.fantasyland_worth, 13: 2, 14: 1.5}
    assert parse_spot(rules, cards="As Ah Kd 7c 2s", opponents=["- / - / -"]).objective == "versus"
    assert parse_spot(rules, cards="As Ah Kd 7c 2s", opponents=["- / - / -"], objective="solo").objective == "solo"


REFUSED = [
    ({"cards": "As Ah Kd 7c Jk"}, "has 0 jokers; not in its deck: Jk"),
    ({"dead": "Jk"}, "has 0 jokers"),
    ({"cards": "As Ah Kd 7c 2s", "opponents": ["- / - / -"] * 3}, "at most 2 opponents"),
    ({"cards": "As Ah Kd 7c 2s", "objective": "versus"}, "needs an opponent's board"),
    ({"cards": "As Ah Kd 7c 2s", "foul_cost": math.nan}, "must be finite numbers"),
    ({"cards": "As Ah Kd 7c 2s", "foul_cost": math.inf}, "must be finite numbers"),
    ({"cards": "As Ah Kd 7c 2s", "fantasyland_worth": {14: -math.inf}}, "must be finite numbers"),
    ({"cards": "As Ah Kd 7c 2s", "fantasyland_worth": {12: 1.0}}, "13 to 17 cards, not 12"),
    ({"cards": "As Ah Kd 7c 2s", "fantasyland_worth": {18: 1.0}}, "13 to 17 cards, not 18"),
    ({"fantasyland": True, "board": "As / - / -"}, "leave the board empty"),
    ({"fantasyland": True, "cards": "As Ah Kd 7c 2s"}, "13 to 17 cards, not 5"),
    ({"fantasyland": True}, "13 to 17 cards, not 0"),
    ({"board": FULL}, "the board is full: use `bromeliad score`"),
    ({"board": "As / - / -"}, "the board has 1 cards; under pineapple a street begins with 0, 5, 7, 9, 11 on"),
    ({"board": BOARD, "cards": "Kc 8d"}, "street 5 deals 3 cards, not 2: Kc 8d"),
    ({"cards": "Kc 8d 3s"}, "street 1 deals 5 cards, not 3"),
]


@pytest.mark.parametrize(("question", "message"), REFUSED)
def test_what_cannot_occur_is_refused(question, message):
    with pytest.raises(PositionError) as caught:
        parse_spot(preset("pineapple"), **question)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "question",
    [
        {"cards": "As As Kd 7c 2s"},
        {"cards": "As Ah Kd 7c 2s", "dead": "As"},
        {"cards": "As Ah Kd 7c 2s", "opponents": ["As / - / -"]},
        {"cards": "As Ah Kd 7c 2s", "dead": "3c", "opponents": ["3c / - / -"]},
        {"cards": "As Ah Kd 7c 2s", "opponents": ["3c / - / -", "3c / - / -"]},
        {"board": BOARD, "cards": "Qd 8d 3s"},
        {"cards": "As Ah Kd 7c 2x"},
        {"board": "As Ah"},
        {"board": "As Ah Ad Ac / - / -"},
    ],
)
def test_cards_that_cannot_be_read_or_lie_elsewhere_are_refused(question):
    with pytest.raises(CardError):
        parse_spot(preset("pineapple"), **question)


def test_the_deck_must_last_for_the_streets_to_come():
    rules = preset("pineapple")
    rng = random.Random(3)
    board, cards, rest = deal(rng, rules, 9, 3)
    for left, fine in ((3, True), (2, False)):
        dead = format_cards(rest[left:])
        if fine:
            assert parse_spot(rules, board=board, cards=cards, dead=dead).unseen.size == left
        else:
            with pytest.raises(PositionError, match="only 2 cards are left in the deck, but 3 must still be dealt"):
                parse_spot(rules, board=board, cards=cards, dead=dead)


def test_jokers_are_numbered_over_the_whole_table():
    rules = preset("ultimate")
    spot = parse_spot(rules, board="Jk / - / As Kd Qd 2c", cards="7d 7h Jk")
    assert sorted(card.value for card in (*spot.board.cards, *spot.cards) if card.is_joker) == [52, 53]
    with pytest.raises(CardError):
        parse_spot(rules, board="Jk / - / As Kd Qd Jk", cards="7d 7h Jk")
    assert preset("ultimate").deck_size - 8 == spot.unseen.size


def test_a_fantasyland_hand_is_one_street():
    spot = parse_spot(preset("pineapple"), cards="As Ah Ad Kc Kd Qs Qh 9d 8d 7d 6d 5d 2c 2h", fantasyland=True)
    assert spot.in_fantasyland
    assert spot.street is None
    assert spot.is_last_street
    state = spot.to_state()
    assert state.streets.tolist() == [14, 13]
    assert state.v[Field.FANTASYLAND] == 14


STRAIGHT, PAIR = "9c 8d 7h 6s 5c", "9c 9d 7h 6s 5c"


@pytest.mark.parametrize(("cards", "reached"), [(STRAIGHT, True), (PAIR, False), ("Ac 2d 3h 4s 5c", True)])
def test_house_rule_the_first_street_decides(cards, reached):
    """The cards of the first street decide, in hand or dealt by chance, and the bonus is paid at the end."""
    rules = preset("house")
    asked = parse_spot(rules, cards=cards).to_state()
    dealt = parse_spot(rules).to_state()
    apply(dealt, CardSet.from_cards(parse_cards(cards)).mask)
    assert (asked.v[Field.FANTASYLAND] > 0) == reached
    assert dealt.v.tolist() == asked.v.tolist()
    apply(dealt, 0b11_11_11_11_11)
    assert (dealt.v[Field.FANTASYLAND] > 0) == reached


def test_house_rule_later_the_question_says_so():
    rules = preset("house")
    board = "Qd 7h 2c / 9c 9s 4h 4d 3h / As Ac Jd"
    values = {}
    for fantasyland in (False, True):
        spot = parse_spot(rules, board=board, cards="Jc 8d 3s", fantasyland=fantasyland)
        assert not spot.in_fantasyland
        assert spot.street == 5
        state = spot.to_state()
        apply(state, 0b00_11_11)  # 8d and Jc to the back
        values[fantasyland] = board_value(state)[0]
    assert values[True] == values[False] + rules.fantasyland.bonus


def test_a_rule_file_of_one_street():
    rules = parse_rules("base: pineapple\nname: chinese\nstreets: [{deal: 13, place: 13}]\n")
    spot = parse_spot(rules, cards="As Ah Ad Kc Kd Qs Qh 9d 8d 7d 6d 5d 2c")
    assert spot.is_last_street
    assert spot.street == 1
