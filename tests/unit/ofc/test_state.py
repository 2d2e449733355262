from dataclasses import FrozenInstanceError

import pytest

from bromeliad.core.cards import Card, CardSet, parse_cards
from bromeliad.errors import DealError, PhaseError, PlacementError, PositionError
from bromeliad.games.ofc.hands.boards import PlayerArrangement, Position
from bromeliad.games.ofc.play.game_state import (
    CardsPlaced,
    GamePhase,
    GameState,
    InitialCardsDealt,
    OpponentInfo,
    RoundCardsDealt,
    RoundCompleted,
)
from bromeliad.games.ofc.rules.files import preset

FIRST = parse_cards("As Ks Qs Js Ts")


def started():
    game = GameState("g")
    game.deal_initial_cards(FIRST)
    return game


def second_street():
    game = started()
    game.place_cards({Position.BACK: FIRST})
    game.deal_round_cards(parse_cards("Qh Qd 3c"))
    return game


def test_a_new_hand():
    game = GameState("g")
    assert (game.phase, game.round_number, game.player_count) == (GamePhase.INITIAL_DEAL, 0, 2)
    assert game.rules is preset("pineapple")
    assert game.available_cards == game.deck == CardSet.deck()
    assert list(game.opponents.values()) == [OpponentInfo("opponent_0")]
    assert game.domain_events == ()


def test_the_first_two_streets():
    game = second_street()
    assert (game.phase, game.round_number) == (GamePhase.PLACEMENT, 1)
    assert game.dealt_cards == parse_cards("Qh Qd 3c")
    game.place_cards({Position.FRONT: parse_cards("Qh Qd")}, discard=Card.from_string("3c"))
    assert (game.phase, game.round_number, game.dealt_cards) == (GamePhase.DRAW, 2, ())
    assert str(game.player_arrangement) == "Qh Qd / - / As Ks Qs Js Ts"
    assert game.placed_cards == game.player_arrangement.cards
    assert str(game.discarded_cards) == "3c"


def test_events_tell_the_hand():
    game = second_street()
    game.place_cards({Position.MIDDLE: [], Position.FRONT: parse_cards("Qh Qd")}, discard=parse_cards("3c"))
    events = game.pull_domain_events()
    assert [type(event) for event in events] == [
        InitialCardsDealt, CardsPlaced, RoundCompleted, RoundCardsDealt, CardsPlaced, RoundCompleted,
    ]  # fmt: skip
    assert len(set(events)) == 6
    assert all(event.aggregate_id == "g" and event.occurred_at.tzinfo for event in events)
    assert events[0].cards == FIRST
    assert (events[3].round_number, events[3].cards) == (1, parse_cards("Qh Qd 3c"))
    assert events[4].placements == ((Position.FRONT, parse_cards("Qh Qd")),)
    assert events[4].discarded_cards == parse_cards("3c")
    assert (events[5].round_number, events[5].is_last) == (1, False)
    assert events[5].arrangement == game.player_arrangement


def test_unknown_cards_are_the_deck_without_what_is_known():
    game = second_street()
    game.place_cards({Position.FRONT: parse_cards("Qh Qd")}, parse_cards("3c"))
    game.deal_round_cards(parse_cards("2h 2d 2c"))
    game.update_opponent_cards("opponent_0", parse_cards("Ah Ad"))
    known = CardSet.from_cards(parse_cards("As Ks Qs Js Ts Qh Qd 3c 2h 2d 2c Ah Ad"))
    assert game.get_unknown_cards() == game.available_cards == CardSet.deck() - known


