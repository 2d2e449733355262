"""Forbidden points: where black may not play in renju (two threes, two fours, an overline, unless it makes five)."""

import numpy as np

from bromeliad.core.jit import kernel
from bromeliad.games.gomoku.line_tables import STEPS, Tier
from bromeliad.games.gomoku.rules import BLACK
from bromeliad.games.gomoku.shapes import Shape
from bromeliad.games.gomoku.state import BOARD, EMPTY, RULE, RULE_FORBIDDEN, SIZE, GomokuState, code_at, put, tier_at

__all__ = ["is_forbidden"]

_STEP_ROWS = np.array([down for down, _ in STEPS])
_STEP_COLUMNS = np.array([right for _, right in STEPS])
_SPAN = 4  # cells to either side at which a three becomes a four
_FOUR, _TWIN, _STRAIGHT = int(Shape.FOUR), int(Shape.TWIN_FOUR), int(Shape.OPEN_FOUR)
_THREE, _WIDE, _OVER = int(Shape.OPEN_THREE), int(Shape.WIDE_THREE), int(Shape.OVERLINE)


@kernel
def is_forbidden(state: GomokuState, cell: int) -> bool:
    """Say whether the rules forbid black to play on an empty cell.

    A three counts only if black may play the move that makes it an open four, so the question is asked again there.
    """
    data = state.data
    if not data[RULE] & RULE_FORBIDDEN or tier_at(state, cell, BLACK) != Tier.SUSPECT:
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
            reach = state.tables.geometry[cell]
            step = _STEP_ROWS[direction] * data[SIZE] + _STEP_COLUMNS[direction]
            back = min(reach >> (8 * direction) & 15, _SPAN)
            ahead = min(reach >> (8 * direction + 4) & 15, _SPAN)
            for offset in range(-back, ahead + 1):
                other = cell + offset * step
                if data[BOARD + other] != EMPTY:
                    continue
                if code_at(data, other, BLACK) >> (4 * direction) & 15 == _STRAIGHT and not is_forbidden(state, other):
                    real += 1
                    break
    put(state, cell, 1, -1)
    return real > 1
