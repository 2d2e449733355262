"""Simulation: the value of a leaf, from the rules, the game's evaluation, or a playout."""

from bromeliad.core import game
from bromeliad.core.game import State
from bromeliad.core.jit import Floats, int64, kernel
from bromeliad.core.rng import uniform
from bromeliad.search.settings import Scratch, Settings


@kernel(inline=True, internal=True)
def play_out(state: State, values: Floats, scratch: Scratch, settings: Settings) -> bool:
    """Play until the value is known or estimated, and write it for each player.

    Return whether ``leaf_value`` knew it before any move. Each move is uniformly random with probability
    ``settings.random_share``, otherwise chosen by the playout policy.
    """
    moves = 0
    at_once = True
    while True:
        mover = game.to_play(state)
        if mover == game.TERMINAL:
            for player in range(settings.players):
                values[player] = game.outcome(state, player)
            return False
        if game.leaf_value(state, values):
            return at_once
        at_once = False
        if mover == game.CHANCE:
            action = int64(game.sample_chance(state, scratch.rng))
        elif moves >= settings.playout_depth:
            for player in range(settings.players):
                values[player] = game.estimate(state, player)
            return False
        else:
            moves += 1
            if settings.random_share < 1.0 and uniform(scratch.rng) >= settings.random_share:
                action = int64(game.playout_action(state, scratch.actions, scratch.rng))
            else:
                action = int64(game.random_action(state, scratch.actions, scratch.rng))
        game.apply(state, action)
