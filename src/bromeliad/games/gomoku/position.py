"""Positions as people give them: a list of stones, read into a state."""

from collections.abc import Iterable

import numpy as np

from bromeliad.core.game import TERMINAL, to_play
from bromeliad.errors import PositionError
from bromeliad.games.gomoku.game import Gomoku
from bromeliad.games.gomoku.moves import is_legal, pass_turn, play
from bromeliad.games.gomoku.notation import cell_name, parse_stones
from bromeliad.games.gomoku.state import MOVER, GomokuState

__all__ = ["play_cells", "read_position"]


def play_cells(game: Gomoku, cells: Iterable[int]) -> GomokuState:
    """Return the state after these moves.

    Raises
    ------
    PositionError
        If one of them is not legal, or comes after the end.
    """
    state = game.new_state()
    for cell in cells:
        if to_play(state) == TERMINAL or not is_legal(state, np.int64(cell)):
            raise PositionError("{cell} cannot be played there", cell=cell_name(cell, game.size))
        play(state, np.int64(cell))
    return state


def read_position(game: Gomoku, text: str, side: int | None = None) -> GomokuState:
    """Read a position such as ``H8I9``: stones in turn, black first; ``side`` 1 or 2 says who moves if not by turns."""
    state = play_cells(game, parse_stones(text, game.size))
    if to_play(state) == TERMINAL:
        raise PositionError("the game is over")
    if side is not None and side - 1 != state.data[MOVER]:
        pass_turn(state)
    return state
