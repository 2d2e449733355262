"""Playing and taking back: the moves that the rules allow, as kernels."""

from bromeliad.core.jit import int64, kernel
from bromeliad.games.gomoku.forbidden import is_forbidden
from bromeliad.games.gomoku.line_tables import Tier
from bromeliad.games.gomoku.rules import BLACK
from bromeliad.games.gomoku.state import (
    BOARD,
    DRAWN,
    EMPTY,
    KEY,
    MOVER,
    NOBODY,
    PATTERNS,
    RULE,
    RULE_FORBIDDEN,
    RULE_OPEN_END,
    SIZE,
    STONES,
    WINNER,
    GomokuState,
    count_tier,
    makes_row,
    put,
    put_plain,
    tier_at,
)

__all__ = ["is_legal", "pass_turn", "play", "play_plain", "undo"]

_TURN = int64(0x2545F4914F6CDD1D)  # what a change of the mover does to the key


@kernel
def is_legal(state: GomokuState, cell: int) -> bool:
    """Say whether the mover may play on a cell."""
    data = state.data
    return data[BOARD + cell] == EMPTY and not (data[MOVER] == BLACK and is_forbidden(state, cell))


@kernel
def _is_stuck(state: GomokuState) -> bool:
    """Say whether black, to move, has no cell that is not forbidden."""
    data = state.data
    cells = data[SIZE] * data[SIZE]
    if count_tier(data, BLACK, Tier.SUSPECT) < cells - data[STONES]:
        return False
    free = 0
    for cell in range(cells):
        free += int(is_legal(state, int64(cell)))
    return free == 0


@kernel(inline=True)
def play_plain(state: GomokuState, cell: int, mover: int) -> None:
    """Play where patterns are not kept."""
    data = state.data
    closed = data[RULE] & RULE_OPEN_END and not makes_row(state, cell, mover)
    rows = put_plain(data, state.tables.geometry, cell, mover)
    data[MOVER] = 1 - mover
    data[KEY] ^= _TURN
    if rows != 0 and not closed:
        data[WINNER] = mover


@kernel
def play(state: GomokuState, cell: int) -> None:
    """Play the mover's stone on a legal cell."""
    data = state.data
    mover = data[MOVER]
    if data[PATTERNS] == 0:
        play_plain(state, cell, mover)
        return
    wins = tier_at(state, cell, mover) == Tier.FIVE
    put(state, cell, mover + 1, 1)
    data[MOVER] = 1 - mover
    data[KEY] ^= _TURN
    if wins:
        data[WINNER] = mover
    elif data[RULE] & RULE_FORBIDDEN and mover != BLACK and _is_stuck(state):
        data[WINNER] = DRAWN


@kernel
def undo(state: GomokuState, cell: int) -> None:
    """Take the last stone back; the array is then what it was before."""
    data = state.data
    mover = 1 - data[MOVER]
    data[MOVER] = mover
    data[KEY] ^= _TURN
    data[WINNER] = NOBODY
    put(state, cell, mover + 1, -1)


@kernel
def pass_turn(state: GomokuState) -> None:
    """Let the mover pass: to ask what the opponent threatens. Passing again takes it back."""
    state.data[MOVER] = 1 - state.data[MOVER]
    state.data[KEY] ^= _TURN
