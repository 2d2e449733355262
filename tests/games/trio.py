"""Trio: three players choose one of three numbers each, in turn; a table pays each of them. Nobody's gain is a loss."""

from typing import NamedTuple

import numpy as np

from bromeliad.core.game import TERMINAL, GameInfo, apply, copy_into, legal_actions, outcome, score_actions, to_play

CHOICES = 3
MOVES = 3
INFO = GameInfo(name="trio", players=3, max_actions=CHOICES, max_length=3, zero_sum=False)
PAYS = np.random.Generator(np.random.PCG64(11)).integers(-10, 11, (CHOICES, CHOICES, CHOICES, 3))


class TrioState(NamedTuple):
    data: np.ndarray  # the choices, then how many were made


def new_trio():
    return TrioState(np.zeros(4, np.int64))


@copy_into.register(TrioState)
def _(target, source):
    for i in range(4):
        target.data[i] = source.data[i]


@to_play.register(TrioState)
def _(state):
    return TERMINAL if state.data[MOVES] == 3 else state.data[MOVES]


@legal_actions.register(TrioState)
def _(state, actions):
    for choice in range(CHOICES):
        actions[choice] = choice
    return CHOICES


@score_actions.register(TrioState)
def _(state, actions, count, scores):
    for i in range(count):
        scores[i] = -0.1 * actions[i]


@apply.register(TrioState)
def _(state, action):
    state.data[state.data[MOVES]] = action
    state.data[MOVES] += 1


@outcome.register(TrioState)
def _(state, player):
    return float(PAYS[state.data[0], state.data[1], state.data[2], player])
