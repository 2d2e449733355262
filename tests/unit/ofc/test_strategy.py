"""Strategies use only what their seat may know, and follow their settings."""

from dataclasses import replace

import numpy as np
import pytest

from bromeliad.core.cards import Card, CardSet, parse_cards
from bromeliad.errors import PlacementError
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.dealer import Dealer, play_hand, shuffled_deck
from bromeliad.games.ofc.play.seat import OpponentView, SeatView, board_after, own_action
from bromeliad.games.ofc.play.strategies import HeuristicStrategy, MCTSStrategy, RandomStrategy, mcts_settings
from bromeliad.games.ofc.rules.files import preset, preset_names
from bromeliad.games.ofc.rules.rule_set import MctsSettings
from bromeliad.playing.strategies import find_strategy

NAMES = ("random", "heuristic", "mcts:200sims", "solver:200sims")


def started(strategy, seed=5):
    strategy.begin_hand(seed)
    return strategy


def view_of(board="", cards="", rules="pineapple", opponents=(), dead="", fantasyland=0, street=0):
    boards = [PlayerArrangement.parse(text) for text in opponents]
    return SeatView(
        rules=preset(rules),
        seat=1,
        players=1 + max(len(boards), 1),
        street=street,
        cards=parse_cards(cards),
        board=PlayerArrangement.parse(board) if board else PlayerArrangement.empty(),
        discards=CardSet.from_cards(parse_cards(dead)),
        fantasyland=fantasyland,
        opponents=tuple(OpponentView(item, 0, 0) for item in boards),
    )


LATE = view_of("Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d", "Kc 9d 3s", street=4)


def replay_to(hand, turns):
    """Return the dealer before the last of these turns is placed."""
    dealer = Dealer(hand.rules, hand.fantasyland)
    for turn in turns[:-1]:
        dealer.deal(turn.cards)
        dealer.place(turn.action)
    dealer.deal(turns[-1].cards)
    return dealer


def with_other_secrets(turns, seat, rng, deck):
    """Return the turns with other discards of the opponents, and other fantasyland hands: all that ``seat`` cannot see.

    Cards are exchanged with those that were not dealt by then.
    """
    unused = list(deck - CardSet.from_cards(card for turn in turns for card in turn.cards))
    rng.shuffle(unused)
    changed = []
    for turn in turns:
        if turn.seat == seat:
            changed.append(turn)
        elif turn.street == 0:
            new = [unused.pop() if i % 2 and unused else card for i, card in enumerate(turn.cards)]
            changed.append(replace(turn, cards=tuple(new), action=rows_of(new)))
        else:
            action = turn.action
            swap = {card: unused.pop() if unused else card for card in action.discards}
            discards = tuple(swap.values())
            cards = tuple(swap.get(card, card) for card in turn.cards)
            changed.append(replace(turn, cards=cards, action=replace(action, discards=discards)))
    return changed


def rows_of(cards):
    return Action(tuple(cards[:3]), tuple(cards[3:8]), tuple(cards[8:13]), tuple(cards[13:]))


@pytest.mark.parametrize("fantasyland", [(0, 0), (0, 15), (0, 0, 0), (14, 0, 17)])
class TestHiddenCards:
    def test_views_do_not_hold_them(self, fantasyland):
        rules, rng = preset("progressive"), np.random.default_rng(1)
        players = [started(RandomStrategy(), seat) for seat in range(len(fantasyland))]
        hand = play_hand(rules, players, shuffled_deck(rules, (1,)), fantasyland)
        different = 0
        for count in range(1, len(hand.turns) + 1):
            turns = hand.turns[:count]
            seat = turns[-1].seat
            others = with_other_secrets(turns, seat, rng, CardSet.deck())
            different += others != list(turns)
            assert replay_to(hand, turns).view(seat) == replay_to(hand, others).view(seat)
        assert different > 3

    @pytest.mark.parametrize("name", NAMES)
    def test_decisions_do_not_depend_on_them(self, fantasyland, name):
        rules, rng = preset("progressive"), np.random.default_rng(2)
        players = [started(RandomStrategy(), seat) for seat in range(len(fantasyland))]
        hand = play_hand(rules, players, shuffled_deck(rules, (2,)), fantasyland)
        late = [count for count, turn in enumerate(hand.turns, start=1) if turn.street in (0, 1, 4, 5)]
        for count in late[-4:]:
            turns = hand.turns[:count]
            seat = turns[-1].seat
            others = with_other_secrets(turns, seat, rng, CardSet.deck())
            decisions = [
                started(find_strategy(name, "progressive")).decide_placement(replay_to(hand, story).view(seat))
                for story in (turns, others)
            ]
            assert decisions[0] == decisions[1]


