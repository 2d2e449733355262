"""The tables of a state: geometry of the board, shapes of lines, and values of points."""

from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.games.gomoku.model import DIRECTIONS, UNIT, Model, kind_of_code
from bromeliad.games.gomoku.rules import GomokuRules
from bromeliad.games.gomoku.shapes import RADIUS, Shape, line_base, line_table

STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""One step in each direction, as rows and columns."""
_POINT_COLUMNS = 8


class Tier(IntEnum):
    """How urgent a move is by the shapes it makes; each empty cell is in one tier per side."""

    FIVE = 0  # wins at once
    WIN = 1  # makes an open four or two fours
    FOUR = 2  # makes one four
    THREE = 3  # makes at least one open three
    QUIET = 4
    SUSPECT = 5  # only for black in renju: the move may be forbidden


class Point(IntEnum):
    """Columns of the point table."""

    TIER = 0
    VALUE_OWN = 1  # value of the mover's shapes to the mover, in units
    VALUE_OTHER = 2  # value of the opponent's shapes to the opponent, in units
    PRIOR_OWN = 3  # score of a move for the mover's shapes
    PRIOR_OTHER = 4  # score of a move for the opponent's shapes
    MAKES_FOUR = 5  # 1 if the move makes a four or better in some direction


class Tables(NamedTuple):
    """The read-only tables of a game."""

    lines: NDArray[np.int8]  # shapes of lines, for black and then for white
    points: NDArray[np.int32]  # a row of _POINT_COLUMNS per code of four shapes, for black and then for white
    geometry: NDArray[np.int64]  # margins, hash words of black's and white's stones, place values, lines of cells


def _tier_of_code(strict: bool) -> NDArray[np.int32]:
    """Return the tier of each code of four shapes; ``strict`` for black in renju."""
    codes = np.arange(1 << 4 * DIRECTIONS)
    shapes = codes[:, None] >> 4 * np.arange(DIRECTIONS) & 15

    def count(*wanted: Shape) -> NDArray[np.int64]:
        return np.asarray(np.isin(shapes, wanted).sum(axis=1))

    single, twin, straight = count(Shape.FOUR), count(Shape.TWIN_FOUR), count(Shape.OPEN_FOUR)
    threes = count(Shape.OPEN_THREE, Shape.WIDE_THREE)
    tier = np.full(codes.size, Tier.QUIET, np.int32)
    tier[threes > 0] = Tier.THREE
    tier[single > 0] = Tier.FOUR
    tier[(straight > 0) | (single + 2 * twin > 1)] = Tier.WIN
    if strict:
        crowded = (single + 2 * twin + straight > 1) | (threes > 1) | (count(Shape.OVERLINE) > 0)
        tier[crowded] = Tier.SUSPECT
    tier[count(Shape.FIVE) > 0] = Tier.FIVE
    return tier


def _point_table(rules: GomokuRules, model: Model) -> NDArray[np.int32]:
    kinds = kind_of_code()
    table = np.zeros((2, kinds.size, _POINT_COLUMNS), np.int32)
    shapes = np.arange(kinds.size)[:, None] >> 4 * np.arange(DIRECTIONS) & 15
    fours = np.isin(shapes, (Shape.FOUR, Shape.TWIN_FOUR, Shape.OPEN_FOUR, Shape.FIVE)).any(axis=1)
    for colour in range(2):
        table[colour, :, Point.TIER] = _tier_of_code(rules.forbidden and not rules.overline_wins[colour])
        table[colour, :, Point.MAKES_FOUR] = fours
        for column, worth in (
            (Point.VALUE_OWN, model.values[:, 0]),
            (Point.VALUE_OTHER, model.values[:, 1]),
            (Point.PRIOR_OWN, model.priors[:, 0]),
            (Point.PRIOR_OTHER, model.priors[:, 1]),
        ):
            table[colour, :, column] = np.rint(worth[kinds] * UNIT)
    return table.reshape(-1, _POINT_COLUMNS)


def _geometry(size: int, rules: GomokuRules) -> NDArray[np.int64]:
    """Return the geometry of a board: margins, hash words, place values of line digits, lines of cells.

    The margins of a cell are its distances to the edge, at most RADIUS: four bits for each end of each
    direction. The lines of a cell are the numbers of its row, column and diagonals, in eight bits each.
    """
    cells = size * size
    margins = np.zeros(cells, np.int64)
    lines = np.zeros(cells, np.int64)
    for cell in range(cells):
        row, column = divmod(cell, size)
        falling, rising = 2 * size + row - column + size - 1, 4 * size - 1 + row + column
        lines[cell] = row | (size + column) << 8 | falling << 16 | rising << 24
        for i, (down, right) in enumerate(STEPS):
            for j, sign in enumerate((-1, 1)):
                steps = min(_steps_to_edge(row, sign * down, size), _steps_to_edge(column, sign * right, size), RADIUS)
                margins[cell] |= steps << 4 * (2 * i + j)
    words = np.random.default_rng(20_260_101).integers(-(2**62), 2**62, 2 * cells)
    digits = line_base(rules) ** np.arange(2 * RADIUS)
    return np.concatenate([margins, words, digits, lines]).astype(np.int64)


def _steps_to_edge(at: int, step: int, size: int) -> int:
    """Return the number of steps from a row or column to the edge."""
    return at if step < 0 else size - 1 - at if step > 0 else size


@lru_cache(maxsize=16)
def _fixed(size: int, rules: GomokuRules) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    return np.concatenate([line_table(rules, colour) for colour in range(2)]), _geometry(size, rules)


def build_tables(size: int, rules: GomokuRules, model: Model) -> Tables:
    """Return the tables of a board size, a rule set and a model."""
    lines, geometry = _fixed(size, rules)
    tables = Tables(lines, _point_table(rules, model), geometry)
    for table in tables:
        table.flags.writeable = False
    return tables
