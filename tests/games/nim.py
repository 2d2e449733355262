"""Nim: take any number from one pile; who takes the last wins. Two players, the winner known by exclusive or."""

from typing import NamedTuple

import numpy as np

from bromeliad.core.game import (
    TERMINAL,
    GameInfo,
    apply,
    copy_into,
    legal_actions,
    outcome,
    state_key,
    to_play,
    value_scale,
)

PILES = 3
WIDTH = 8  # more than the largest pile
MOVER = PILES
INFO = GameInfo(name="nim", players=2, max_actions=PILES * WIDTH, max_length=PILES * WIDTH, zero_sum=True)


class NimState(NamedTuple):
    data: np.ndarray  # the piles, then the mover


def new_nim(*piles):
    return NimState(np.array([*piles, 0], np.int64))


@copy_into.register(NimState)
def _(target, source):
    for i in range(PILES + 1):
        target.data[i] = source.data[i]


@to_play.register(NimState)
def _(state):
    left = 0
    for pile in range(PILES):
        left += state.data[pile]
    return TERMINAL if left == 0 else state.data[MOVER]


@legal_actions.register(NimState)
def _(state, actions):
    count = 0
    for pile in range(PILES):
        for taken in range(1, state.data[pile] + 1):
            actions[count] = pile * WIDTH + taken
            count += 1
    return count


@apply.register(NimState)
def _(state, action):
    state.data[action // WIDTH] -= action % WIDTH
    state.data[MOVER] = 1 - state.data[MOVER]


@outcome.register(NimState)
def _(state, player):
    return -1.0 if state.data[MOVER] == player else 1.0


@state_key.register(NimState)
def _(state):
    key = np.int64(1) + state.data[MOVER]
    for pile in range(PILES):
        key = key * WIDTH + state.data[pile]
    return key


@value_scale.register(NimState)
def _(state):
    return 1.0
