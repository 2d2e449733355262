"""The evaluation counts sequences and recognises wins as the rules do."""

import numpy as np
import pytest

from bromeliad.core.game import CHANCE, apply, clone, sample_chance, to_play
from bromeliad.core.rng import below, new_rng
from bromeliad.games.sequence import moves
from bromeliad.games.sequence.board import CARD_OF, CORNERS, LINES, TWO_EYED
from bromeliad.games.sequence.evaluate import can_win, place_score, score_action, wins
from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.lines import complete
from bromeliad.games.sequence.rules import rules_named
from bromeliad.games.sequence.state import GOAL, MOVER, SEQUENCES, WINNER, add_card, hand_at, is_empty, put
from bromeliad.games.sequence.weights import Weight, Weights

pytestmark = pytest.mark.kernel

TABLES = [("course", 2, 2), ("official", 2, 2), ("official", 3, 3)]


def dealt(rules, players, teams, rng):
    state = Sequence(rules_named(rules, players, teams)).new_state()
    while to_play(state) == CHANCE:
        apply(state, sample_chance(state, rng))
    return state


def place(data, cells, team):
    for cell in cells:
        if cell not in CORNERS and is_empty(data, cell):
            put(data, cell, team, 1)
            data[SEQUENCES + team] += complete(data, cell, team)


def crowd(data, teams, rng):
    """Place chips so that crossing and overlapping lines lack one or two chips."""
    for _ in range(3 + below(rng, 8)):
        line = list(LINES[below(rng, len(LINES))])
        line.pop(below(rng, 5))
        place(data, line, 0 if below(rng, 3) else below(rng, teams))


def looks_won(data, cell, team):
    """Return whether the score of a chip includes the bonus of a win."""
    bonus = int(data[Weight.GOAL])
    data[Weight.GOAL] = 0
    without = place_score(data, cell, team)
    data[Weight.GOAL] = bonus
    return place_score(data, cell, team) - without == bonus


@pytest.mark.parametrize(("rules", "players", "teams"), TABLES)
def test_scored_wins_are_wins(rules, players, teams):
    rng = new_rng(11)
    won = lost = several = 0
    for _ in range(60):
        state = dealt(rules, players, teams, rng)
        data = state.data
        crowd(data, teams, rng)
        if max(data[SEQUENCES : SEQUENCES + teams]) >= data[GOAL]:
            continue
        data[MOVER] = 0
        add_card(data, hand_at(0), TWO_EYED[0])  # so that every square can be played
        any_win = False
        for cell in range(100):
            if CARD_OF[cell] < 0 or not is_empty(data, cell):
                continue
            action = moves.make(moves.PLACE, TWO_EYED[0], cell)
            after = clone(state)
            moves.play(after.data, action)
            is_win = after.data[WINNER] == 0
            assert wins(data, action) == is_win
            assert looks_won(data, cell, 0) == is_win
            won, lost, any_win = won + is_win, lost + (not is_win), any_win or is_win
            several += is_win and data[GOAL] - data[SEQUENCES] > 1
        assert can_win(data) == any_win
        data[hand_at(0) : hand_at(0) + 2] = 0
        assert not can_win(data)
    assert won > 30
    assert lost > 300
    assert several > (0 if teams == 2 else -1)


def row(data, cells, team=0):
    for cell in cells:
        put(data, cell, team, 1)


@pytest.mark.parametrize("rules", ["course", "official"])
class TestLines:
    def test_six_in_a_line_are_one_sequence(self, rules):
        data = dealt(rules, 2, 2, new_rng(1)).data
        row(data, [21, 22, 23, 25, 26])
        assert not looks_won(data, 24, 0)
        assert not wins(data, moves.make(moves.PLACE, TWO_EYED[0], 24))

    def test_a_cross_of_two_fours_wins(self, rules):
        state = dealt(rules, 2, 2, new_rng(1))
        data = state.data
        data[MOVER] = 0
        row(data, [21, 22, 23, 25, 4, 14, 34, 44])
        assert looks_won(data, 24, 0)
        data[hand_at(0) : hand_at(0) + 2] = 0
        assert not can_win(data)
        for card in (TWO_EYED[0], CARD_OF[24]):
            held = clone(state)
            add_card(held.data, hand_at(0), card)
            assert can_win(held.data)
            assert wins(held.data, moves.make(moves.PLACE, card, 24))

    def test_a_sequence_counts_once_in_the_score(self, rules):
        data = dealt(rules, 2, 2, new_rng(1)).data
        data[MOVER] = 0
        row(data, [21, 22, 23, 25])
        five = score_action(data, moves.make(moves.PLACE, CARD_OF[24], 24))
        row(data, [26])
        six = score_action(data, moves.make(moves.PLACE, CARD_OF[24], 24))
        assert six - five < Weights().five


def test_the_heart_and_a_line_are_counted_together():
    data = dealt("course", 2, 2, new_rng(3)).data
    data[MOVER] = 0
    data[GOAL] = 3
    row(data, [44, 45, 54])
    assert not looks_won(data, 55, 0)
    row(data, [56, 57, 58, 59])
    assert looks_won(data, 55, 0)
    assert wins(data, moves.make(moves.PLACE, TWO_EYED[0], 55))
    assert np.all(data[SEQUENCES : SEQUENCES + 2] == 0)
