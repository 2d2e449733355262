"""Tiers and forbidden points compared with a plain-Python oracle, and stones that are taken back."""

import numpy as np
import pytest

from bromeliad.core.jit import JIT
from bromeliad.games.gomoku.game import Gomoku
from bromeliad.games.gomoku.line_tables import Tier
from bromeliad.games.gomoku.model import plain_model
from bromeliad.games.gomoku.moves import is_forbidden
from bromeliad.games.gomoku.notation import parse_cell
from bromeliad.games.gomoku.rules import RULES
from bromeliad.games.gomoku.state import BOARD, count_tier, makes_row, next_in_tier, put, tier_at
from oracles.gomoku import DIRECTIONS, Board

pytestmark = pytest.mark.kernel
SEEDS = range(8 if JIT else 2)
SIZES = (7, 9, 11, 15) if JIT else (7,)


def random_board(rule, seed):
    """Return a game, a state and the oracle's board with the same random stones, none of them in a winning row."""
    rng = np.random.default_rng(seed)
    size = int(rng.choice(SIZES))
    game, board, placed = Gomoku(size, rule, plain_model()), Board(size, rule), []
    state = game.new_state()
    for cell in rng.permutation(size * size)[: int(size * size * rng.choice([0.2, 0.35, 0.5]))].tolist():
        colour = int(rng.random() < 0.4)
        board.put(divmod(cell, size), "XO"[colour])
        if board.wins(divmod(cell, size)):
            board.put(divmod(cell, size), ".")
            continue
        put(state, cell, colour + 1, 1)
        placed.append((cell, colour))
    return game, state, board, placed


def expected_tier(board, cell, colour):
    board.put(cell, "XO"[colour])
    try:
        if board.wins(cell):
            return Tier.FIVE
        fours = [bool(board.completions(cell, way)) and not board.wins(cell, way) for way in DIRECTIONS]
        threes = [board.makes_open_three(cell, way) for way in DIRECTIONS]
        over = any(board.row_through(cell, way)[0] > 5 for way in DIRECTIONS)
        if board.rule == "renju" and colour == 0 and (over or board.fours(cell) > 1 or sum(threes) > 1):
            return Tier.SUSPECT
        if sum(fours) > 1 or any(board.is_open_four(cell, way) for way in DIRECTIONS):
            return Tier.WIN
        return Tier.FOUR if any(fours) else Tier.THREE if any(threes) else Tier.QUIET
    finally:
        board.put(cell, ".")


@pytest.mark.parametrize("rule", RULES)
def test_tiers_and_forbidden_points_follow_the_rules(rule):
    seen = set()
    for seed in SEEDS:
        game, state, board, _ = random_board(rule, seed)
        for cell in board.empties():
            number = cell[0] * game.size + cell[1]
            for colour in range(2):
                tier = expected_tier(board, cell, colour)
                assert tier_at(state, number, colour) == tier, (rule, seed, cell, colour)
                assert makes_row(state, number, colour) == (tier == Tier.FIVE)
                seen.add(tier)
            assert is_forbidden(state, number) == board.is_forbidden(cell)
    assert seen >= {Tier.FIVE, Tier.FOUR, Tier.THREE, Tier.QUIET}


@pytest.mark.parametrize("rule", RULES)
def test_tier_sets_hold_exactly_their_cells_and_undo_restores_everything(rule):
    for seed in SEEDS:
        game, state, _, placed = random_board(rule, seed)
        for colour in range(2):
            for tier in Tier:
                cells, cell = [], int(next_in_tier(state.data, colour, tier, 0))
                while cell >= 0:
                    cells.append(cell)
                    cell = int(next_in_tier(state.data, colour, tier, cell + 1))
                free = [i for i in range(game.size**2) if state.data[BOARD + i] == 0]
                assert cells == [i for i in free if tier_at(state, i, colour) == tier]
                assert len(cells) == count_tier(state.data, colour, tier)
        np.random.default_rng(seed).shuffle(placed)
        for cell, colour in placed:
            put(state, cell, colour + 1, -1)
        assert np.array_equal(state.data, game.new_state().data)


FORBIDDEN = [
    (("G8", "I8", "H7", "H9"), "H8", True),  # two open threes
    (("E8", "F8", "G8", "H5", "H6", "H7"), "H8", True),  # two fours
    (("C8", "D8", "E8", "F8", "G8"), "H8", True),  # six in a row
    (("D8", "E8", "F8", "G8", "H7", "H9", "I7", "G9"), "H8", False),  # a five is never forbidden
    (("G8", "I8"), "H8", False),  # one open three
]


@pytest.mark.parametrize(("black", "cell", "forbidden"), FORBIDDEN)
def test_textbook_forbidden_points(black, cell, forbidden):
    game = Gomoku(15, "renju", plain_model())
    state = game.new_state()
    for name in black:
        put(state, parse_cell(name, 15), 1, 1)
    assert is_forbidden(state, parse_cell(cell, 15)) == forbidden
