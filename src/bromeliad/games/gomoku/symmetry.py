"""The eight symmetries of the board, and the one key that positions share which they turn into each other."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bromeliad.games.gomoku.state import BOARD, MOVER, SIZE, GomokuState

__all__ = ["SYMMETRIES", "canonical_key", "images", "symmetric_cell"]

SYMMETRIES = 8


@lru_cache(maxsize=16)
def images(size: int) -> NDArray[np.int64]:
    """Return where each symmetry (a row) takes each cell; the first leaves all where they are."""
    cells = np.arange(size * size).reshape(size, size)
    grids = [np.rot90(grid, turns) for grid in (cells, cells.T) for turns in range(4)]
    table = np.empty((SYMMETRIES, size * size), np.int64)
    for row, grid in zip(table, grids, strict=True):
        row[grid.ravel()] = cells.ravel()
    table.flags.writeable = False
    return table


def symmetric_cell(cell: int, size: int, symmetry: int) -> int:
    """Return where a symmetry takes a cell."""
    return int(images(size)[symmetry, cell])


def canonical_key(state: GomokuState) -> int:
    """Return a key that is the same for all eight images of a position, and differs for all else."""
    size = int(state.data[SIZE])
    cells = size * size
    board = state.data[BOARD : BOARD + cells]
    words = state.tables.geometry[cells : 3 * cells].reshape(2, cells)
    keys = []
    for image in images(size):
        black, white = (words[colour, image[board == colour + 1]] for colour in range(2))
        keys.append(int(np.bitwise_xor.reduce(np.concatenate([black, white, [0]]))))
    return min(keys) ^ int(state.data[MOVER])