def test_jokers_are_in_the_deck_of_ultimate_only():
    jokers = parse_cards("Jk Jk")
    assert GameState("g", rules=preset("ultimate")).deck.size == 54
    assert GameState("g", rules=preset("ultimate")).can_deal_initial_cards(FIRST[:3] + jokers)
    with pytest.raises(DealError, match=r"cannot be dealt any more: Jk Jk\. .* not in this deck"):
        GameState("g").deal_initial_cards(FIRST[:3] + jokers)


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ("As Ks", "street 1 deals 5 cards, not 2"),
        ("As Ks Qs Js Ts 9s", "street 1 deals 5 cards, not 6"),
        ("Ad Ks Qs Js Ts", "cannot be dealt any more: Ad. They are known"),
    ],
)
def test_wrong_first_deal(cards, message):
    game = GameState("g")
    game.update_opponent_cards("opponent_0", parse_cards("Ad"))
    cards = parse_cards(cards)
    assert not game.can_deal_initial_cards(cards)
    with pytest.raises(DealError, match=message):
        game.deal_initial_cards(cards)


def test_a_deal_with_a_card_twice():
    with pytest.raises(DealError, match="appears twice: As"):
        GameState("g").deal_initial_cards(FIRST[:4] + FIRST[:1])


@pytest.mark.parametrize("again", ["As Kd Qd", "3c Kd Qd", "2d Kd Qd"])
def test_placed_discarded_and_opponents_cards_do_not_come_again(again):
    game = second_street()
    game.place_cards({Position.FRONT: parse_cards("Qh Qd")}, parse_cards("3c"))
    game.update_opponent_cards("opponent_0", parse_cards("2d"))
    assert not game.can_deal_round_cards(parse_cards(again))


@pytest.mark.parametrize(
    ("front", "middle", "discard", "message"),
    [
        ("Qh", "", "3c", "street 2 places 2 cards, not 1"),
        ("Qh Qd 3c", "", "", "street 2 places 2 cards, not 3"),
        ("Qh Qd", "", "", "street 2 discards 1 cards, not 0"),
        ("Qh", "Qd", "3c Qd", "street 2 discards 1 cards, not 2"),
        ("Qh", "2d", "3c", "not in hand: 2d. In hand: Qh Qd 3c"),
        ("Qh", "Qh", "3c", "not used: Qd. Place or discard each card in hand once"),
        ("Qh", "Qd", "Qd", "not used: 3c"),
    ],
)
def test_wrong_placement(front, middle, discard, message):
    game = second_street()
    placements = {Position.FRONT: parse_cards(front), Position.MIDDLE: parse_cards(middle)}
    assert not game.can_place_cards(placements, parse_cards(discard))
    with pytest.raises(PlacementError, match=message):
        game.place_cards(placements, parse_cards(discard))


def test_a_row_that_is_full():
    game = second_street()
    with pytest.raises(PlacementError, match="the back row is full: place Qh elsewhere"):
        game.place_cards({Position.BACK: parse_cards("Qh Qd")}, parse_cards("3c"))


@pytest.mark.parametrize(
    ("make", "operation", "message"),
    [
        (
            started,
            lambda g: g.deal_initial_cards(FIRST),
            "first cards have already been dealt: place the 5 cards in hand",
        ),
        (
            started,
            lambda g: g.deal_round_cards(FIRST[:3]),
            "the next street cannot be dealt yet: place the 5 cards in hand first",
        ),
        (lambda: GameState("g"), lambda g: g.place_cards({}), "in hand to place: deal the 5 cards of street 1 first"),
        (lambda: GameState("g"), lambda g: g.deal_round_cards(FIRST[:3]), "deal the 5 cards of street 1 first"),
    ],
)
def test_not_the_time(make, operation, message):
    with pytest.raises(PhaseError, match=message):
        operation(make())


def test_a_finished_hand_says_so():
    game = GameState("g", rules=preset("turbo"))
    game.deal_initial_cards(FIRST)
    game.place_cards({Position.BACK: FIRST})
    for position, cards in ((Position.MIDDLE, "2c 3c 4c 5d"), (Position.FRONT, "2d 3d 4d 5h")):
        cards = parse_cards(cards)
        game.deal_round_cards(cards)
        rest = {Position.MIDDLE: cards[3:]} if position is Position.FRONT else {}
        game.place_cards({position: cards[:3] if rest else cards, **rest})
    assert (game.phase, game.round_number) == (GamePhase.COMPLETED, 2)
    assert game.player_arrangement.is_complete
    assert game.domain_events[-1].is_last
    with pytest.raises(PhaseError, match="the hand is over; start a new game"):
        game.deal_round_cards(parse_cards("9c 9d 9h 9s"))


