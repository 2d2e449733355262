"""Tic-tac-toe: the smallest game with a known answer, for benchmarks, examples and tests."""

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
from bromeliad.core.kernel_cache import warmup
from bromeliad.core.rng import Rng, below
from bromeliad.errors import InputError
from bromeliad.search import warm

__all__ = ["TicTacToe", "TicTacToeState"]

MOVER, WINNER = 2, 3  # offsets 0 and 1 have the players' squares as 9-bit masks
_FULL = 511
_LINES = (7, 56, 448, 73, 146, 292, 273, 84)
_HAS_LINE = np.array([any(squares & line == line for line in _LINES) for squares in range(512)])
_FREE = [[square for square in range(9) if not taken >> square & 1] for taken in range(512)]
_FREE_COUNT = np.array([len(squares) for squares in _FREE], np.int8)
_FREE_SQUARES = np.array([squares + [0] * (9 - len(squares)) for squares in _FREE], np.int8)


class TicTacToeState(NamedTuple):
    """Squares of each player, the mover, the winner (-1 for none yet)."""

    data: NDArray[np.int64]


@copy_into.register(TicTacToeState)
def _(target, source):
    for i in range(4):
        target.data[i] = source.data[i]


@to_play.register(TicTacToeState)
def _(state):
    data = state.data
    return TERMINAL if data[WINNER] >= 0 or data[0] | data[1] == _FULL else data[MOVER]


@legal_actions.register(TicTacToeState)
def _(state, actions):
    taken = state.data[0] | state.data[1]
    for i in range(_FREE_COUNT[taken]):
        actions[i] = _FREE_SQUARES[taken, i]
    return np.int64(_FREE_COUNT[taken])


@random_action.register(TicTacToeState)
def _(state, actions, rng):
    taken = state.data[0] | state.data[1]
    return np.int64(_FREE_SQUARES[taken, below(rng, _FREE_COUNT[taken])])


@apply.register(TicTacToeState)
def _(state, action):
    data = state.data
    mover = data[MOVER]
    mine = data[mover] | (np.int64(1) << action)
    data[mover] = mine
    if _HAS_LINE[mine]:
        data[WINNER] = mover
    data[MOVER] = 1 - mover


@outcome.register(TicTacToeState)
def _(state, player):
    winner = state.data[WINNER]
    if winner < 0:
        return 0.0
    return 1.0 if winner == player else -1.0


@state_key.register(TicTacToeState)
def _(state):
    return np.int64(1) + state.data[0] + (state.data[1] << 9)


@value_scale.register(TicTacToeState)
def _(state):
    return 1.0


class TicTacToe:
    """Tic-tac-toe as a registered game. Squares are numbered 0 to 8, row by row."""

    info = GameInfo(name="tictactoe", players=2, max_actions=9, max_length=9, zero_sum=True)

    def new_state(self) -> TicTacToeState:
        """Return the empty board."""
        return TicTacToeState(np.array([0, 0, 0, -1], np.int64))

    def random_state(self, rng: Rng) -> TicTacToeState:
        """Return a state from the middle of a random game."""
        state = self.new_state()
        actions = np.zeros(9, np.int64)
        for _ in range(int(below(rng, 5))):
            apply(state, actions[below(rng, legal_actions(state, actions))])
            if to_play(state) == TERMINAL:
                return self.new_state()
        return state

    def draw(self, state: TicTacToeState) -> str:
        """Return the board as text for a terminal; the first player is x."""
        marks = ["x" if state.data[0] >> i & 1 else "o" if state.data[1] >> i & 1 else "." for i in range(9)]
        return "\n".join([*(f"{row + 1} {' '.join(marks[3 * row : 3 * row + 3])}" for row in range(3)), "  a b c"])

    def action_to_string(self, state: TicTacToeState, action: int) -> str:
        """Return the name of a square, its column and row: ``a1`` is the first, ``c3`` the last."""
        return "abc"[action % 3] + "123"[action // 3]

    def action_from_string(self, state: TicTacToeState, text: str) -> int:
        """Read an empty square."""
        squares = {self.action_to_string(state, action): action for action in range(9)}
        square = squares.get(text.strip().lower())
        over = to_play(state) == TERMINAL
        if square is None or over or (int(state.data[0] | state.data[1]) >> square) & 1:
            raise InputError("{text!r} is not a free square: write a column a-c and a row 1-3", text=text)
        return square


@warmup
def _warm() -> None:
    warm(TicTacToe.info, TicTacToe().new_state())
