"""Fantasyland that is set last, as the best answer to finished boards: checked by the solver of fantasyland hands."""

import numpy as np
import pytest

from bromeliad.core.cards import CardSet
from bromeliad.core.jit import JIT
from bromeliad.games.ofc.exact.last_street import solve_last_street
from bromeliad.games.ofc.exact.settlement import Part
from bromeliad.games.ofc.fantasyland.solve import solve_fantasyland
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.opponents import playouts, settling
from bromeliad.games.ofc.opponents import seats as at
from bromeliad.games.ofc.opponents.endings import opponent_replies
from bromeliad.games.ofc.opponents.sampling import deal_fantasyland, fantasyland_hands
from bromeliad.games.ofc.play.dealer import play_hand, shuffled_deck
from bromeliad.games.ofc.play.seat import board_after
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.playing.strategies import EvaluationStrategy
from support import changed

pytestmark = pytest.mark.kernel

LAST_BOARD = "Qd Qh / 9c 9s 4h 4d / As Ac Jd 7h 7d"
THIRD = "2c 2s 3c / 5c 5d 8h 8c Th / 6c 6d 6h Kh Jc"


def answering(name="pineapple"):
    """Return a preset whose fantasyland hands are set last."""
    return changed(name, fantasyland={"commit": "last"})


def best_against(rules, hand, boards):
    """Return the points of the best board of a fantasyland hand against finished boards."""
    spot = parse_spot(rules, cards=str(CardSet(hand)), opponents=boards, fantasyland=True)
    return float(solve_fantasyland(spot, 1).value[0])


@pytest.mark.parametrize("name", ["pineapple", "ultimate"])
def test_on_the_last_street_every_sampled_hand_answers_best(name):
    rules = answering(name)
    spot = parse_spot(rules, board=LAST_BOARD, cards="Kc 8d 3s", opponents=["fantasyland:14"])
    count = 120 if JIT else 12
    found = solve_last_street(spot, opponent_replies(spot, count, 1))
    hands = list(deal_fantasyland(spot.unseen, 14, fantasyland_hands(count), 2))
    for i in (0, len(found.codes) // 2, -1):
        action = Action.from_code(spot.cards, int(found.codes[i]))
        mine = str(board_after(spot.board, action))
        answers = [best_against(rules, hand, [mine]) for hand in hands]
        assert found.value[i] == pytest.approx(-np.mean(answers))


def test_an_answer_costs_me_points():
    spots = [
        parse_spot(rules, board=LAST_BOARD, cards="Kc 8d 3s", opponents=["fantasyland:14"])
        for rules in (preset("pineapple"), answering())
    ]
    blind, seen = (solve_last_street(spot, opponent_replies(spot, 240, 1)) for spot in spots)
    assert seen.value[0] < blind.value[0]


@pytest.mark.parametrize("others", [(), (THIRD,)])
def test_at_the_table_a_hidden_hand_answers_all_finished_boards(others):
    rules = answering()
    spot = parse_spot(rules, board=LAST_BOARD, cards="Kc 8d 3s", opponents=[*others, "fantasyland:14"])
    seats = playouts.seat_spot(spot, 1, 4)
    own, hand = int(seats.v[-1, at.Seat.OWN]), int(seats.v[-1, at.Seat.HAND])
    code = int(playouts.placements(seats)[0])
    at.place(seats, own, hand, code)
    settling.score_finished(seats)
    settling.score_seat(seats, own)
    mine = seats.boards[own].copy()
    boards = [str(board_after(spot.board, Action.from_code(spot.cards, code))), *others]
    for banked in seats.bank[:, 0]:
        answer = seats.fronts[settling.best_answer(seats, own, mine, banked)]
        value = settling.net(seats, answer, mine)
        value += sum(settling.net(seats, answer, seats.boards[i]) for i in range(len(others)))
        assert value == pytest.approx(best_against(rules, int(banked[at.Banked.CARDS]), boards), abs=1e-6)


def test_playouts_against_an_answer_are_worth_less():
    """The opponent has the same fantasyland hands, set blind or after seeing my board; I win less if they see it."""
    found = []
    for rules in (preset("pineapple"), answering()):
        spot = parse_spot(rules, board="Qd / 9c 9s / As Ac", cards="Kc 8d 3s", opponents=["fantasyland:14"])
        seats = playouts.seat_spot(spot, 1, 20)
        codes = playouts.placements(seats)[:2]
        sweeps = 200 if JIT else 1
        steps, parts = np.zeros((sweeps, 2, playouts.count_steps(seats))), np.zeros((sweeps, 2, Part.SIZE))
        playouts.play_out(seats.v.copy(), seats, seats, codes, 1, 0, steps, parts)
        found.append((steps.sum(axis=2), seats.bank[:, 0, at.Banked.CARDS]))
    (blind, hands), (seen, same) = found
    assert (hands == same).all()
    if JIT:
        gain = blind - seen
        assert (gain.mean(axis=0) > 3 * gain.std(axis=0) / np.sqrt(len(gain))).all()


def test_large_hands_are_sampled_less_often():
    spot = parse_spot(answering("ultimate"), board=LAST_BOARD, cards="Kc 8d 3s", opponents=["fantasyland:16"])
    assert len(playouts.seat_spot(spot, 1, 8).bank) == 2


def test_a_player_in_fantasyland_answers_the_boards_at_the_table(tmp_path):
    rules, file = answering(), tmp_path / "last.yaml"
    file.write_text("base: pineapple\nname: last\nfantasyland: {commit: last}\n")
    players = [EvaluationStrategy(str(file), simulations=1000) for _ in range(2)]
    played = play_hand(rules, players, shuffled_deck(rules, [3]), (14, 0))
    first, second = played.showdown.players
    assert played.turns[-1].seat == 1
    value = best_against(rules, CardSet.from_cards(played.turns[-1].cards).mask, [str(second.board)])
    worth = dict(parse_spot(rules).fantasyland_worth)
    got = played.points[0] + worth.get(first.fantasyland, 0.0) - worth.get(second.fantasyland, 0.0)
    assert got == pytest.approx(value, abs=1e-6)
