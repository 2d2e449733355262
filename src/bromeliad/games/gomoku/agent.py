"""``MCTSAgent``: the founding document's agent, on the common search.

Its numbers are kept where they hold: at most ten candidates in the tree, five in playouts, a hundred playout moves, the
move by visits. Two things are not the document's by default: priors come from the learned model, and a leaf is valued
by it instead of being played out. :func:`seed_agent` has all of the document's own; ``bromeliad bench gomoku``
plays the two ways against each other.
"""

import numpy as np

from bromeliad.core.game import clone
from bromeliad.errors import InputError
from bromeliad.games.gomoku.core import Cell, GomokuCore
from bromeliad.games.gomoku.model import seed_model
from bromeliad.games.gomoku.nodes import MCTSNode
from bromeliad.games.gomoku.notation import cell_name
from bromeliad.games.gomoku.player import search_params
from bromeliad.search.engine import Engine
from bromeliad.search.params import SearchParams

__all__ = ["MAX_CANDIDATES", "MAX_PLAYOUT_MOVES", "SHOWN_MOVES", "MCTSAgent", "seed_agent"]

MAX_CANDIDATES = 10
MAX_PLAYOUT_MOVES = 100
SHOWN_MOVES = 10


class MCTSAgent:
    """Chooses moves by Monte Carlo tree search with PUCT.

    Parameters
    ----------
    game
        The game it plays.
    num_simulations
        Simulations of a search.
    c_puct
        How much it explores.
    playout_moves
        Moves that a leaf is played out before it is valued; by default none, the founding document has a hundred.
    seed
        Of all randomness: the same seed gives the same moves.
    """

    def __init__(
        self,
        game: GomokuCore,
        num_simulations: int = 1000,
        c_puct: float = 1.0,
        *,
        playout_moves: int = 0,
        seed: int = 1,
    ) -> None:
        self.game_core = game
        self.num_simulations = num_simulations
        self.c_puct = c_puct
        self._params: SearchParams = search_params(
            simulations=num_simulations,
            puct_c=float(c_puct),
            candidates=MAX_CANDIDATES,
            playout_depth=playout_moves,
            memory_mb=64.0,
            seed=seed,
        )
        self._engine: Engine | None = None
        self.root: MCTSNode | None = None

    def get_best_move(self, game: GomokuCore | None = None) -> Cell:
        """Search, and return the most visited move.

        Raises
        ------
        InputError
            If the game is over.
        """
        core = game or self.game_core
        if core.game_over:
            raise InputError("the game is over")
        self._search(core)
        ranked = self._ranked()
        assert ranked[0].move is not None
        return ranked[0].move

    def get_move_probabilities(self) -> dict[Cell, float]:
        """Return each move's share of the visits of the last search (of a new one, if there was none)."""
        total = sum(node.visit_count for node in self._ranked())
        return {node.move: node.visit_count / total for node in self._ranked() if node.move is not None}

    def get_move_values(self) -> dict[Cell, float]:
        """Return the mean value of each move that was visited, from -1 (lost) to 1 (won)."""
        visited = (node for node in self._ranked() if node.visit_count)
        return {node.move: node.value_sum / node.visit_count for node in visited if node.move is not None}

    def print_tree_info(self) -> None:
        """Print the ten most visited moves with their statistics."""
        print(f"{'move':<6}{'visits':>9}{'value':>9}{'prior':>8}")
        for node in self._ranked()[:SHOWN_MOVES]:
            assert node.move is not None
            row, column = node.move
            name = cell_name(row * self.game_core.board_size + column, self.game_core.board_size)
            mean = node.value_sum / max(node.visit_count, 1)
            print(f"{name:<6}{node.visit_count:>9}{mean:>9.3f}{node.prior:>8.3f}")

    def _search(self, core: GomokuCore) -> None:
        if self._engine is None:
            self._engine = Engine(core.game.info, core.state, self._params)
        self._engine.begin(clone(core.state), self._params)
        self._engine.run(self.num_simulations, np.zeros(1, np.int64))
        self.root = MCTSNode(self._engine, core.copy())

    def _ranked(self) -> list[MCTSNode]:
        """Return the root's children, most visited first."""
        if self.root is None:
            self._search(self.game_core)
        assert self.root is not None
        return sorted(self.root.children.values(), key=lambda node: -node.visit_count)


def seed_agent(
    board_size: int = 15, num_simulations: int = 1000, c_puct: float = 1.0, seed: int = 1
) -> tuple[GomokuCore, MCTSAgent]:
    """Return a game and an agent with all of the founding document's numbers, its playouts and priors included."""
    game = GomokuCore(board_size, model=seed_model())
    return game, MCTSAgent(game, num_simulations, c_puct, playout_moves=MAX_PLAYOUT_MOVES, seed=seed)
