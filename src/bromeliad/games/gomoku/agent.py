"""``MCTSAgent`` searches a :class:`GomokuCore`; ``MCTSNode`` shows the tree of its last search as objects.

The agent tries ten candidates per position and plays the most visited one. By default the learned model gives
the priors and the values of leaves, without playouts. :func:`seed_agent` uses hand-made priors and playouts of up to a
hundred moves among five candidates instead; ``bromeliad bench gomoku`` compares the two approaches.
"""

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.game import TERMINAL, State, clone, estimate, is_hopeless, leaf_value, outcome, to_play
from bromeliad.core.jit import kernel
from bromeliad.errors import InputError
from bromeliad.games.gomoku.core import Cell, GomokuCore
from bromeliad.games.gomoku.game import PLAYOUT_CANDIDATES
from bromeliad.games.gomoku.model import seed_model
from bromeliad.games.gomoku.notation import cell_name
from bromeliad.games.gomoku.player import allow_only, search_params
from bromeliad.games.gomoku.state import MOVER
from bromeliad.search.engine import Engine
from bromeliad.search.expansion import expand, list_candidates
from bromeliad.search.policies import Policy, add_visits
from bromeliad.search.settings import Scratch, Settings, pack
from bromeliad.search.tree import ACTION, COUNT, FIRST, FLAG, LEAF, OPEN, PRIOR, VALUE, VISITS, Tree

MAX_CANDIDATES = 10
MAX_PLAYOUT_MOVES = 100
SHOWN_MOVES = 10


class Network(Protocol):
    """The interface of a user's neural network."""

    def predict(self, game_state: GomokuCore, move: Cell) -> float:
        """Return the prior probability of a move."""

    def evaluate_batch(self, game_state: GomokuCore, candidates: list[Cell]) -> Sequence[float] | NDArray[np.float64]:
        """Return a score for each move; playouts play the move with the highest."""

    def evaluate_final(self, game_state: GomokuCore) -> float:
        """Return the value of an unfinished game to the player to move, from -1 to 1."""


@kernel
def _expand(state: State, tree: Tree, node: int, scratch: Scratch, settings: Settings) -> None:
    """Give a leaf its children."""
    expand(tree, node, to_play(state), list_candidates(state, scratch, settings), scratch)


@kernel
def _add_visit(tree: Tree, node: int, value: float, policy: Policy) -> None:
    """Add the value of one visit to a node."""
    add_visits(tree, node, policy, 1, value, value * value)


