"""A game to play move by move, an agent that searches it, and the agent's tree as objects.

The agent tries ten candidates per position and chooses by visits. By default priors come from the learned model, which
also values a leaf without playing it out. :func:`seed_agent` has hand-made priors and playouts of at most a hundred
moves among five candidates instead; ``bromeliad bench gomoku`` plays the two against each other.
"""

from bromeliad.games.gomoku.agent.core import Cell, GomokuCore
from bromeliad.games.gomoku.agent.mcts import (
    MAX_CANDIDATES,
    MAX_PLAYOUT_MOVES,
    SHOWN_MOVES,
    MCTSAgent,
    MCTSNode,
    Network,
    seed_agent,
)

__all__ = [
    "MAX_CANDIDATES",
    "MAX_PLAYOUT_MOVES",
    "SHOWN_MOVES",
    "Cell",
    "GomokuCore",
    "MCTSAgent",
    "MCTSNode",
    "Network",
    "seed_agent",
]