def test_fantasyland_deals_all_cards_at_once():
    game = GameState("g", fantasyland=14)
    cards = CardSet.deck().to_list()[:14]
    game.deal_initial_cards(cards)
    rows = {Position.FRONT: cards[:3], Position.MIDDLE: cards[3:8], Position.BACK: cards[8:13]}
    game.place_cards(rows, cards[13])
    assert game.phase is GamePhase.COMPLETED
    with pytest.raises(PositionError, match="pineapple deals no fantasyland of 15 cards; allowed: 0, 14"):
        GameState("g", fantasyland=15)
    with pytest.raises(PositionError, match=r"allowed: 0$"):
        GameState("g", rules=preset("house"), fantasyland=14)


@pytest.mark.parametrize("count", [0, 1, 4])
def test_how_many_play(count):
    with pytest.raises(PositionError, match=f"pineapple is played by 2 to 3 players, not {count}"):
        GameState("g", count)


class TestOpponents:
    def test_shown_cards_add_up_and_may_be_named_again(self):
        game = GameState("g", 3)
        game.update_opponent_cards("opponent_1", parse_cards("As Kd"))
        game.update_opponent_cards("opponent_1", parse_cards("Kd 2c"))
        opponent = game.opponents["opponent_1"]
        assert opponent.shown_cards == CardSet.from_cards(parse_cards("As Kd 2c"))
        assert opponent.last_update_round == 0
        assert game.opponents["opponent_0"].last_update_round == -1

    def test_records_cannot_be_changed_from_outside(self):
        game = GameState("g")
        with pytest.raises(TypeError):
            game.opponents["opponent_0"] = OpponentInfo("x")
        with pytest.raises(FrozenInstanceError):
            game.opponents["opponent_0"].shown_cards = CardSet.deck()
        assert game.opponents["opponent_0"].update_shown_cards(FIRST, 0) is not game.opponents["opponent_0"]
        assert game.opponents["opponent_0"].shown_cards.size == 0

    def test_what_cannot_be_shown(self):
        game = GameState("g", 3)
        game.deal_initial_cards(FIRST)
        game.update_opponent_cards("opponent_0", parse_cards("Ad"))
        for name, cards, message in (
            ("opponent_7", "2c", "no opponent 'opponent_7'; opponents: opponent_0, opponent_1"),
            ("opponent_0", "As", "cannot be dealt any more: As"),
            ("opponent_1", "Ad", "cannot be dealt any more: Ad"),
        ):
            assert not game.can_update_opponent_cards(name, parse_cards(cards))
            with pytest.raises(DealError, match=message):
                game.update_opponent_cards(name, parse_cards(cards))

    def test_no_more_cards_than_a_board_holds(self):
        game = GameState("g")
        with pytest.raises(DealError, match="at most 13 cards, not 14"):
            game.update_opponent_cards("opponent_0", CardSet.deck().to_list()[:14])

    def test_boards_grow(self):
        game = GameState("g")
        game.update_opponent_arrangement("opponent_0", PlayerArrangement.parse("As / Kd / -"))
        game.update_opponent_arrangement("opponent_0", PlayerArrangement.parse("As / Kd / 2c"))
        assert str(game.opponents["opponent_0"].arrangement) == "As / Kd / 2c"
        assert game.opponents["opponent_0"].shown_cards.size == 3
        moved = PlayerArrangement.parse("Kd / As / 2c")
        assert not game.can_update_opponent_arrangement("opponent_0", moved)
        with pytest.raises(DealError, match="a shown card stays where it is: keep Kd As in place"):
            game.update_opponent_arrangement("opponent_0", moved)
        with pytest.raises(DealError, match="keep 2c in place"):
            game.update_opponent_arrangement("opponent_0", PlayerArrangement.parse("As / Kd / -"))
