"""The full game: turns, button, fantasyland, stacks, and chips that never appear or vanish."""

import numpy as np
import pytest

from bromeliad.core.cards import Card, CardSet, parse_cards
from bromeliad.errors import DealError, PhaseError, PlacementError, PositionError
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.dealer import Dealer, play_hand, schedule, shuffled_deck, verify_deck
from bromeliad.games.ofc.play.seat import own_action
from bromeliad.games.ofc.play.strategies import AIStrategy, HeuristicStrategy, RandomStrategy
from bromeliad.games.ofc.play.table import Table, pay, strategy_seed
from bromeliad.games.ofc.rules.files import preset, preset_names
from bromeliad.games.ofc.rules.showdown import show_down
from support import changed

TABLES = [
    (name, players)
    for name in preset_names()
    for players in range(preset(name).players.min, preset(name).players.max + 1)
]


class Watching(RandomStrategy):
    """Plays at random, and keeps the views that it got."""

    def __init__(self):
        super().__init__()
        self.views = []

    def decide_placement(self, view):
        self.views.append(view)
        return super().decide_placement(view)


class Scripted(AIStrategy):
    """Sets fantasyland hands to the given boards."""

    def __init__(self, *boards):
        super().__init__()
        self.boards = list(boards)

    def decide_placement(self, view):
        rows = [row.split() for row in self.boards.pop(0).split(" / ")]
        placed = {card for row in rows for card in row}
        return own_action(view.cards, (*rows, [card for card in view.cards if str(card) not in placed]))

    def choose_action(self, view, actions):
        return actions[0]

    def evaluate_state(self, view):
        return 0.0


def random_players(count, kind=RandomStrategy):
    players = [kind() for _ in range(count)]
    for seat, player in enumerate(players):
        player.begin_hand(seat)
    return players


def deck_of(rules, *starts):
    """Return a deck that begins with these cards."""
    first = [card for start in starts for card in parse_cards(start)]
    rest = CardSet.deck(rules.jokers.count) - CardSet.from_cards(first)
    return (*first, *rest)


class TestTurns:
    def test_left_of_the_button_acts_first_on_every_street(self):
        turns = schedule(preset("turbo"), [0, 0, 0])
        assert turns == [(seat, street) for street in (1, 2, 3) for seat in (1, 2, 3)]

    @pytest.mark.parametrize(
        ("commit", "expected"),
        [
            ("first", [(2, 0), (1, 1), (3, 1), (1, 2), (3, 2), (1, 3), (3, 3)]),
            ("turn", [(1, 1), (2, 0), (3, 1), (1, 2), (3, 2), (1, 3), (3, 3)]),
            ("last", [(1, 1), (3, 1), (1, 2), (3, 2), (1, 3), (3, 3), (2, 0)]),
        ],
    )
    def test_fantasyland_commits_as_the_rules_say(self, commit, expected):
        assert schedule(changed("turbo", fantasyland={"commit": commit}), [0, 13, 0]) == expected

    @pytest.mark.parametrize(("commit", "seen"), [("first", [0, 0]), ("turn", [5, 0]), ("last", [13, 13])])
    def test_whoever_commits_sees_what_lies_open_by_then(self, commit, seen):
        rules = changed("progressive", fantasyland={"commit": commit})
        players = random_players(3, Watching)
        play_hand(rules, players, shuffled_deck(rules, (1,)), [0, 15, 0])
        (view,) = players[1].views
        assert [opponent.board.cards.size for opponent in view.opponents] == seen
        assert len(view.cards) == view.fantasyland == 15
        assert view.in_fantasyland

    def test_a_fantasyland_hand_stays_hidden(self):
        rules = preset("progressive")
        players = random_players(2, Watching)
        play_hand(rules, players, shuffled_deck(rules, (1,)), [16, 0])
        for view in players[1].views:
            (opponent,) = view.opponents
            assert (opponent.board, opponent.discards, opponent.fantasyland) == (PlayerArrangement.empty(), 0, 16)

    def test_seats_see_boards_and_the_number_of_discards(self):
        rules = preset("pineapple")
        players = random_players(2, Watching)
        played = play_hand(rules, players, shuffled_deck(rules, (1,)))
        last = players[1].views[-1]
        assert (last.seat, last.players, last.street) == (2, 2, 4)
        assert last.opponents[0].board == played.boards[0]
        assert last.opponents[0].discards == 4
        assert last.discards.size == 3
        assert [len(view.cards) for view in players[0].views] == [5, 3, 3, 3, 3]

    def test_all_cards_of_a_hand_are_different(self):
        for name, players in TABLES:
            played = play_hand(preset(name), random_players(players), shuffled_deck(preset(name), (3, players)))
            cards = [card for turn in played.turns for card in turn.cards]
            assert len(cards) == len(set(cards)) == players * preset(name).cards_per_player