class TestView:
    def test_lists_what_is_legal(self):
        assert len(view_of(cards="As Kd 7c 2s 2h").legal_actions()) == 232
        assert len(LATE.legal_actions()) == len({action.to_code() for action in LATE.legal_actions()}) == 6

    def test_values_finished_boards(self):
        board = "Qd Qh Kc / 9c 9s 4h 4d 3s / As Ac Ad 7h 7d"
        assert LATE.finished_value(PlayerArrangement.parse(board)) == 7 + 6 + 9.9
        assert LATE.finished_value(PlayerArrangement.parse("Qd Qh Kc / 9c 8s 4h 4d 3s / As Ac Ad 7h 7d")) == -6

    def test_finds_cards_by_name(self):
        hand = (Card(53), *parse_cards("As 2c"))
        action = own_action(hand, (["Jk"], [], ["As"], ["2c"]))
        assert action.top == (Card(53),)
        assert board_after(PlayerArrangement.empty(), action).front.cards == (Card(53),)
        with pytest.raises(PlacementError, match="not in hand: Kd"):
            own_action(hand, (["Kd"], [], [], []))


class TestRandom:
    def test_plays_everything_that_is_legal(self):
        strategy = started(RandomStrategy())
        assert {strategy.decide_placement(LATE) for _ in range(200)} == set(LATE.legal_actions())
        assert strategy.evaluate_state(LATE) == 0.0

    def test_plays_a_hand_again(self):
        hands = []
        for _ in range(2):
            players = [started(RandomStrategy(), seat) for seat in range(2)]
            hands.append(play_hand(preset("pineapple"), players, shuffled_deck(preset("pineapple"), (1,))))
        assert hands[0].turns == hands[1].turns


class TestHeuristic:
    def test_takes_the_obvious(self):
        action = HeuristicStrategy().decide_placement(LATE)
        assert str(action) in ("3s / 9d / - (Kc)", "Kc / 9d / - (3s)")
        assert HeuristicStrategy().evaluate_state(LATE) == pytest.approx(7 + 12 + 6 + 9.9)

    def test_chooses_among_what_it_is_given(self):
        worst = LATE.legal_actions()[:2]
        assert HeuristicStrategy().choose_action(LATE, worst) in worst

    def test_sets_fantasyland_at_its_best(self):
        view = view_of(cards="As Ah Ad Kc Kd Qs Qh Js Jd Tc 9s 9h 8d 4c", fantasyland=14)
        action = HeuristicStrategy().decide_placement(view)
        value = HeuristicStrategy().evaluate_state(view)
        assert value == view.finished_value(board_after(view.board, action))

    @pytest.mark.parametrize("name", preset_names())
    def test_evaluates_boards_between_streets(self, name):
        empty = HeuristicStrategy().evaluate_state(view_of(rules=name))
        good = HeuristicStrategy().evaluate_state(view_of("- / - / As Ac Ad Ah 2c", rules=name, street=1))
        assert good > empty


class TestMcts:
    def test_takes_the_obvious(self):
        action = started(MCTSStrategy(preset("pineapple"))).decide_placement(LATE)
        assert str(action) in ("3s / 9d / - (Kc)", "Kc / 9d / - (3s)")
        assert started(MCTSStrategy(preset("pineapple"))).evaluate_state(LATE) > 30

    def test_obeys_the_rule_file(self):
        own = preset("house").model_copy(
            update={"mcts": MctsSettings(exploration_weight=2.5, simulation_count=77, temperature=0.5)}
        )
        params = MCTSStrategy(own).params
        assert (params.puct_c, params.simulations, params.temperature) == (2.5, 77, 0.5)
        assert params.policy == "puct"

    def test_takes_the_house_settings_where_there_are_none(self):
        assert mcts_settings(preset("pineapple")) == preset("house").mcts
        params = MCTSStrategy(preset("pineapple")).params
        assert (params.puct_c, params.simulations, params.temperature) == (1.0, 1000, 1.0)

    def test_a_time_may_replace_the_simulations(self):
        params = MCTSStrategy(preset("house"), seconds=0.2).params
        assert (params.simulations, params.seconds) == (None, 0.2)

    def test_settings_change_the_search(self):
        view = view_of(cards="As Kd 7c 2s 2h")
        values = set()
        for exploration, temperature, simulations in [
            (1.0, 1.0, 300),
            (9.0, 1.0, 300),
            (1.0, 9.0, 300),
            (1.0, 1.0, 100),
        ]:
            settings = MctsSettings(
                exploration_weight=exploration, simulation_count=simulations, temperature=temperature
            )
            strategy = MCTSStrategy(preset("pineapple").model_copy(update={"mcts": settings}))
            values.add(started(strategy).evaluate_state(view))
        assert len(values) == 4

    def test_chooses_though_every_board_must_foul(self):
        view = view_of("Ad Ah / 9c 9s 4h 3d 2c / Ks Qc Td 7h", "8d 5d 3s", street=4)
        assert started(MCTSStrategy(preset("pineapple"))).decide_placement(view) in view.legal_actions()
