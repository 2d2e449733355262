"""Sensible moves even with little search, and answers that end soon after they are cancelled."""

import threading
import time

import pytest

from bromeliad.core.budget import Budget
from bromeliad.games.gomoku.agent import GomokuCore, MCTSAgent
from bromeliad.games.gomoku.game import Gomoku
from bromeliad.games.gomoku.gomocup.session import OPPONENT, OWN, GomocupSession
from bromeliad.games.gomoku.player import Player
from bromeliad.games.gomoku.position import read_position
from bromeliad.search import Cancel

QUIET = "L9K5K10L4D7F12L5H4F11H11J8I6J7H10D8F6K9G11E9G6G4G10I4J9"  # a position whose proofs take long


@pytest.mark.parametrize(("size", "stone", "row", "column"), [(15, "H8", 7, 7), (20, "J10", 10, 8)])
@pytest.mark.parametrize("simulations", [1, 50, 200])
def test_an_answer_is_near_the_stone(size, stone, row, column, simulations):
    game = Gomoku(size)
    best = Player(game).think(read_position(game, stone), Budget(simulations=simulations)).best
    assert max(abs(best // size - row), abs(best % size - column)) <= 2


def test_the_agent_opens_in_the_centre_and_stays_near():
    core = GomokuCore(15)
    row, column = MCTSAgent(core, 200, 1.0).get_best_move()
    assert max(abs(row - 7), abs(column - 7)) <= 1
    core.place_stone(7, 7)
    assert all(max(abs(row - 7), abs(column - 7)) <= 2 for row, column in core.recommand_positions())
    row, column = MCTSAgent(core, 200, 1.0).get_best_move()
    assert max(abs(row - 7), abs(column - 7)) <= 2


@pytest.mark.parametrize(("width", "height", "middle"), [(20, 15, (10, 7)), (15, 20, (7, 10)), (7, 5, (3, 2))])
def test_the_first_stone_of_a_rectangle_is_in_its_middle(width, height, middle):
    session = GomocupSession()
    session.start(width, height)
    assert session.name(session.think(Cancel()).best) == f"{middle[0]},{middle[1]}"


def test_a_five_is_a_proved_win():
    session = GomocupSession()
    session.start(15, 15)
    for column in range(4):
        session.put(session.cell(column + 3, 7), OWN)
        session.put(session.cell(column + 3, 2), OPPONENT)
    answer = session.think(Cancel())
    assert (answer.value, answer.proved) == (1.0, True)
    assert session.name(answer.best) in ("2,7", "7,7")


@pytest.mark.parametrize("budget", [Budget(60.0), Budget(simulations=10_000_000)])
def test_cancelling_ends_proofs(budget):
    game, cancel = Gomoku(15), Cancel()
    threading.Timer(0.3, cancel.cancel).start()
    start = time.monotonic()
    Player(game).think(read_position(game, QUIET), budget, cancel=cancel)
    assert time.monotonic() - start < 20  # far less than sixty; a busy machine needs some of it
