"""Shapes: the pattern that a stone on an empty cell makes in the line through it, for every possible line.

A line consists of five cells on either side of the empty cell, each empty, own or blocked (an opponent's stone or the
edge). :func:`line_table` gives the shape of each line, found by playing on: a move makes a four if a second move
can make five, an open three if a second move can make a four that one reply cannot stop, and so on. So the table is
correct for every definition of winning rows.

In caro the edge differs from an opponent's stone, so lines are numbered in base four with a digit for the edge.
"""

from enum import IntEnum
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bromeliad.games.gomoku.rules import GomokuRules

RADIUS = 5  # number of cells on either side that affect a shape
_EMPTY, _OWN, _OTHER, _EDGE = 0, 1, 2, 3

Flags = NDArray[np.bool_]
Counts = NDArray[np.int64]


class Shape(IntEnum):
    """The shape that a move makes in one direction, weakest first."""

    NONE = 0  # a five is impossible
    ONE = 1  # a first stone, with room for a five
    OPEN_ONE = 2  # can become an open two
    TWO = 3  # closed: can still become a four
    OPEN_TWO = 4  # there are one or two moves that make it an open three
    WIDE_TWO = 5  # there are three or more such moves
    THREE = 6  # closed: can become a four with one more move
    OPEN_THREE = 7  # there is one move that makes it an open four
    WIDE_THREE = 8  # there are two or more such moves
    FOUR = 9  # one reply stops it
    TWIN_FOUR = 10  # two fours in one line: forbidden to black in renju, otherwise an open four
    OPEN_FOUR = 11  # no reply stops it
    FIVE = 12  # wins
    OVERLINE = 13  # six or more that do not win


class _Lines:
    """All lines with a given number of edge cells on the left and on the right, numbered in base three."""

    def __init__(self, left: int, right: int, overline_wins: bool, rules: GomokuRules) -> None:
        self.length = 2 * RADIUS + 1 - left - right
        self.centre = RADIUS - left
        self.numbers = np.arange(3**self.length)
        self.cells = self.numbers[:, None] // 3 ** np.arange(self.length) % 3
        self._overline_wins = overline_wins
        self._open_end = rules.open_end

    def after(self, values: Any, cell: int, stone: int) -> tuple[Counts, Any]:
        """Return the lines in which a cell is empty, and the values of these lines with a stone there."""
        rows = np.flatnonzero(self.cells[:, cell] == _EMPTY)
        return rows, values[rows + stone * 3**cell]

    def count_moves(self, made: Flags) -> Counts:
        """Return the number of own moves after which ``made`` holds, for each line."""
        total = np.zeros(self.numbers.size, np.int64)
        for cell in range(self.length):
            rows, values = self.after(made, cell, _OWN)
            total[rows] += values
        return total

    def rows_of_five(self) -> tuple[Flags, Flags]:
        """Return in which lines the centre stone is part of a winning row, and of an overline that does not win."""
        total = (self.cells[:, self.centre] == _OWN).astype(np.int64)
        ends = []
        for step in (-1, 1):
            going = total > 0
            end = np.full(total.size, _EDGE)
            cell = self.centre + step
            while 0 <= cell < self.length and going.any():
                here = self.cells[:, cell]
                stopped = going & (here != _OWN)
                end[stopped] = here[stopped]
                going = going & (here == _OWN)
                total += going
                cell += step
            ends.append(end)
        five = total == 5
        if self._open_end:
            five &= ~((ends[0] == _OTHER) & (ends[1] == _OTHER))
        over = total > 5
        return (five | over, np.zeros_like(over)) if self._overline_wins else (five, over)

    def unstoppable(self, fours: Counts) -> Flags:
        """Return in which lines five can still be made after any reply, inside or outside the line."""
        safe = fours > 0
        for cell in range(self.length):
            rows, values = self.after(fours, cell, _OTHER)
            safe[rows] &= values > 0
        return safe

    def straight(self, five: Flags) -> Flags:
        """Return in which lines exactly two moves make five, and these are five cells apart."""
        able = np.zeros((self.numbers.size, self.length), bool)
        for cell in range(self.length):
            rows, values = self.after(five, cell, _OWN)
            able[rows, cell] = values
        pairs = (able[:, :-RADIUS] & able[:, RADIUS:]).any(axis=1)
        return np.asarray(pairs & (able.sum(axis=1) == 2))


def _classify(lines: _Lines, strict: bool) -> NDArray[np.int8]:
    """Return the shape of every line; ``strict`` distinguishes two fours in one line from an open four."""
    five, over = lines.rows_of_five()
    fours = lines.count_moves(five)
    four = (fours > 0) & ~five
    open_four = four & (lines.straight(five) if strict else lines.unstoppable(fours))
    threes = lines.count_moves(open_four)
    open_three = (threes > 0) & ~four & ~five
    twos = lines.count_moves(open_three)
    closed_three = lines.count_moves(four) > 0
    closed_two = lines.count_moves(closed_three) > 0
    shape = np.zeros(five.size, np.int8)
    for mask, name in (
        (lines.count_moves(closed_two) > 0, Shape.ONE),
        (lines.count_moves(twos > 0) > 0, Shape.OPEN_ONE),
        (closed_two, Shape.TWO),
        (twos > 0, Shape.OPEN_TWO),
        (twos > 2, Shape.WIDE_TWO),
        (closed_three, Shape.THREE),
        (open_three, Shape.OPEN_THREE),
        (threes > 1, Shape.WIDE_THREE),
        (four, Shape.FOUR),
        (four & (fours > 1) & strict, Shape.TWIN_FOUR),
        (open_four, Shape.OPEN_FOUR),
        (over, Shape.OVERLINE),
        (five, Shape.FIVE),
    ):
        shape[mask] = name
    return shape


def line_base(rules: GomokuRules) -> int:
    """Return the number of kinds of cells in a line under these rules."""
    return 4 if rules.open_end else 3


@lru_cache(maxsize=8)
def line_table(rules: GomokuRules, colour: int) -> NDArray[np.int8]:
    """Return the shape that a stone of ``colour`` makes in each line.

    The number of a line has a digit for each of the ten cells around the empty one, the lowest for the leftmost cell:
    0 empty, 1 own, 2 blocked; in caro 3 for the edge.
    """
    base = line_base(rules)
    strict = rules.forbidden and not rules.overline_wins[colour]
    table = np.zeros(base ** (2 * RADIUS), np.int8)
    edges = range(RADIUS + 1) if base == 4 else range(1)
    for left in edges:
        for right in edges:
            lines = _Lines(left, right, rules.overline_wins[colour], rules)
            shapes = _classify(lines, strict)
            kept = lines.cells[:, lines.centre] == _OWN
            table[_numbers(lines.cells[kept], lines.centre, left, right, base)] = shapes[kept]
    table.flags.writeable = False
    return table


def _numbers(cells: Counts, centre: int, left: int, right: int, base: int) -> Counts:
    """Return the numbers of lines, given their cells between the edges."""
    around = np.delete(cells, centre, axis=1)
    whole = np.full((cells.shape[0], 2 * RADIUS), _EDGE)
    whole[:, left : 2 * RADIUS - right] = around
    return whole @ base ** np.arange(2 * RADIUS)