class MCTSNode:
    """One node of a search tree: a view of the arrays of ``engine``.

    ``core`` is the game at the root, whose ``index`` is 0. A ``network`` gives priors instead of the model.
    """

    def __init__(
        self, engine: Engine, core: GomokuCore, network: Network | None, index: int, parent: "MCTSNode | None"
    ) -> None:
        self._engine = engine
        self._tree = engine.pools[0].tree
        self._core = core
        self._network = network
        self.index = index
        self.parent = parent

    @property
    def move(self) -> Cell | None:
        """The move that leads here, None at the root."""
        if self.parent is None:
            return None
        return divmod(int(self._tree.words[self.index, ACTION]), self.board_size)

    @property
    def board_size(self) -> int:
        """Number of rows and columns of the board."""
        return self._core.board_size

    @property
    def game_state(self) -> GomokuCore:
        """The game at this node: the root's game after the moves that lead here."""
        if self.parent is None:
            return self._core.copy()
        core = self.parent.game_state
        assert self.move is not None
        core.place_stone(*self.move)
        return core

    @property
    def visit_count(self) -> int:
        """Number of simulations through this node."""
        return int(self._tree.ints[self.index, VISITS])

    @property
    def value_sum(self) -> float:
        """Sum of the simulations' values to the player whose move leads here."""
        return float(self._tree.reals[self.index, VALUE])

    @property
    def prior(self) -> float:
        """The prior probability of the move."""
        return float(self._tree.floats[PRIOR, self.index]) if self.parent is not None else 1.0

    @property
    def children_expanded(self) -> bool:
        """Whether the node has children."""
        return bool(self._tree.ints[self.index, FLAG] == OPEN)

    @property
    def children(self) -> dict[Cell, "MCTSNode"]:
        """The child nodes by move; empty for a leaf."""
        if not self.children_expanded:
            return {}
        first, count = (int(value) for value in self._tree.ints[self.index, [FIRST, COUNT]])
        nodes = [MCTSNode(self._engine, self._core, self._network, i, self) for i in range(first, first + count)]
        return {node.move: node for node in nodes if node.move is not None}

    def ucb1_score(self, c_puct: float = 1.0) -> float:
        """Return the PUCT score of this node for selection by its parent."""
        mean = self.value_sum / self.visit_count if self.visit_count else 0.0
        above = self.parent.visit_count if self.parent is not None else self.visit_count
        return mean + c_puct * self.prior * math.sqrt(above) / (1 + self.visit_count)

    def select_child(self, c_puct: float = 1.0) -> "MCTSNode | None":
        """Return the child with the highest score, None for a leaf."""
        return max(self.children.values(), key=lambda node: node.ucb1_score(c_puct), default=None)

    def expand(self) -> dict[Cell, "MCTSNode"]:
        """Give a leaf its children, up to the search's limit, and return them."""
        state = self.game_state.state
        if self._tree.ints[self.index, FLAG] == LEAF and to_play(state) != TERMINAL:
            settings: Any = pack(self._engine.settings)
            _expand(state, self._tree, self.index, self._engine.scratches[0], settings)
            self.ask_network()
        return self.children

    def ask_network(self) -> None:
        """Set the children's priors to the network's, if there is one."""
        for child in self.children.values() if self._network is not None else ():
            self._tree.floats[PRIOR, child.index] = child._get_prior_probability()

    def _get_prior_probability(self) -> float:
        """Return the prior probability of the move, from the network or else from the model."""
        if self._network is None or self.parent is None or self.move is None:
            return self.prior
        return float(self._network.predict(self.parent.game_state, self.move))

    def backup(self, value: float) -> None:
        """Add a value to this node and, with alternating sign, to its ancestors.

        The value is that of the player whose move leads here.
        """
        node: MCTSNode | None = self
        while node is not None:
            _add_visit(self._tree, node.index, np.float64(value), self._engine.policy)
            node, value = node.parent, -value


