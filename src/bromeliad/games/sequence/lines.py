"""Counts the sequences that a chip completes, by the official rules or as the course framework does.

Officially, a line of five own chips is a sequence if at most one of them is part of an earlier one; corners count for
every team and are never used up. If a chip completes several lines, they are counted in the order of the board's table,
so six in a row are one sequence and nine are two.

The course framework counts differently, and this module reproduces it, including its errors:

* nine in a row are worth three: two for the nine and one for the first five of them;
* each direction through the new chip yields at most one more sequence;
* if a direction has an earlier sequence within four squares, a line may share one of its chips; but after such a
  direction has scored, later directions count only lines of five fresh chips. So a chip that completes two lines, each
  sharing a chip, scores only one of them.
"""

import numpy as np

import bromeliad.games.sequence.state as at
from bromeliad.core.jit import Ints, int64, kernel
from bromeliad.games.sequence.board import CELLS, LENGTH, STEPS, geometry
from bromeliad.games.sequence.rules import SIDE
from bromeliad.games.sequence.state import filled, is_chip, lock

_THROUGH, _CARDS = geometry.through, geometry.cards
_DOWN = np.array([down for down, _ in STEPS])
_RIGHT = np.array([right for _, right in STEPS])
_REACH = LENGTH - 1
_FULL = (1 << LENGTH) - 1
_NINE = (1 << (2 * LENGTH - 1)) - 1
_NONE = int64(-1)


@kernel(inline=True)
def _look(data: Ints, cell: int, team: int, direction: int) -> tuple[int, int]:
    """Return masks of nine squares in line, centred on a square: the team's fresh chips (or corners), and locked chips.

    The square itself counts as a fresh chip, whether or not the chip is there yet.
    """
    row, column = cell // SIDE, cell % SIDE
    fresh, used = 1 << _REACH, 0
    for i in range(-_REACH, _REACH + 1):
        down, right = row + i * _DOWN[direction], column + i * _RIGHT[direction]
        if i == 0 or not (0 <= down < SIDE and 0 <= right < SIDE):
            continue
        square = down * SIDE + right
        if is_chip(data, at.LOCKED, team, square):
            used |= 1 << (i + _REACH)
        elif _CARDS[square] < 0 or is_chip(data, at.CHIPS, team, square):
            fresh |= 1 << (i + _REACH)
    return fresh, used


@kernel(inline=True)
def _match(fresh: int, used: int, shared: int) -> int:
    """Return the start of a line of five whose only locked chip is at ``shared`` (-1: no locked chip), -1 if none."""
    wanted = _FULL if shared < 0 else _FULL ^ (1 << shared)
    other = 0 if shared < 0 else 1 << shared
    for start in range(LENGTH):
        if fresh >> start & _FULL == wanted and used >> start & _FULL == other:
            return start
    return -1


@kernel(inline=True)
def _mark(cell: int, direction: int, first: int, count: int, marks: tuple[int, int]) -> tuple[int, int]:
    """Add ``count`` squares from place ``first`` in a direction to two words of squares to lock; return the words."""
    low, high = marks
    for i in range(first - _REACH, first - _REACH + count):
        square = cell + i * (_DOWN[direction] * SIDE + _RIGHT[direction])
        if square < 64:
            low |= int64(1) << square
        else:
            high |= int64(1) << (square - 64)
    return low, high


@kernel(inline=False)
def _count_official(data: Ints, cell: int, team: int) -> tuple[int, tuple[int, int]]:
    """Return the number of sequences that a chip completes by the official rules, and the squares to lock."""
    found = 0
    marks = (int64(0), int64(0))
    for direction in range(4):
        fresh, used = _look(data, cell, team, direction)
        if found:  # the chip itself is now part of an earlier sequence
            used |= 1 << _REACH
        for start in range(LENGTH):
            shared = used >> start & _FULL
            if (fresh | used) >> start & _FULL == _FULL and shared & (shared - 1) == 0:
                found += 1
                used |= _FULL << start
                marks = _mark(cell, direction, start, LENGTH, marks)
    return found, marks


@kernel(inline=True)
def completes_heart(data: Ints, cell: int, team: int) -> bool:
    """Return whether a team holds the whole heart of the board once it has a chip on a square."""
    heart = data[at.HEART]
    own = data[at.CHIPS + 2 * team]
    if cell < 64:
        own |= int64(1) << cell
    return heart != 0 and own & heart == heart


@kernel(inline=False)
def _count_course(data: Ints, cell: int, team: int) -> tuple[int, tuple[int, int]]:
    """Return the number of sequences that a chip completes by the framework's count, and the squares to lock."""
    found = 0
    marks = (int64(0), int64(0))
    if completes_heart(data, cell, team):
        found += data[at.HEART_WORTH]
        marks = (data[at.HEART], int64(0))
    sharing = False
    for direction in range(4):
        fresh, used = _look(data, cell, team, direction)
        if fresh == _NINE:
            found += 2
            marks = _mark(cell, direction, 0, 2 * LENGTH - 1, marks)
        start = _match(fresh, used, _NONE)
        if start < 0 and used and not sharing:
            for back in range(LENGTH):
                start = _match(fresh, used, LENGTH - 1 - back)
                if start >= 0:
                    break
        if start >= 0:
            found += 1
            sharing = sharing or used != 0
            marks = _mark(cell, direction, start, LENGTH, marks)
    return found, marks


@kernel(inline=False)
def count_new(data: Ints, cell: int, team: int) -> tuple[int, tuple[int, int]]:
    """Return the number of sequences that a team's chip on a square completes, and two words of squares to lock."""
    if data[at.FLAGS] & at.FLAG_COURSE:
        return _count_course(data, cell, team)
    return _count_official(data, cell, team)


@kernel(inline=False)
def complete(data: Ints, cell: int, team: int) -> int:
    """Lock the chips of the sequences that a new chip completes; return their number."""
    any_line = completes_heart(data, cell, team)
    for i in range(_THROUGH[cell, 0]):
        if any_line:
            break
        any_line = filled(data[at.WINDOWS + _THROUGH[cell, 1 + i]], team) == LENGTH
    if not any_line:
        return int64(0)
    found, marks = count_new(data, cell, team)
    for square in range(CELLS):
        if marks[square >> 6] >> (square & 63) & 1:
            lock(data, square, team)
    return int64(found)
