"""Preallocated room for the pair matrix (see :mod:`.pairs`): kernels allocate nothing."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["WIDTH", "PairScratch", "pair_scratch"]

WIDTH = 48
"""Columns of the matrix: at least the 45 cards unseen from a nine-card board, rounded up for the vector loop."""


class PairScratch(NamedTuple):
    """Preallocated room for one thread."""

    cards: NDArray[np.int64]  # [WIDTH] the unseen cards
    value: NDArray[np.float64]  # [WIDTH, WIDTH] the matrix, symmetric
    counts: NDArray[np.int64]  # [WIDTH, WIDTH] packed counts of the same entries
    sums: NDArray[np.float64]  # [WIDTH] sum of best replies over the draws that contain a card
    count_sums: NDArray[np.int64]  # [WIDTH] likewise of packed counts
    strength: NDArray[np.int64]  # [2, WIDTH] strength of the two open rows with each card
    pay: NDArray[np.float64]  # [2, WIDTH] their pay


def pair_scratch() -> PairScratch:
    """Return the scratch room of one thread."""
    square = (WIDTH, WIDTH)
    return PairScratch(
        np.zeros(WIDTH, np.int64),
        np.zeros(square),
        np.zeros(square, np.int64),
        np.zeros(WIDTH),
        np.zeros(WIDTH, np.int64),
        np.zeros((2, WIDTH), np.int64),
        np.zeros((2, WIDTH)),
    )
