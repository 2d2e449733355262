"""The board: the cards of the squares and the 192 lines of five squares, as tables for the kernels."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE, RANKS, SUITS
from bromeliad.games.sequence.rules import BOARD, SIDE

CELLS = SIDE * SIDE
LENGTH = 5  # squares of a sequence
STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))  # down, right and both diagonals: the order in which lines are checked
_NAMES = BOARD.split()
_CARD = {rank.lower() + suit: 13 * s + r for s, suit in enumerate(SUITS) for r, rank in enumerate(RANKS)}

CARD_OF = tuple(_CARD.get(name, -1) for name in _NAMES)
"""The card of every square, -1 for a corner."""
CORNERS = tuple(cell for cell, card in enumerate(CARD_OF) if card < 0)
SQUARES = tuple(tuple(cell for cell in range(CELLS) if CARD_OF[cell] == card) for card in range(DECK_SIZE))
"""The two squares of every card, none for jacks."""
TWO_EYED = (_CARD["jc"], _CARD["jd"])
ONE_EYED = (_CARD["jh"], _CARD["js"])
IS_TWO_EYED = sum(1 << card for card in TWO_EYED)  # as masks of cards
IS_ONE_EYED = sum(1 << card for card in ONE_EYED)


def _lines() -> list[tuple[int, ...]]:
    found = []
    for down, right in STEPS:
        for row in range(SIDE):
            for column in range(SIDE):
                last = row + (LENGTH - 1) * down, column + (LENGTH - 1) * right
                if all(0 <= place < SIDE for place in last):
                    found.append(tuple((row + i * down) * SIDE + column + i * right for i in range(LENGTH)))
    return found


LINES = tuple(_lines())
"""Every line of five squares."""


class Geometry(NamedTuple):
    """Read-only tables of the board, shared by all states."""

    squares: NDArray[np.int64]  # [card, 2], -1 for jacks
    cards: NDArray[np.int64]  # [cell], -1 for corners
    lines: NDArray[np.int64]  # [line, 5]: the squares of every line
    through: NDArray[np.int64]  # [cell, 21]: the number of lines through a square, then the lines


def _build() -> Geometry:
    through = np.full((CELLS, 4 * LENGTH + 1), -1, np.int64)
    for cell in range(CELLS):
        crossing = [number for number, line in enumerate(LINES) if cell in line]
        through[cell, 0] = len(crossing)
        through[cell, 1 : 1 + len(crossing)] = crossing
    squares = np.array([pair or (-1, -1) for pair in SQUARES], np.int64)
    made = Geometry(squares, np.array(CARD_OF, np.int64), np.array(LINES, np.int64), through)
    for table in made:
        table.flags.writeable = False
    return made


geometry = _build()
"""The tables of the board."""