class MCTSAgent:
    """Chooses moves by Monte Carlo tree search with PUCT.

    Kernels run the iterations, unless there is a network or a subclass overrides a step (``_simulate_once``,
    ``_simulate_playout``, ``_quick_evaluate``); then Python runs them.

    Parameters
    ----------
    game
        The game to play.
    num_simulations
        Simulations per search.
    c_puct
        Exploration constant.
    max_candidates
        Maximum number of moves tried per position.
    playout_moves
        Maximum length of a playout before the position is evaluated; 0 for no playout.
    network
        A neural network that gives priors and values instead of the model.
    seed
        Seed of all randomness: the same seed gives the same moves.
    """

    def __init__(
        self,
        game: GomokuCore,
        num_simulations: int = 1000,
        c_puct: float = 1.0,
        *,
        max_candidates: int = MAX_CANDIDATES,
        playout_moves: int = 0,
        network: Network | None = None,
        seed: int = 1,
    ) -> None:
        self.game_core = game
        self.num_simulations = num_simulations
        self.c_puct = c_puct
        self.network = network
        self._params = search_params(
            simulations=num_simulations,
            puct_c=float(c_puct),
            candidates=max_candidates,
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
        self._search(game or self.game_core)
        return next(iter(self.get_move_probabilities()))

    def get_move_probabilities(self) -> dict[Cell, float]:
        """Return each move's share of the visits, best first; run a search if there was none yet."""
        moves = self._ranked()
        total = sum(node.visit_count for node in moves.values())
        return {move: node.visit_count / total for move, node in moves.items()}

    def get_move_values(self) -> dict[Cell, float]:
        """Return the mean value of each visited move, from -1 (lost) to 1 (won)."""
        return {move: node.value_sum / node.visit_count for move, node in self._ranked().items() if node.visit_count}

    def print_tree_info(self) -> None:
        """Print the ten most visited moves with their statistics."""
        print(f"{'move':<6}{'visits':>9}{'value':>9}{'prior':>8}")
        for (row, column), node in list(self._ranked().items())[:SHOWN_MOVES]:
            size = node.board_size
            mean = node.value_sum / max(node.visit_count, 1)
            print(f"{cell_name(row * size + column, size):<6}{node.visit_count:>9}{mean:>9.3f}{node.prior:>8.3f}")

    def _search(self, core: GomokuCore) -> None:
        root = self._new_root(core)
        if self.network is None and all(getattr(type(self), name) is step for name, step in _STEPS.items()):
            assert self._engine is not None
            self._engine.run(self.num_simulations, np.zeros(1, np.int64))
            return
        root.ask_network()
        for _ in range(self.num_simulations):
            self._simulate_once()

    def _new_root(self, core: GomokuCore) -> MCTSNode:
        """Start a tree whose root tries the recommended moves."""
        if core.game_over:
            raise InputError("the game is over")
        if self._engine is None or self._engine.info != core.game.info:
            self._engine = Engine(core.game.info, core.state, self._params)
        cells = [row * core.board_size + column for row, column in core.recommand_positions()]
        cells = [cell for cell in cells if not is_hopeless(core.state, cell)] or cells
        state = clone(core.state)
        allow_only(state, cells[: self._params.candidates])
        self._engine.begin(state, self._params)
        self.root = MCTSNode(self._engine, core.copy(), self.network, 0, None)
        return self.root

    def _simulate_once(self) -> None:
        """Run one iteration: select a leaf, expand it, evaluate it and back up the value."""
        node = self.root or self._new_root(self.game_core)
        while (child := node.select_child(self.c_puct)) is not None:
            node = child
        node.expand()
        node.backup(self._simulate_playout(node.game_state))

    def _simulate_playout(self, game_state: GomokuCore, max_candidates: int = PLAYOUT_CANDIDATES) -> float:
        """Play the best-scored moves; return the last position's value to the player who moved before the playout."""
        player = 2 - game_state.current_player
        for _ in range(self._params.playout_depth or 0):
            candidates = game_state.recommand_positions(max_candidates)
            if not candidates:
                break
            if self.network is None:
                looks = [self._quick_evaluate(game_state, move) for move in candidates]
            else:
                looks = list(self.network.evaluate_batch(game_state, candidates))
            game_state.place_stone(*candidates[int(np.argmax(looks))])
        return self._final_value(game_state, player)

    def _quick_evaluate(self, game_state: GomokuCore, move: Cell) -> float:
        """Return the model's score of a move for the player to move."""
        return float(game_state.move_scores()[move[0] * game_state.board_size + move[1]])

    def _final_value(self, game_state: GomokuCore, player: int) -> float:
        """Return the value of the last position of a playout to a player (0 or 1)."""
        state = game_state.state
        if game_state.game_over:
            return float(outcome(state, player))
        if self.network is not None:
            value = float(self.network.evaluate_final(game_state))
            return value if player == state.data[MOVER] else -value
        values = np.zeros(2)
        return float(values[player] if leaf_value(state, values) else estimate(state, player))

    def _ranked(self) -> dict[Cell, MCTSNode]:
        """Return the root's children by move, most visited first."""
        if self.root is None:
            self._search(self.game_core)
        assert self.root is not None
        return dict(sorted(self.root.children.items(), key=lambda item: -item[1].visit_count))


_STEPS = {name: vars(MCTSAgent)[name] for name in ("_simulate_once", "_simulate_playout", "_quick_evaluate")}


def seed_agent(
    board_size: int = 15, num_simulations: int = 1000, c_puct: float = 1.0, seed: int = 1
) -> tuple[GomokuCore, MCTSAgent]:
    """Return a game with hand-made priors, and an agent that runs playouts."""
    game = GomokuCore(board_size, model=seed_model())
    return game, MCTSAgent(game, num_simulations, c_puct, playout_moves=MAX_PLAYOUT_MOVES, seed=seed)