class TestDealer:
    def test_refuses_what_cannot_be(self):
        dealer = Dealer(preset("pineapple"), [0, 0])
        with pytest.raises(DealError, match="deals 5 cards, not 3"):
            dealer.deal(parse_cards("As Kd 2c"))
        dealer.deal(parse_cards("As Kd 2c 3c 4c"))
        with pytest.raises(PlacementError, match="not in hand"):
            dealer.place(Action(parse_cards("Ah"), (), parse_cards("Kd 2c 3c 4c"), ()))
        with pytest.raises(PhaseError, match="seat 1 acts next"):
            dealer.finish()
        dealer.place(Action((), (), parse_cards("As Kd 2c 3c 4c"), ()))
        with pytest.raises(DealError, match="dealt before: As"):
            dealer.deal(parse_cards("As Kh 5c 6c 7c"))

    def test_a_hand_must_fit_the_deck(self):
        for name, players in TABLES:
            most = max(preset(name).fantasyland_cards(), default=0)
            verify_deck(preset(name), [most] * players)
        regular = changed("regular", fantasyland={"stay_cards": 14})
        with pytest.raises(PositionError, match=r"need 53 cards .* the deck has 52"):
            Dealer(regular, [14, 0, 0, 0])

    def test_jokers_come_in_order(self):
        rules = preset("ultimate")
        for seed in range(20):
            deck = shuffled_deck(rules, (seed,))
            assert set(deck) == set(CardSet.deck(2))
            assert deck.index(Card(52)) < deck.index(Card(53))

    def test_house_pays_the_bonus_of_the_first_street(self):
        rules = preset("house")
        deck = deck_of(rules, "As Ks Qs Js 9s", "2c 3d 4h 6s 7c", "Ts 8s 7s", "2d 3c 4s", "Th 8h 7h", "2h 3h 4c")
        played = play_hand(rules, random_players(2, HeuristicStrategy), deck)
        view_of_first = played.showdown.players[0]
        plain = show_down(rules, played.boards).players[0]
        assert not view_of_first.fouled
        assert view_of_first.royalties == plain.royalties + rules.fantasyland.bonus
        assert played.next_fantasyland == (0, 0)


QUADS = "Ac 9c 5s / 4c 4d 8c 8d 2h / Kc Kd Kh Ks 3h"


class TestFantasyland:
    def test_goes_from_hand_to_hand(self):
        rules = preset("progressive-keep")
        table = Table(rules, [Scripted(QUADS, QUADS), RandomStrategy()])
        table.fantasyland = [15, 0]
        hand = "Ac 9c 5s 4c 4d 8c 8d 2h Kc Kd Kh Ks 3h 7s 7d"
        played = table.play_hand(deck_of(rules, hand))
        assert played.hand.fantasyland == (15, 0)
        assert table.fantasyland == [15, 0]  # kept
        assert table.button == 1  # the button stays with the stay
        assert table.play_hand(deck_of(rules, hand)).hand.fantasyland == (15, 0)

    def test_the_button_moves_on_a_stay_if_the_rules_say_so(self):
        rules = changed("pineapple", fantasyland={"button_moves_on_stay": True})
        table = Table(rules, [Scripted(QUADS), RandomStrategy()])
        table.fantasyland = [14, 0]
        table.play_hand(deck_of(rules, "Ac 9c 5s 4c 4d 8c 8d 2h Kc Kd Kh Ks 3h 7s"))
        assert table.fantasyland == [14, 0]
        assert table.button == 0

    def test_all_at_once(self):
        rules = preset("progressive")
        table = Table(rules, [HeuristicStrategy() for _ in range(3)])
        table.fantasyland = [17, 17, 17]
        played = table.play_hand()
        assert sum(played.chips) == 0
        assert [turn.street for turn in played.hand.turns] == [0, 0, 0]
        assert not any(player.fouled for player in played.hand.showdown.players)

    def test_the_button_goes_round(self):
        table = Table(preset("regular"), [RandomStrategy() for _ in range(3)])
        seatings = [table.play_hand().seating for _ in range(4)]
        assert seatings == [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 1, 2)]


