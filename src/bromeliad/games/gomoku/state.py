"""The state of a game of Gomoku: one int64 array with the shapes of both sides at every empty cell.

A stone changes the lines of at most forty cells around it. For each of them, the stone's digit is added to the number
of the line and the new shape is looked up. If the shape has changed, the cell's tier and the sums that give the
position's value are updated. Undoing a move does the same with the opposite sign, so it restores the state exactly.

Without patterns (``PATTERNS`` is 0) the state has only the stones, as bits of the lines through them. Random playouts
are then much faster.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.jit import Ints, int64, kernel
from bromeliad.games.gomoku.line_tables import STEPS, Point, Tables, Tier, build_tables
from bromeliad.games.gomoku.model import UNIT, Model
from bromeliad.games.gomoku.rules import BLACK, WHITE, GomokuRules
from bromeliad.games.gomoku.shapes import RADIUS

# Places in the array. The game:
SIZE = 0  # rows and columns
MOVER = 1
WINNER = 2  # a player, NOBODY or DRAWN
STONES = 3  # cells that are not empty
KEY = 4  # Zobrist key of stones and mover
# Constant during a game:
PATTERNS = 5  # 1 if the state has shapes
RULE = 6  # the bits below
THREAT_NODES = 7  # maximum number of moves that a leaf tries to find a forced win
TEMPO = 8  # of the model, in units
SIGMOID = 9  # of the model: how scores become priors
ROOT = 10  # number of stones at the root, where BANNED applies; -1 for never
BANNED = 16  # seven words: cells that the search skips at the root
BOARD = 32  # one place per cell: EMPTY, 1 for black, 2 for white, BLOCKED

RULE_OVERLINE = 1  # shifted by the colour: six or more win
RULE_FORBIDDEN = 4
RULE_OPEN_END = 8
NOBODY, DRAWN = -1, 2
EMPTY, BLOCKED = 0, 3
WORDS = 7  # 64-bit words with a bit for every cell

# Places of the patterns, after the board:
SUMS = 0  # two per colour: value of its shapes if it is to move, and if the opponent is
_COUNTS = 4  # number of cells in each tier, per colour
_BITS = 16  # the cells in each tier, per colour: WORDS each
_CODES = 100  # one per cell: black's four shapes and then white's, four bits each; then four line numbers per cell
_TIERS = len(Tier)
_STEP_ROWS = np.array([down for down, _ in STEPS])
_STEP_COLUMNS = np.array([right for _, right in STEPS])
_SALT = int64(0x5851F42D4C957F2D)
_LOW = int64(0xFFFFFFFF)


class GomokuState(NamedTuple):
    """A position, and the tables that all positions of the board, rules and model share."""

    data: NDArray[np.int64]
    tables: Tables


@kernel(inline=True)
def pattern_base(data: Ints) -> int:
    """Return where the patterns begin in the array."""
    return BOARD + data[SIZE] * data[SIZE]


@kernel(inline=True)
def step_along(data: Ints, direction: int) -> int:
    """Return the difference between neighbouring cells in a direction."""
    return _STEP_ROWS[direction] * data[SIZE] + _STEP_COLUMNS[direction]


@kernel(inline=True)
def count_tier(data: Ints, colour: int, tier: int) -> int:
    """Return the number of empty cells in a tier for a colour."""
    return data[pattern_base(data) + _COUNTS + _TIERS * colour + tier]


@kernel(inline=True)
def code_at(data: Ints, cell: int, colour: int) -> int:
    """Return the code of the four shapes that a colour would make at an empty cell."""
    return data[pattern_base(data) + _CODES + cell] >> (16 * colour) & 0xFFFF


@kernel(inline=True)
def tier_at(state: GomokuState, cell: int, colour: int) -> int:
    """Return the tier of an empty cell for a colour."""
    return int64(state.tables.points[(colour << 16) + code_at(state.data, cell, colour), Point.TIER])


@kernel(inline=True)
def lowest_bit(word: int) -> int:
    """Return the index of the lowest set bit of a nonzero word."""
    index = 0
    for width in (32, 16, 8, 4, 2, 1):
        if word & ((int64(1) << width) - 1) == 0:
            word >>= width
            index += width
    return index


@kernel(inline=True)
def next_in_tier(data: Ints, colour: int, tier: int, start: int) -> int:
    """Return the first cell from ``start`` on that is in a tier for a colour, -1 if there is none."""
    words = pattern_base(data) + _BITS + (_TIERS * colour + tier) * WORDS
    cells = data[SIZE] * data[SIZE]
    if start >= cells:
        return int64(-1)
    index = start >> 6
    word = data[words + index] & (int64(-1) << (start & 63))
    while word == 0:
        index += 1
        if index << 6 >= cells:
            return int64(-1)
        word = data[words + index]
    return int64((index << 6) + lowest_bit(word))


@kernel(inline=True)
def _count_cell(data: Ints, points: NDArray[np.int32], base: int, cell: int, colour: int, code: int, sign: int) -> None:
    """Add an empty cell to the sums and the tier of its code (``sign`` 1), or remove it (-1)."""
    row = (colour << 16) + code
    place = _TIERS * colour + points[row, Point.TIER]
    data[base + SUMS + 2 * colour] += sign * points[row, Point.VALUE_OWN]
    data[base + SUMS + 2 * colour + 1] += sign * points[row, Point.VALUE_OTHER]
    data[base + _COUNTS + place] += sign
    data[base + _BITS + place * WORDS + (cell >> 6)] ^= int64(1) << (cell & 63)


@kernel(inline=True)
def _recount_cell(data: Ints, points: NDArray[np.int32], base: int, cell: int, before: int, after: int) -> None:
    """Update sums and tiers after a change of the pair of codes of an empty cell."""
    for colour in range(2):
        old = before >> (16 * colour) & 0xFFFF
        new = after >> (16 * colour) & 0xFFFF
        if old != new:
            _count_cell(data, points, base, cell, colour, old, -1)
            _count_cell(data, points, base, cell, colour, new, 1)


@kernel(inline=True)
def _shapes(lines: NDArray[np.int8], number: int, direction: int) -> int:
    """Return both colours' shapes of a line, shifted to the place of its direction in a pair of codes."""
    black = int64(lines[number & _LOW])
    white = int64(lines[(lines.size >> 1) + (number >> 32)])
    return (black | white << 16) << (4 * direction)


