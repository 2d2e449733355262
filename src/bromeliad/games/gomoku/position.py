"""Positions from lists of stones, and a table that draws its board."""

from collections.abc import Iterable

from bromeliad.core.game import TERMINAL, to_play
from bromeliad.core.jit import int64
from bromeliad.core.table import Table
from bromeliad.errors import InputError, PositionError
from bromeliad.games.gomoku.game import Gomoku
from bromeliad.games.gomoku.moves import is_legal, pass_turn, play
from bromeliad.games.gomoku.notation import COLUMNS, cell_name, parse_cell, parse_stones
from bromeliad.games.gomoku.state import BOARD, MOVER, GomokuState

_STONES = "·●○#"  # empty, black, white, blocked


def play_cells(game: Gomoku, cells: Iterable[int]) -> GomokuState:
    """Return the state after these moves; raise PositionError if one is not legal or the game is already over."""
    state = game.new_state()
    for cell in cells:
        if to_play(state) == TERMINAL or not is_legal(state, int64(cell)):
            raise PositionError("{cell} is not a legal move", cell=cell_name(cell, game.size))
        play(state, int64(cell))
    return state


def read_position(game: Gomoku, text: str, side: int | None = None) -> GomokuState:
    """Read a position such as ``H8I9``, black first; ``side`` (1 or 2) overrides whose turn it is."""
    state = play_cells(game, parse_stones(text, game.size))
    if to_play(state) == TERMINAL:
        raise PositionError("the game is over")
    if side is not None and side - 1 != state.data[MOVER]:
        pass_turn(state)
    return state


class GomokuTable(Table[Gomoku]):
    """A game in progress, which may start from an opening; seat 0 is black."""

    def __init__(self, game: Gomoku, opening: Iterable[int] = ()) -> None:
        super().__init__(game)
        for cell in opening:
            self.play(cell)

    def read(self, text: str) -> int:
        """Return the cell of a typed move."""
        cell = parse_cell(text, self.game.size)
        if cell not in self.legal():
            raise InputError("{cell} cannot be played: it is taken or forbidden", cell=cell_name(cell, self.game.size))
        return cell

    def play_all(self, moves: str) -> None:
        """Play the stones of a position such as ``H8I9`` in turn."""
        for cell in parse_stones(moves, self.game.size):
            self.play(cell)

    def draw(self, seat: int | None) -> str:
        """Return the board as text for a terminal."""
        size = self.game.size
        rows = self.state.data[BOARD : BOARD + size * size].reshape(size, size).tolist()
        lines = [f"{size - row:>2} " + " ".join(_STONES[stone] for stone in line) for row, line in enumerate(rows)]
        return "\n".join([*lines, "   " + " ".join(COLUMNS[:size])])

    def won_by(self) -> str:
        """Return the kind of win."""
        return "five"

    @property
    def cells(self) -> list[int]:
        """The cells of the stones so far, in order of play."""
        return [parse_cell(name, self.game.size) for name in self.history]

    def transcript(self) -> str:
        """Return the stones so far in the notation of a position."""
        return "".join(self.history)
