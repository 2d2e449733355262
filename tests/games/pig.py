"""Pig for one: in each of a few turns, roll and add up, or hold; a one loses what the turn has added up.

One player, chance, and values that are points.
"""

from typing import NamedTuple

import numpy as np

from bromeliad.core.game import (
    CHANCE,
    TERMINAL,
    GameInfo,
    apply,
    copy_into,
    estimate,
    legal_actions,
    outcome,
    sample_chance,
    to_play,
    upper_bound,
)
from bromeliad.core.rng import below

TURNS = 2
CAP = 24  # a turn that has added up so much is held
HOLD, ROLL = 0, 1
LEFT, TURN, SCORE, ROLLING = 0, 1, 2, 3
INFO = GameInfo(name="pig", players=1, max_actions=2, max_length=2 * TURNS * CAP, zero_sum=False)


class PigState(NamedTuple):
    data: np.ndarray


def new_pig(left=TURNS, turn=0):
    return PigState(np.array([left, turn, 0, 0], np.int64))


@copy_into.register(PigState)
def _(target, source):
    for i in range(4):
        target.data[i] = source.data[i]


@to_play.register(PigState)
def _(state):
    if state.data[LEFT] == 0:
        return TERMINAL
    return CHANCE if state.data[ROLLING] else 0


@legal_actions.register(PigState)
def _(state, actions):
    actions[0] = HOLD
    actions[1] = ROLL
    return 1 if state.data[TURN] >= CAP else 2


@apply.register(PigState)
def _(state, action):
    data = state.data
    if not data[ROLLING]:
        data[ROLLING] = action
        if action == HOLD:
            data[SCORE] += data[TURN]
            data[TURN] = 0
            data[LEFT] -= 1
        return
    data[ROLLING] = 0
    data[TURN] += action
    if action == 1:
        data[TURN] = 0
        data[LEFT] -= 1


@sample_chance.register(PigState)
def _(state, rng):
    return 1 + below(rng, 6)


@outcome.register(PigState)
def _(state, player):
    return float(state.data[SCORE])


@estimate.register(PigState)
def _(state, player):
    return float(state.data[SCORE] + state.data[TURN])


@upper_bound.register(PigState)
def _(state, player):
    return float(state.data[SCORE] + state.data[LEFT] * (CAP + 6))