@kernel
def _read_cell(data: Ints, tables: Tables, cell: int) -> int:
    """Compute the pair of codes of a cell from the numbers of its lines."""
    base = pattern_base(data)
    numbers = base + _CODES + data[SIZE] * data[SIZE] + 4 * cell
    codes = int64(0)
    for direction in range(4):
        codes |= _shapes(tables.lines, data[numbers + direction], direction)
    return codes


@kernel(inline=True)
def _flip(data: Ints, words: Ints, cell: int, value: int) -> None:
    """Add a stone to the four lines through its cell, or remove it, in a state without patterns."""
    if value == BLOCKED:
        return
    size = data[SIZE]
    lines = words[3 * size * size + 2 * RADIUS + cell]
    base = pattern_base(data) + (value - 1) * (6 * size - 2)
    column = lines >> 8 & 255
    for direction in range(4):
        place = lines & 255 if direction == 1 else column - size
        data[base + (lines >> (8 * direction) & 255)] ^= int64(1) << place


@kernel(inline=True)
def put_plain(data: Ints, words: Ints, cell: int, colour: int) -> int:
    """Put a stone on a cell in a state without patterns; return winning rows (in caro, also closed ones) as bits."""
    size = data[SIZE]
    cells = size * size
    data[np.uint64(BOARD + cell)] = colour + 1
    data[STONES] += 1
    data[KEY] ^= words[np.uint64(cells * (colour + 1) + cell)]
    lines = words[np.uint64(3 * cells + 2 * RADIUS + cell)]
    base = BOARD + cells + colour * (6 * size - 2)
    bit = int64(1) << ((lines >> 8 & 255) - size)
    exact = int64(0) if data[RULE] & (RULE_OVERLINE << colour) else int64(-1)
    rows = int64(0)
    for direction in range(4):
        place = np.uint64(base + (lines >> (8 * direction) & 255))  # unsigned: no check for negative indices
        line = data[place] | (int64(1) << (lines & 255) if direction == 1 else bit)
        data[place] = line
        pairs = line & line >> 1
        rows |= pairs & pairs >> 2 & line >> 4 & ~((line << 1 | line >> 5) & exact)
    return rows