def random_boards(rules, players, rng):
    """Return finished boards of one deck, and fantasyland cards for some of the players."""
    deck = rng.permutation(rules.deck_size)
    boards = []
    for player in range(players):
        cards = [Card(int(card)) for card in deck[13 * player : 13 * player + 13]]
        boards.append(PlayerArrangement.of(cards[:3], cards[3:8], cards[8:]))
    counts = rules.fantasyland_cards() or (13,)
    fantasyland = {i: int(rng.choice(counts)) for i in range(players) if rng.random() < 0.3}
    return boards, fantasyland


def random_points(name, players, hands, seed):
    rng = np.random.default_rng(seed)
    for _ in range(hands):
        yield show_down(preset(name), *random_boards(preset(name), players, rng))


@pytest.mark.parametrize(("name", "players"), TABLES)
class TestChips:
    def test_settlements_sum_to_zero(self, name, players):
        for result in random_points(name, players, 200, 5):
            assert sum(result.points) == 0
            for i in range(players):
                for j in range(i):
                    assert result.settlements[i][j].total == -result.settlements[j][i].total

    def test_games_sum_to_zero(self, name, players):
        table = Table(preset(name), [RandomStrategy() for _ in range(players)], stacks=[40] * players, seed=players)
        points = 0
        for _ in range(15):
            if table.is_over:
                break
            played = table.play_hand()
            points += sum(played.hand.points)
            assert sum(played.chips) == 0
        assert points == 0
        assert sum(table.stacks) == 40 * players
        assert min(table.stacks) >= 0

    @pytest.mark.accept
    def test_a_hundred_thousand_hands_sum_to_zero(self, name, players):
        assert all(sum(result.points) == 0 for result in random_points(name, players, 100_000, 11))


@pytest.mark.accept
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_a_thousand_hands_in_a_row_sum_to_zero(name, players):
    """Played by rules of thumb, so that fantasyland is reached and kept."""
    table = Table(preset(name), [HeuristicStrategy() for _ in range(players)])
    seen = 0
    for _ in range(1000):
        played = table.play_hand()
        seen += any(played.hand.fantasyland)
        assert sum(played.chips) == 0
    assert sum(table.scores) == 0
    assert seen or name == "house"


class TestStacks:
    BOARDS = (
        "As Ad 2c / Kc Kd 3h 3s 4d / Qc Qd Qh Jc Js",  # royalties 9 + 0 + 6
        "2d 3d 5h / 6c 6d 7h 8s 9d / Ac Ah 9h 9s Tc",
        "4h 5c 7c / 8c 8d Td Th Kh / 2h 2s 6h 6s Jd",
    )

    def test_pairs_pay_in_order_as_far_as_the_chips_go(self):
        result = show_down(preset("pineapple"), [PlayerArrangement.parse(board) for board in self.BOARDS])
        one, two, three = result.points
        assert one > 20
        assert two + three == -one
        assert pay(result, (100, 100, 100)) == result.points
        owed = result.settlements[0][1].total
        capped = pay(result, (50, 10, 100))
        assert owed > 10
        assert sum(capped) == 0
        # the second pays the first all it has, and settles with the third from nothing
        second_from_third = result.settlements[1][2].total
        assert capped[1] == -10 + max(second_from_third, 0)
        assert capped[0] == 10 + min(result.settlements[0][2].total, 100)

    def test_nobody_loses_more_than_the_stack(self):
        rng = np.random.default_rng(3)
        for _ in range(300):
            result = show_down(preset("pineapple"), *random_boards(preset("pineapple"), 3, rng))
            stacks = [int(stack) for stack in rng.integers(1, 15, 3)]
            chips = pay(result, stacks)
            assert sum(chips) == 0
            assert all(stack + won >= 0 for stack, won in zip(stacks, chips, strict=True))

    def test_the_game_ends_with_an_empty_stack(self):
        table = Table(preset("pineapple"), [RandomStrategy(), RandomStrategy()], stacks=[1, 1])
        while not table.is_over:
            table.play_hand()
        assert sorted(table.stacks) == [0, 2]
        with pytest.raises(PhaseError, match="no chips left"):
            table.play_hand()

    @pytest.mark.parametrize("stacks", [[1], [0, 5], [5, 5, 5]])
    def test_stacks_must_be_there(self, stacks):
        with pytest.raises(PositionError, match="each of the 2 players a stack"):
            Table(preset("pineapple"), [RandomStrategy(), RandomStrategy()], stacks=stacks)


def test_player_counts_are_checked():
    with pytest.raises(PositionError, match="2 to 3 players, not 4"):
        Table(preset("pineapple"), [RandomStrategy()] * 4)


def test_seeds_differ():
    assert len({strategy_seed(1, hand, seat) for hand in range(50) for seat in range(3)}) == 150
