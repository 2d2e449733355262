"""Positions whose best moves and exact values are known."""

from typing import NamedTuple

import numpy as np

from bromeliad.core.game import GameInfo
from bromeliad.core.jit import JIT
from bromeliad_games.tictactoe import TicTacToe, TicTacToeState
from games import hidden, nim, pig, trio
from oracles import search_exact


class Case(NamedTuple):
    info: GameInfo
    state: object
    right: set[int]
    value: float
    tolerance: float
    scale: float | None = None  # half the range of values, where the game does not state it and UCT depends on it


def tictactoe(board, mover="x"):
    masks = [sum(1 << i for i in range(9) if board[i] == mark) for mark in "xo"]
    values = search_exact.tictactoe_values(board, mover)
    best = max(values.values())
    state = TicTacToeState(np.array([*masks, "xo".index(mover), -1], np.int64))
    return Case(TicTacToe.info, state, {i for i, value in values.items() if value == best}, best, 0.1)


def nim_case(*piles):
    right = {pile * nim.WIDTH + taken for pile, taken in search_exact.nim_wins(piles)}
    return Case(nim.INFO, nim.new_nim(*piles), right, 1.0, 0.1)


def pig_case(turns, total, tolerance):
    values = search_exact.pig(turns, total, pig.CAP)
    return Case(pig.INFO, pig.new_pig(turns, total), {int(np.argmax(values))}, max(values), tolerance)


def kuhn_case(mine, stage):
    values = search_exact.kuhn(mine, hidden.CALLS, hidden.BETS)[stage == hidden.LAST]
    return Case(hidden.KUHN_INFO, hidden.new_kuhn(mine, stage), {int(np.argmax(values))}, max(values), 0.08, 2.0)


def trio_case():
    gains = [search_exact.trio(trio.PAYS, choice)[0] for choice in range(3)]
    return Case(trio.INFO, trio.new_trio(), {int(np.argmax(gains))}, max(gains), 0.5)


CASES = {
    "tictactoe, empty board": tictactoe("........."),
    "tictactoe, only the centre draws": tictactoe("x........", "o"),
    "tictactoe, a fork wins": tictactoe("x...o...x", "o"),
    "tictactoe, win at once": tictactoe("xx.oo....", "x"),
    "nim 1 2 4": nim_case(1, 2, 4),
    "nim 2 2 1": nim_case(2, 2, 1),
    "pig, last turn, 18": pig_case(1, 18, 0.4),
    "pig, last turn, 22": pig_case(1, 22, 0.4),
    "pig, last turn from nothing": pig_case(1, 0, 1.5),
    "peek is cheap": Case(hidden.PEEK_INFO, hidden.new_peek(30), {hidden.PEEK}, 0.7, 0.05),
    "peek is dear": Case(hidden.PEEK_INFO, hidden.new_peek(90), {hidden.SAFE}, 0.25, 0.05),
    "kuhn, jack": kuhn_case(0, hidden.FIRST),
    "kuhn, queen": kuhn_case(1, hidden.FIRST),
    "kuhn, king": kuhn_case(2, hidden.FIRST),
    "kuhn, queen facing a bet": kuhn_case(1, hidden.LAST),
    "three players": trio_case(),
}
if not JIT:  # a thousand simulations cannot tell values apart that differ by two per cent
    del CASES["pig, last turn, 18"], CASES["kuhn, jack"], CASES["kuhn, king"]