@kernel
def put(state: GomokuState, cell: int, value: int, sign: int) -> None:
    """Put a stone (``value`` 1, 2 or BLOCKED) on a cell (``sign`` 1) or remove it (-1); the mover stays the same."""
    data = state.data
    tables = state.tables
    size = data[SIZE]
    cells = size * size
    words = tables.geometry
    data[BOARD + cell] = value if sign > 0 else EMPTY
    data[STONES] += sign
    if value != BLOCKED:
        data[KEY] ^= words[cells * value + cell]
    if data[PATTERNS] == 0:
        _flip(data, words, cell, value)
        return
    base = pattern_base(data)
    codes = base + _CODES
    numbers = codes + cells
    if sign > 0:
        _count_cell(data, tables.points, base, cell, 0, data[codes + cell] & 0xFFFF, -1)
        _count_cell(data, tables.points, base, cell, 1, data[codes + cell] >> 16, -1)
        data[codes + cell] = 0
    one = int64(value == 1) + 2 * int64(value != 1)  # the digit from black's view, then from white's
    two = int64(value == 2) + 2 * int64(value != 2)
    digits = sign * (one | two << 32)
    margins = words[cell]
    for direction in range(4):
        step = step_along(data, direction)
        back = margins >> (8 * direction) & 15
        ahead = margins >> (8 * direction + 4) & 15
        other = cell - back * step
        mask = ~(int64(0xF000F) << (4 * direction))
        for offset in range(-back, ahead + 1):
            if offset != 0:
                digit = RADIUS - offset - (1 if offset < 0 else 0)  # place of the stone, seen from the other cell
                number = data[numbers + 4 * other + direction] + digits * words[3 * cells + digit]
                data[numbers + 4 * other + direction] = number
                if data[BOARD + other] == EMPTY:
                    before = data[codes + other]
                    after = before & mask | _shapes(tables.lines, number, direction)
                    if before != after:
                        data[codes + other] = after
                        _recount_cell(data, tables.points, base, other, before, after)
            other += step
    if sign < 0:
        after = _read_cell(data, tables, cell)
        data[codes + cell] = after
        _count_cell(data, tables.points, base, cell, 0, after & 0xFFFF, 1)
        _count_cell(data, tables.points, base, cell, 1, after >> 16, 1)


@kernel
def makes_row(state: GomokuState, cell: int, colour: int) -> bool:
    """Return whether a stone of ``colour`` on a cell would complete a winning row; patterns are not needed."""
    data = state.data
    own = colour + 1
    margins = state.tables.geometry[cell]
    for direction in range(4):
        step = step_along(data, direction)
        back = margins >> (8 * direction) & 15
        ahead = margins >> (8 * direction + 4) & 15
        left = int64(0)
        while left < back and data[BOARD + cell - (left + 1) * step] == own:
            left += 1
        right = int64(0)
        while right < ahead and data[BOARD + cell + (right + 1) * step] == own:
            right += 1
        total = left + right + 1
        if total > 5 and data[RULE] & (RULE_OVERLINE << colour):
            return True
        if total == 5:
            closed = (
                data[RULE] & RULE_OPEN_END
                and left < back
                and right < ahead
                and data[BOARD + cell - (left + 1) * step] == 2 - colour
                and data[BOARD + cell + (right + 1) * step] == 2 - colour
            )
            if not closed:
                return True
    return False


@kernel
def _open_cells(data: Ints, tables: Tables) -> None:
    """Initialise the patterns of an empty board, where lines contain only the edge."""
    size = data[SIZE]
    cells = size * size
    base = pattern_base(data)
    edge = 3 if data[RULE] & RULE_OPEN_END else 2
    for cell in range(cells):
        margins = tables.geometry[cell]
        for direction in range(4):
            number = int64(0)
            for side in range(2):
                margin = margins >> (8 * direction + 4 * side) & 15
                for distance in range(margin + 1, RADIUS + 1):
                    digit = RADIUS - distance if side == 0 else RADIUS + distance - 1
                    number += edge * tables.geometry[3 * cells + digit]
            data[base + _CODES + cells + 4 * cell + direction] = number | number << 32
        codes = _read_cell(data, tables, int64(cell))
        data[base + _CODES + cell] = codes
        _count_cell(data, tables.points, base, cell, 0, codes & 0xFFFF, 1)
        _count_cell(data, tables.points, base, cell, 1, codes >> 16, 1)


def codes_of(state: GomokuState) -> NDArray[np.int64]:
    """Return the pairs of codes of all cells; those of cells with a stone are meaningless."""
    start = int(pattern_base(state.data)) + _CODES
    return state.data[start : start + int(state.data[SIZE]) ** 2]


def new_state(size: int, rules: GomokuRules, model: Model, patterns: bool = True) -> GomokuState:
    """Return the empty board."""
    tables = build_tables(size, rules, model)
    cells = size * size
    data = np.zeros(BOARD + cells + (_CODES + 5 * cells if patterns else 12 * size - 4), np.int64)
    data[SIZE], data[WINNER], data[ROOT], data[PATTERNS] = size, NOBODY, -1, patterns
    data[KEY] = _SALT
    data[TEMPO], data[SIGMOID] = round(model.tempo * UNIT), model.sigmoid
    for colour in (BLACK, WHITE):
        data[RULE] |= rules.overline_wins[colour] * (RULE_OVERLINE << colour)
    data[RULE] |= rules.forbidden * RULE_FORBIDDEN + rules.open_end * RULE_OPEN_END
    if patterns:
        _open_cells(data, tables)
    return GomokuState(data, tables)
