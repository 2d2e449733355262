"""Simulation: what a leaf is worth, by the rules, by the game's evaluation, or by playing on."""

from bromeliad.core.game import (
    CHANCE,
    TERMINAL,
    State,
    apply,
    estimate,
    leaf_value,
    outcome,
    playout_action,
    random_action,
    sample_chance,
    to_play,
)
from bromeliad.core.jit import Floats, int64, kernel
from bromeliad.core.rng import uniform
from bromeliad.search.settings import Scratch, Settings

__all__ = ["play_out"]


@kernel(inline=True, internal=True)
def play_out(state: State, values: Floats, scratch: Scratch, settings: Settings) -> bool:
    """Play on until the value is known, and write it for each player; return whether it was known without a move.

    Each move is uniformly random with probability ``settings.random_share``, else by the game's own playout policy.
    """
    moves = 0
    at_once = True
    while True:
        mover = to_play(state)
        if mover == TERMINAL:
            for player in range(settings.players):
                values[player] = outcome(state, player)
            return False
        if leaf_value(state, values):
            return at_once
        at_once = False
        if mover == CHANCE:
            action = int64(sample_chance(state, scratch.rng))
        elif moves >= settings.playout_depth:
            for player in range(settings.players):
                values[player] = estimate(state, player)
            return False
        else:
            moves += 1
            if settings.random_share < 1.0 and uniform(scratch.rng) >= settings.random_share:
                action = int64(playout_action(state, scratch.actions, scratch.rng))
            else:
                action = int64(random_action(state, scratch.actions, scratch.rng))
        apply(state, action)
