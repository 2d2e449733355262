"""The scratch of the pair matrix (see :mod:`.pairs`), preallocated because kernels allocate nothing."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

WIDTH = 48
"""Columns of the matrix: at least the 45 cards unseen from a nine-card board, rounded up for the vector loop."""

# Rows of PairScratch.real after the matrix of values.
SUMS = WIDTH  # sum of best replies over the draws that contain a card
PAY = WIDTH + 1  # two rows: pay of the two open rows with each card
# Rows of PairScratch.whole after the matrix of packed counts.
COUNT_SUMS = WIDTH  # sum of packed counts over the draws that contain a card
CARDS = WIDTH + 1  # the unseen cards
STRENGTH = WIDTH + 2  # two rows: strength of the two open rows with each card
ALIKE = WIDTH + 2  # two rows, if there are no strengths: the first and the second card that is alike
SAVED = WIDTH + 4  # a copy of a state's array, to undo a trial
# Two rows of both: boards with a known exact mean, the last one and one to keep (whole), and these means (real).
KNOWN = WIDTH + 5
# Three rows of both for each card put in the top, middle or back row: the row's state (whole) and own value (real) with
# it; then three rows for the row's classes (whole) and its value together with the row above or below (real); then, in
# whole, the live cards that pair the top row with the card, in real, the value of the middle with the top row.
WITH = KNOWN + 2
CLASSES = WITH + 3
PAIRING = CLASSES + 3


class PairScratch(NamedTuple):
    """The scratch of one thread, in two arrays because kernels take few arrays faster."""

    real: NDArray[np.float64]  # [i, j] value of the pair, symmetric; then SUMS, PAY, KNOWN, WITH and CLASSES
    whole: NDArray[np.int64]  # [i, j] packed counts of the pair; then the other rows


def pair_scratch() -> PairScratch:
    """Return the scratch of one thread."""
    return PairScratch(np.zeros((PAIRING + 1, WIDTH)), np.zeros((PAIRING + 1, WIDTH), np.int64))
