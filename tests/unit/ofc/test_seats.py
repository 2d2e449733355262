"""Hands played out at a table: one deck, values that are the sum of their parts, pairs that draw equal cards."""

import numpy as np
import pytest

from bromeliad.core.cards import CardSet
from bromeliad.core.game import clone
from bromeliad.core.jit import JIT
from bromeliad.core.rng import new_rng, reseed
from bromeliad.games.ofc.exact.settlement import POINTS, Part
from bromeliad.games.ofc.opponents import playouts, settling
from bromeliad.games.ofc.opponents import seats as at
from bromeliad.games.ofc.opponents.sampling import Habits
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import parse_spot

pytestmark = pytest.mark.kernel

SPOTS = [
    {"board": "Qd / 9c 9s / As Ac", "cards": "Kc 8d 3s", "opponents": ["- / 4c 4d / 7c 7d 7h"]},
    {"board": "Qd / 9c 9s / As Ac", "cards": "Kc 8d 3s", "opponents": ["2c / 4c 4d 5h / 7c 7d 7h"]},
    {"board": "Qd / 9c 9s 5c / As Ac Jd", "cards": "Kc 8d 3s", "dead": "2d", "opponents": ["2c / 4c 4d 5h / 7c 7d 7h"]},
    {
        "board": "Qd / 9c 9s / As Ac",
        "cards": "Kc 8d 3s",
        "opponents": ["- / 4c 4d / 7c 7d 7h", "Kh / 6s 6d Jc / 2h 2c 3h"],
    },
    {"board": "Qd / 9c 9s / As Ac", "cards": "Kc 8d 3s", "opponents": ["fantasyland:14"]},
]


def seated(number, rules="pineapple"):
    return playouts.seat_spot(parse_spot(preset(rules), **SPOTS[number]), 1, 3)


@pytest.mark.parametrize("number", range(len(SPOTS)))
def test_a_value_is_the_sum_of_its_parts(number):
    seats = seated(number)
    codes = playouts.placements(seats)[:2]
    sweeps = 20 if JIT else 1
    steps, parts = np.zeros((sweeps, 2, playouts.count_steps(seats))), np.zeros((sweeps, 2, Part.SIZE))
    playouts.play_out(seats.v.copy(), seats, seats, codes, 1, 0, steps, parts)
    assert np.allclose(steps.sum(axis=2), parts[:, :, :POINTS].sum(axis=2) - parts[:, :, Part.LUCK])
    assert np.isfinite(steps).all()


@pytest.mark.parametrize("number", range(len(SPOTS)))
def test_all_seats_are_dealt_from_one_deck(number):
    seats = seated(number)
    own, hand = int(seats.v[-1, at.Seat.OWN]), int(seats.v[-1, at.Seat.HAND])
    known = int(seats.v[-1, at.Seat.ALL]) & ~int(seats.v[-1, at.Seat.DECK])
    steps = np.zeros(playouts.count_steps(seats))
    reseed(seats.rng, 7, 0)
    at.place(seats, own, hand, playouts.placements(seats)[0])
    playouts._play_on(seats, seats, own, seats.rng, steps)
    taken = CardSet(int(seats.v[-1, at.Seat.DECK]))
    for row in seats.v[:-1]:
        cards = CardSet(int(row[at.Seat.MASK] | row[at.Seat.MASK + 1] | row[at.Seat.MASK + 2] | row[at.Seat.GONE]))
        assert not cards & taken
        taken |= cards
    if not SPOTS[number]["opponents"][0].startswith("fantasyland"):
        assert taken == CardSet.deck()
    assert CardSet(known) & taken == CardSet(known)


def test_playouts_depend_on_the_seed_and_their_number_only():
    seats = seated(0)
    codes = playouts.placements(seats)[:3]
    together, apart = np.zeros((2, 4, 3, playouts.count_steps(seats)))
    parts, root = np.zeros((4, 3, Part.SIZE)), seats.v.copy()
    playouts.play_out(root, seats, seats, codes, 5, 0, together, parts)
    for i in range(4):
        for k in range(3):
            playouts.play_out(root, seats, seats, codes[k : k + 1], 5, i, apart[i : i + 1, k : k + 1], parts[:1, :1])
    assert (together == apart).all()


@pytest.mark.skipif(not JIT, reason="too many playouts for plain Python")
def test_opponents_who_ignore_fouls_foul_more_often():
    rules, fouls = preset("pineapple"), []
    for habits in (None, Habits(30.0, 0.0), Habits(0.0, 5.0)):
        seats = seated(0)
        theirs = playouts.with_habits(seats, rules, habits)
        codes = playouts.placements(seats)[:1]
        steps, parts = np.zeros((500, 1, playouts.count_steps(seats))), np.zeros((500, 1, Part.SIZE))
        playouts.play_out(seats.v.copy(), seats, theirs, codes, 3, 0, steps, parts)
        assert np.allclose(steps.sum(axis=2), parts[:, :, :POINTS].sum(axis=2) - parts[:, :, Part.LUCK])
        fouls.append(parts[:, 0, Part.OPPONENT_FOULED].mean())
    usual, careful, careless = fouls
    assert careful < usual < careless


def test_the_last_seat_settles_best():
    """Against a finished board, a seat finishes the best possible board."""
    finished = "2c 3c 6c / 4c 4d 5h 6h 8h / 7c 7d 7h 8c Th"
    board = "Qd Qh / 9c 9s 5c 5d / As Ac Jd Jh Js"
    seats = playouts.seat_spot(
        parse_spot(preset("pineapple"), board=board, cards="Kd 8d 3s", opponents=[finished]), 1, 1
    )
    own, hand = int(seats.v[-1, at.Seat.OWN]), int(seats.v[-1, at.Seat.HAND])
    settling.score_finished(seats)
    best = settling.choose_last(seats, own, hand, new_rng(1))
    values = []
    for code in playouts.placements(seats):
        work = clone(seats)
        at.place(work, own, hand, code)
        settling.score_seat(work, own)
        values.append(float(settling.net(work, work.boards[own], work.boards[1 - own])))
    assert settling.net(seats, seats.boards[at.ENDS + best], seats.boards[1 - own]) == max(values)
