"""Kernels that check, play and undo moves."""

import bromeliad.games.gomoku.state as at
from bromeliad.core.jit import int64, kernel
from bromeliad.games.gomoku.line_tables import Tier
from bromeliad.games.gomoku.rules import BLACK
from bromeliad.games.gomoku.shapes import Shape
from bromeliad.games.gomoku.state import (
    GomokuState,
    code_at,
    count_tier,
    makes_row,
    put,
    put_plain,
    step_along,
    tier_at,
)

TURN = int64(0x2545F4914F6CDD1D)  # XORed into the key when the mover changes
_SPAN = 4  # maximum distance of the cell that turns a three into a four
_FOUR, _TWIN, _STRAIGHT = int(Shape.FOUR), int(Shape.TWIN_FOUR), int(Shape.OPEN_FOUR)
_THREE, _WIDE, _OVER = int(Shape.OPEN_THREE), int(Shape.WIDE_THREE), int(Shape.OVERLINE)


@kernel
def is_forbidden(state: GomokuState, cell: int) -> bool:
    """Return whether renju forbids an empty cell to black: two threes, two fours or an overline, unless it makes five.

    A three counts only if black may play the move that makes it an open four, so the function is recursive.
    """
    data = state.data
    if not data[at.RULE] & at.RULE_FORBIDDEN or tier_at(state, cell, BLACK) != Tier.SUSPECT:
        return False
    code = code_at(data, cell, BLACK)
    fours = 0
    threes = 0
    for direction in range(4):
        shape = code >> (4 * direction) & 15
        if shape == _OVER:
            return True
        fours += int(shape == _FOUR) + int(shape == _STRAIGHT) + 2 * int(shape == _TWIN)
        threes += int(shape in (_THREE, _WIDE))
    if fours > 1 or threes < 2:
        return fours > 1
    put(state, cell, 1, 1)
    real = 0
    for direction in range(4):
        shape = code >> (4 * direction) & 15
        if shape in (_THREE, _WIDE):
            margins = state.tables.geometry[cell]
            step = step_along(data, direction)
            back = min(margins >> (8 * direction) & 15, _SPAN)
            ahead = min(margins >> (8 * direction + 4) & 15, _SPAN)
            for offset in range(-back, ahead + 1):
                other = cell + offset * step
                if data[at.BOARD + other] != at.EMPTY:
                    continue
                if code_at(data, other, BLACK) >> (4 * direction) & 15 == _STRAIGHT and not is_forbidden(state, other):
                    real += 1
                    break
    put(state, cell, 1, -1)
    return real > 1


@kernel
def is_legal(state: GomokuState, cell: int) -> bool:
    """Return whether the mover may play on a cell."""
    data = state.data
    return data[at.BOARD + cell] == at.EMPTY and not (data[at.MOVER] == BLACK and is_forbidden(state, cell))


@kernel
def _is_stuck(state: GomokuState) -> bool:
    """Return whether black, to move, has only forbidden cells left."""
    data = state.data
    cells = data[at.SIZE] * data[at.SIZE]
    if count_tier(data, BLACK, Tier.SUSPECT) < cells - data[at.STONES]:
        return False
    free = 0
    for cell in range(cells):
        free += int(is_legal(state, int64(cell)))
    return free == 0


@kernel(inline=True)
def play_plain(state: GomokuState, cell: int, mover: int) -> None:
    """Play the mover's stone in a state without patterns."""
    data = state.data
    closed = data[at.RULE] & at.RULE_OPEN_END and not makes_row(state, cell, mover)
    rows = put_plain(data, state.tables.geometry, cell, mover)
    data[at.MOVER] = 1 - mover
    data[at.KEY] ^= TURN
    if rows != 0 and not closed:
        data[at.WINNER] = mover


@kernel
def play(state: GomokuState, cell: int) -> None:
    """Play the mover's stone on a legal cell."""
    data = state.data
    mover = data[at.MOVER]
    if data[at.PATTERNS] == 0:
        play_plain(state, cell, mover)
        return
    wins = tier_at(state, cell, mover) == Tier.FIVE
    put(state, cell, mover + 1, 1)
    data[at.MOVER] = 1 - mover
    data[at.KEY] ^= TURN
    if wins:
        data[at.WINNER] = mover
    elif data[at.RULE] & at.RULE_FORBIDDEN and mover != BLACK and _is_stuck(state):
        data[at.WINNER] = at.DRAWN


@kernel
def undo(state: GomokuState, cell: int) -> None:
    """Take back the last stone; the array is restored exactly."""
    data = state.data
    mover = 1 - data[at.MOVER]
    data[at.MOVER] = mover
    data[at.KEY] ^= TURN
    data[at.WINNER] = at.NOBODY
    put(state, cell, mover + 1, -1)


@kernel
def pass_turn(state: GomokuState) -> None:
    """Let the mover pass. A second call undoes the first."""
    state.data[at.MOVER] = 1 - state.data[at.MOVER]
    state.data[at.KEY] ^= TURN
