"""Best responses: modelled opponents play their strategy, values are settlements, and leaks are found."""

import numpy as np
import pytest

from bromeliad.core.cards import CardSet
from bromeliad.core.jit import JIT
from bromeliad.errors import InputError
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.opponents import responses
from bromeliad.games.ofc.opponents import seats as at
from bromeliad.games.ofc.opponents.playouts import placements, seat_spot
from bromeliad.games.ofc.opponents.sampling import Habits
from bromeliad.games.ofc.play.dealer import Dealer, shuffled_deck
from bromeliad.games.ofc.play.seat import board_after
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.scoring import Scored
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.matches.ofc import OfcMatch
from bromeliad.matches.runner import play_match
from bromeliad.playing.response import ResponseStrategy
from bromeliad.playing.strategies import LookStrategy, action_of, find_strategy

pytestmark = pytest.mark.kernel

RULES = preset("pineapple")
HABITS = Habits(6.0, 1.0), Habits(0.0, 5.0), Habits(30.0, 0.0)
OPEN = {"board": "Qd / 9c 9s / As Ac", "cards": "Kc 8d 3s", "opponents": ["2c / 4c 4d 5h / 7c 7d 7h"]}


def seated(view):
    """Return the seats of a decision, and its spot."""
    spot = find_strategy("solver:200sims").request(view).to_spot()
    return seat_spot(spot, 1, 1), spot


def worth_of(view, action, habits):
    """Return the value of a finished board to a player of these habits."""
    scored = board_after(view.board, action).scored(RULES, 0, CardSet())
    return scored[Scored.FOUL] or scored[Scored.ROYALTIES] + habits.fantasyland * (scored[Scored.NEXT_CARDS] > 0) * 9.9


@pytest.mark.parametrize("habits", HABITS)
def test_modelled_opponents_place_as_their_strategy_does(habits):
    """In a hand between two ``look`` strategies, the kernel makes the same decisions."""
    players = LookStrategy(habits), LookStrategy(habits)
    dealer, deck = Dealer(RULES, (0, 0)), list(shuffled_deck(RULES, (11,)))
    decisions = 0
    while dealer.due is not None and (JIT or decisions < 2):
        seat, _ = dealer.due
        size = dealer.deal_size
        dealer.deal(deck[:size])
        del deck[:size]
        view = dealer.view(seat)
        expected = players[seat - 1].decide_placement(view)
        seats, spot = seated(view)
        theirs = responses.with_habits(seats, RULES, habits)
        code = responses.choose_alone(theirs, int(seats.v[-1, at.Seat.OWN]), int(seats.v[-1, at.Seat.HAND]))
        found = action_of(view.cards, Action.from_code(spot.cards, int(code)))
        if spot.is_last_street:  # if every board fouls, all placements are equal
            assert worth_of(view, found, habits) == worth_of(view, expected, habits)
        else:
            assert found == expected
        dealer.place(expected)
        decisions += 1


@pytest.mark.parametrize("opponents", [OPEN["opponents"], ["- / 4c 4d / 7c 7d 7h", "Kh / 6s 6d Jc / 2h 2c 3h"]])
def test_a_playout_deals_every_card_once(opponents):
    seats = seat_spot(parse_spot(RULES, **{**OPEN, "opponents": opponents}), 1, 1)
    root, known = seats.v.copy(), CardSet(int(seats.v[-1, at.Seat.ALL] & ~seats.v[-1, at.Seat.DECK]))
    theirs = responses.with_habits(seats, RULES, HABITS[1])
    responses.respond(root, seats, theirs, placements(seats)[:1], 7, 0, np.zeros((1, 1)))
    taken = CardSet(int(seats.v[-1, at.Seat.DECK]))
    assert not taken & known
    for row in seats.v[:-1]:
        cards = CardSet(int(row[at.Seat.MASK] | row[at.Seat.MASK + 1] | row[at.Seat.MASK + 2] | row[at.Seat.GONE]))
        assert not cards & taken
        taken |= cards
        assert row[at.Seat.FREE : at.Seat.FREE + 3].sum() == 0
    assert taken == CardSet.deck()


def test_playouts_of_the_same_number_draw_the_same_cards():
    seats = seat_spot(parse_spot(RULES, **OPEN), 1, 1)
    theirs, root = responses.with_habits(seats, RULES, HABITS[0]), seats.v.copy()
    code = placements(seats)[:1]
    sweeps = 20 if JIT else 2
    twice, later = np.zeros((sweeps, 2)), np.zeros((1, 1))
    responses.respond(root, seats, theirs, np.repeat(code, 2), 3, 5, twice)
    responses.respond(root, seats, theirs, code, 3, 6, later)
    assert (twice[:, 0] == twice[:, 1]).all()
    assert later[0, 0] == twice[1, 0]
    assert not JIT or len(np.unique(twice)) > 2


@pytest.mark.skipif(not JIT, reason="too many playouts for plain Python")
def test_a_placement_is_worth_more_against_a_worse_player():
    """A player who never goes for fantasyland is a worse opponent than one who plays for the real objective."""
    spot = parse_spot(RULES, cards="As Ah Kd 7c 2s", opponents=["- / - / -"])
    means = []
    for habits in (HABITS[0], HABITS[2]):
        seats = seat_spot(spot, 1, 1)
        code, theirs = placements(seats)[:1], responses.with_habits(seats, RULES, habits)
        out = np.zeros((2000, 1))
        responses.respond(seats.v.copy(), seats, theirs, code, 1, 0, out)
        means.append(out.mean())
    assert means[1] > means[0] + 2.0


class TestNames:
    def test_by_name(self):
        assert isinstance(find_strategy("response:evaluation"), ResponseStrategy)
        assert find_strategy("response:300sims:look:0,5")._simulations == 300
        assert find_strategy("response:look:0,5")._habits == Habits(0.0, 5.0)
        assert find_strategy("response:solver:200sims")._habits is None

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("response", "there is no strategy"),
            ("response:random", "response plays against evaluation, solver or look, not against random"),
            ("response:nobody", "there is no strategy nobody"),
        ],
    )
    def test_errors(self, text, expected):
        with pytest.raises(InputError, match=expected):
            find_strategy(text)


@pytest.mark.skipif(not JIT, reason="whole matches take too long in plain Python")
class TestMatches:
    def points(self, names, hands):
        player = play_match(OfcMatch(names, hands, seed=3)).players[0]
        return player.luck_adjusted_mean, player.luck_adjusted_stderr

    def test_a_strategy_wins_nothing_from_itself(self):
        assert self.points(["evaluation", "evaluation"], 20)[0] == pytest.approx(0.0, abs=1e-9)

    def test_a_planted_leak_is_found(self):
        """A player who fears fouls and ignores fantasyland loses far more to the response than the evaluation does."""
        leak, error = self.points(["response:300sims:look:30,0", "look:30,0"], 60)
        sound, other = self.points(["response:300sims:evaluation", "evaluation"], 60)
        assert leak - sound > 2 * np.hypot(error, other)
        assert leak > 3 * error
