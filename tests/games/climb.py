"""Climb: one player adds one, two or three until he is past the top; what is over the top is lost. Provides everything
that a game may add, so that each of it can be seen at work."""

from typing import NamedTuple

import numpy as np

from bromeliad.core.game import (
    TERMINAL,
    GameInfo,
    apply,
    copy_into,
    estimate,
    is_critical,
    is_hopeless,
    leaf_value,
    legal_actions,
    outcome,
    phase,
    playout_action,
    score_actions,
    to_play,
)

TOP = 20
HEIGHT, KNOWN = 0, 1  # from KNOWN on, the game says that a position is worth 50
INFO = GameInfo(name="climb", players=1, max_actions=3, max_length=TOP, zero_sum=False)


class ClimbState(NamedTuple):
    data: np.ndarray


def new_climb(height=0, known=TOP):
    return ClimbState(np.array([height, known], np.int64))


@copy_into.register(ClimbState)
def _(target, source):
    target.data[0] = source.data[0]
    target.data[1] = source.data[1]


@to_play.register(ClimbState)
def _(state):
    return TERMINAL if state.data[HEIGHT] >= TOP else 0


@legal_actions.register(ClimbState)
def _(state, actions):
    for i in range(3):
        actions[i] = i + 1
    return 3


@apply.register(ClimbState)
def _(state, action):
    state.data[HEIGHT] += action


@outcome.register(ClimbState)
def _(state, player):
    return float(TOP - 10 * (state.data[HEIGHT] - TOP))


@playout_action.register(ClimbState)
def _(state, actions, rng):
    return np.int64(1)


@score_actions.register(ClimbState)
def _(state, actions, count, scores):
    for i in range(count):
        scores[i] = float(actions[i])


@leaf_value.register(ClimbState)
def _(state, values):
    if state.data[HEIGHT] < state.data[KNOWN]:
        return False
    values[0] = 50.0
    return True


@estimate.register(ClimbState)
def _(state, player):
    return 100.0 + state.data[HEIGHT]


@is_hopeless.register(ClimbState)
def _(state, action):
    return action == 3 and state.data[HEIGHT] < 10


@phase.register(ClimbState)
def _(state):
    return 0 if state.data[HEIGHT] < 5 else 2


@is_critical.register(ClimbState)
def _(state):
    return state.data[HEIGHT] == TOP - 1
