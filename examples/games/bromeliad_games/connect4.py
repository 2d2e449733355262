"""Connect four on 7 columns and 6 rows, as two bitboards: for benchmarks, examples and tests.

A column takes seven bits, the seventh always empty, so that shifts never run from one column into the next.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.game import (
    TERMINAL,
    GameInfo,
    apply,
    copy_into,
    legal_actions,
    outcome,
    random_action,
    state_key,
    to_play,
    value_scale,
)
from bromeliad.core.jit import kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.core.rng import Rng, below
from bromeliad.errors import InputError
from bromeliad.search import warm

__all__ = ["ConnectFour", "ConnectFourState"]

COLUMNS, ROWS = 7, 6
MOVER, WINNER, MOVES = 2, 3, 4  # offsets 0 and 1 have the players' discs
_STRIDE = ROWS + 1


class ConnectFourState(NamedTuple):
    """Discs of each player, the mover, the winner (-1 for none yet), the number of moves."""

    data: NDArray[np.int64]


@kernel(inline=True)
def has_four(discs):
    """Return whether four discs are in a line."""
    for shift in (1, ROWS, ROWS + 1, ROWS + 2):
        pairs = discs & (discs >> shift)
        if pairs & (pairs >> (2 * shift)):
            return True
    return False


@kernel(inline=True)
def is_free(taken, column):
    """Return whether a column has room."""
    return (taken >> (column * _STRIDE + ROWS - 1)) & 1 == 0


@copy_into.register(ConnectFourState)
def _(target, source):
    for i in range(5):
        target.data[i] = source.data[i]


@to_play.register(ConnectFourState)
def _(state):
    data = state.data
    return TERMINAL if data[WINNER] >= 0 or data[MOVES] == COLUMNS * ROWS else data[MOVER]


@legal_actions.register(ConnectFourState)
def _(state, actions):
    taken = state.data[0] | state.data[1]
    count = 0
    for column in range(COLUMNS):
        if is_free(taken, column):
            actions[count] = column
            count += 1
    return count


@random_action.register(ConnectFourState)
def _(state, actions, rng):
    taken = state.data[0] | state.data[1]
    column = below(rng, COLUMNS)
    while not is_free(taken, column):
        column = below(rng, COLUMNS)
    return column


@apply.register(ConnectFourState)
def _(state, action):
    data = state.data
    mover = data[MOVER]
    taken = data[0] | data[1]
    column = np.int64((1 << ROWS) - 1) << (action * _STRIDE)
    data[mover] |= (taken + (np.int64(1) << (action * _STRIDE))) & column
    data[MOVES] += 1
    if has_four(data[mover]):
        data[WINNER] = mover
    data[MOVER] = 1 - mover


@outcome.register(ConnectFourState)
def _(state, player):
    winner = state.data[WINNER]
    if winner < 0:
        return 0.0
    return 1.0 if winner == player else -1.0


@kernel
def _hash(first, second):
    return (first + 1) * np.int64(0x9E3779B97F4A7C1) ^ second


@state_key.register(ConnectFourState)
def _(state):
    return _hash(state.data[0], state.data[1])


@value_scale.register(ConnectFourState)
def _(state):
    return 1.0


class ConnectFour:
    """Connect four as a registered game. Actions are columns, 0 to 6; people count from 1."""

    info = GameInfo(name="connect4", players=2, max_actions=COLUMNS, max_length=COLUMNS * ROWS, zero_sum=True)

    def new_state(self) -> ConnectFourState:
        """Return the empty board."""
        return ConnectFourState(np.array([0, 0, 0, -1, 0], np.int64))

    def random_state(self, rng: Rng) -> ConnectFourState:
        """Return a state from the middle of a random game."""
        state = self.new_state()
        actions = np.zeros(COLUMNS, np.int64)
        for _ in range(int(below(rng, 20))):
            apply(state, np.int64(random_action(state, actions, rng)))
            if to_play(state) == TERMINAL:
                return self.new_state()
        return state

    def draw(self, state: ConnectFourState) -> str:
        """Return the board as text for a terminal; the first player is x."""
        first, second = (int(state.data[player]) for player in (0, 1))
        cells = [[row + column * _STRIDE for column in range(COLUMNS)] for row in reversed(range(ROWS))]
        marks = [["x" if first >> at & 1 else "o" if second >> at & 1 else "." for at in row] for row in cells]
        return "\n".join(" ".join(line) for line in [*marks, "1234567"])

    def action_to_string(self, state: ConnectFourState, action: int) -> str:
        """Return the name of a column."""
        return str(action + 1)

    def action_from_string(self, state: ConnectFourState, text: str) -> int:
        """Read a column that has room."""
        taken = np.int64(state.data[0] | state.data[1])
        column = int(text) - 1 if text.strip() in set("1234567") else -1
        if column < 0 or to_play(state) == TERMINAL or not is_free(taken, column):
            raise InputError("{text!r} is not a column with room: write 1 to 7", text=text)
        return column


@warmup
def _warm() -> None:
    warm(ConnectFour.info, ConnectFour().new_state())
