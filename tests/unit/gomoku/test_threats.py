"""Forced wins: plain Python checks every proof, and tries every reply to the winning moves."""

import numpy as np
import pytest

from bromeliad.core.game import TERMINAL, clone, to_play
from bromeliad.games.gomoku.game import Gomoku
from bromeliad.games.gomoku.model import plain_model
from bromeliad.games.gomoku.moves import is_legal, pass_turn, play
from bromeliad.games.gomoku.notation import parse_stones
from bromeliad.games.gomoku.position import play_cells, read_position
from bromeliad.games.gomoku.proof.threats import Prover, prove
from bromeliad.games.gomoku.rules import RULES
from bromeliad.games.gomoku.state import BOARD, MOVER, WINNER, put
from oracles.gomoku import Board, check_fours, check_threats, winning_cells, wins_by_fours

PROVER = Prover(12)


def oracle_board(state, rule):
    size = int(state.data[0])
    board = Board(size, rule)
    for cell in range(size * size):
        board.put(divmod(cell, size), ".XO"[int(state.data[BOARD + cell])])
    return board


def lively_states(rule, size, count, seed):
    """Yield random positions, in which neither side has a five to make."""
    game, rng = Gomoku(size, rule, plain_model()), np.random.default_rng(seed)
    while count:
        state = game.new_state()
        for cell in rng.permutation(size * size)[: int(rng.integers(10, 20))].tolist():
            if to_play(state) != TERMINAL and is_legal(state, cell):
                play(state, cell)
        board = oracle_board(state, rule)
        if to_play(state) != TERMINAL and not winning_cells(board, "X") and not winning_cells(board, "O"):
            count -= 1
            yield game, state, board


@pytest.mark.parametrize("rule", ["freestyle", "exact", "renju"])
def test_wins_by_fours_are_found_exactly_where_they_are(rule):
    found = 0
    for game, state, board in lively_states(rule, 7, 25, 3):
        before = state.data.copy()
        proof = PROVER.prove(state, "fours", 10**6)
        assert np.array_equal(state.data, before)
        own = "XO"[int(state.data[MOVER])]
        assert proof.result == ("win" if wins_by_fours(board, own) else "none")
        if proof.result == "win" and rule != "renju":  # in renju a line may end where every reply is forbidden
            check_fours(board, [divmod(cell, game.size) for cell in proof.line], own)
            found += 1
    assert found > 2 or rule == "renju"


def holds(game, state, depth):
    """Return whether the mover, who plays by proofs, wins against every reply."""
    proof = PROVER.prove(state, "threats", 10**5)
    if proof.result != "win":
        return False
    child = clone(state)
    play(child, proof.line[0])
    if child.data[WINNER] == state.data[MOVER]:
        return True
    if depth == 0:
        return True
    for reply in range(game.size**2):
        if is_legal(child, reply):
            answered = clone(child)
            play(answered, reply)
            if answered.data[WINNER] >= 0 or (to_play(answered) != TERMINAL and not holds(game, answered, depth - 1)):
                return False
    return True


@pytest.mark.parametrize("rule", RULES)
def test_wins_by_threats_hold_against_every_reply(rule):
    found = 0
    for game, state, _ in lively_states(rule, 8, 40, 5):
        if PROVER.prove(state, "fours", 10**5).result == "win":
            continue
        if PROVER.prove(state, "threats", 20_000).result == "win":
            assert holds(game, state, 2)
            found += 1
        if found == 2:
            break
    assert found


@pytest.mark.parametrize(
    "stones",
    [
        "H6F6G9E5K7F4G7F5F7",
        "F5E8G6E7E6D7H7I8",
        "E10H6K7J6F9K8H7I6G8D11K6",
    ],
)
def test_long_wins_by_threats_are_found_soon_and_hold(stones):
    game, prover = Gomoku(15, model=plain_model()), Prover()
    state = read_position(game, stones)
    mover = int(state.data[MOVER])
    proof = prover.prove(state, "threats", 20_000)
    assert proof.result == "win"
    assert len(proof.line) >= 13

    def choose(board):
        reached = game.new_state()
        for cell, stone in enumerate(board.cells.values()):
            if stone != ".":
                put(reached, cell, "XO".index(stone) + 1, 1)
        if reached.data[MOVER] != mover:
            pass_turn(reached)
        return divmod(prover.prove(reached, "threats", 20_000).line[0], game.size)

    assert check_threats(oracle_board(state, "freestyle"), "XO"[mover], choose) > 10


def test_a_stopped_proof_leaves_no_verdict_in_the_table():
    """A proof may be stopped at any moment; the same prover then proves the win."""
    state = read_position(Gomoku(15, model=plain_model()), "H6F6G9E5K7E7G7E6E8G5H4")
    prover = Prover(12)
    for nodes in (1, 5, 20, 100):
        assert prover.prove(state, "threats", nodes).result == "unknown"
    assert prover.prove(state, "threats", 50_000).result == "win"


def test_an_open_three_is_a_threat_with_its_replies():
    game = Gomoku(15, model=plain_model())
    state = read_position(game, "H8A1I8A3J8")  # black has an open three, white moves
    replies = Prover().replies(state)
    assert set(parse_stones("F8G8K8L8", 15)) >= set(replies) >= set(parse_stones("G8K8", 15))
    assert Prover().replies(game.new_state()) is None


def test_a_proof_that_stops_at_its_budget_is_unknown():
    state = read_position(Gomoku(15, model=plain_model()), "H8H9I8G8G7I9F6J10I6G6")
    assert prove(state, "threats", 1).result == "unknown"
    assert prove(play_cells(Gomoku(5, model=plain_model()), [12]), "fours").result == "none"


def test_an_early_stop_is_kept():
    """On a busy machine, the stop may come before the proof begins."""
    prover = Prover(12)
    state = read_position(Gomoku(15, model=plain_model()), "H8H9I8G8G7I9F6J10I6G6")
    prover.stop[0] = 1
    assert prover.prove(state, "threats", 1 << 40).result == "unknown"
