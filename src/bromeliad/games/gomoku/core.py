"""``GomokuCore``: a game in progress. Cells are (row, column) pairs from the top left."""

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.game import TERMINAL, clone, to_play
from bromeliad.errors import InputError
from bromeliad.games.gomoku.game import NEAR, Gomoku
from bromeliad.games.gomoku.line_tables import Point
from bromeliad.games.gomoku.model import UNIT, Model
from bromeliad.games.gomoku.moves import is_legal, play, undo
from bromeliad.games.gomoku.state import BOARD, MOVER, WINNER, codes_of

Cell = tuple[int, int]


class GomokuCore:
    """A game of Gomoku in progress.

    Parameters
    ----------
    board_size
        Number of rows and columns.
    rule
        ``freestyle``, ``exact``, ``renju`` or ``caro``.
    model
        Values of shapes; by default the model that ships with the program.

    Examples
    --------
    >>> game = GomokuCore(board_size=15)
    >>> game.place_stone(7, 7)
    True
    """

    def __init__(self, board_size: int = 15, rule: str = "freestyle", model: Model | None = None) -> None:
        self.game = Gomoku(board_size, rule, model)
        self.state = self.game.new_state()
        self.history: list[int] = []

    def __deepcopy__(self, memo: object) -> "GomokuCore":
        return self.copy()

    def copy(self) -> "GomokuCore":
        """Return an independent copy, which shares the rules and tables."""
        other = object.__new__(GomokuCore)
        other.game, other.history, other.state = self.game, list(self.history), clone(self.state)
        return other

    @property
    def board_size(self) -> int:
        """Number of rows and columns."""
        return self.game.size

    @property
    def board(self) -> NDArray[np.int64]:
        """A copy of the board: 0 empty, 1 black, 2 white."""
        cells = self.state.data[BOARD : BOARD + self.board_size**2]
        return cells.reshape(self.board_size, -1).copy()

    @property
    def current_player(self) -> int:
        """The player to move: 1 black, 2 white."""
        return int(self.state.data[MOVER]) + 1

    @property
    def game_over(self) -> bool:
        """Whether a player has won or no move is left."""
        return bool(to_play(self.state) == TERMINAL)

    @property
    def winner(self) -> int:
        """The winner: 1 black, 2 white, 0 for none (yet)."""
        winner = int(self.state.data[WINNER])
        return winner + 1 if winner in (0, 1) else 0

    def place_stone(self, row: int, column: int) -> bool:
        """Play the mover's stone; return whether that was possible."""
        size = self.board_size
        if self.game_over or not (0 <= row < size and 0 <= column < size):
            return False
        cell = row * size + column
        if not is_legal(self.state, cell):
            return False
        play(self.state, cell)
        self.history.append(cell)
        return True

    def undo(self) -> Cell:
        """Take back the last stone; return its cell."""
        if not self.history:
            raise InputError("there is no stone to take back")
        cell = self.history.pop()
        undo(self.state, cell)
        return divmod(cell, self.board_size)

    def recommand_positions(self, limit: int | None = None) -> list[Cell]:
        """Return the cells worth playing, best first by the model's score, then by distance from the stones' centre.

        These are the legal cells near a stone (on an empty board, the centre and the cells around it), without those
        that share the lowest score.
        """
        cells = [] if self.game_over else np.flatnonzero(self.board.ravel() == 0).tolist()
        legal = [cell for cell in cells if is_legal(self.state, cell)]
        near = self._is_near()
        legal = [cell for cell in legal if near[cell]] or legal
        scores, distance = self.move_scores(), self._distances()
        least = min((scores[cell] for cell in legal), default=0.0)
        lively = [cell for cell in legal if scores[cell] > least] or legal
        order = sorted(lively, key=lambda cell: (-scores[cell], distance[cell], cell))
        return [divmod(cell, self.board_size) for cell in order[:limit]]

    recommend_positions = recommand_positions

    def move_scores(self) -> NDArray[np.float64]:
        """Return the model's score of each cell for the mover, row by row."""
        codes, mover = codes_of(self.state), int(self.state.data[MOVER])
        own, other = (codes >> 16 * side & 0xFFFF for side in (mover, 1 - mover))
        points = self.state.tables.points
        return np.asarray((points[own, Point.PRIOR_OWN].astype(np.int64) + points[other, Point.PRIOR_OTHER]) / UNIT)

    def _is_near(self) -> NDArray[np.bool_]:
        """Return for each cell whether it is near a stone or, on an empty board, at or next to the centre."""
        size = self.board_size
        cells = np.indices((size, size)).reshape(2, -1)
        stones, distance = (self.history, NEAR) if self.history else ([size // 2 * (size + 1)], 1)
        return np.asarray((abs(cells[:, :, None] - cells[:, None, stones]).max(0) <= distance).any(1))

    def _distances(self) -> NDArray[np.float64]:
        """Return each cell's squared distance from the centre of gravity of the stones (or of an empty board)."""
        rows, columns = np.indices((self.board_size, self.board_size)).reshape(2, -1)
        stones = np.array(self.history) if self.history else np.arange(self.board_size**2)
        down, right = rows - rows[stones].mean(), columns - columns[stones].mean()
        return np.asarray(down**2 + right**2)
