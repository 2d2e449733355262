"""Nodes of a finished search as objects: views on the tree, which itself is a few arrays."""

import math
from typing import Any

import numpy as np

from bromeliad.core.game import TERMINAL, to_play
from bromeliad.core.jit import kernel
from bromeliad.games.gomoku.core import Cell, GomokuCore
from bromeliad.search import tree as layout
from bromeliad.search.engine import Engine
from bromeliad.search.expansion import expand, list_candidates
from bromeliad.search.settings import pack
from bromeliad.search.tree import FLAG, LEAF, SQUARES, VALUE, VISITS, refresh

__all__ = ["MCTSNode"]


@kernel
def _expand(state, tree, node, scratch, settings):
    """Give a leaf its children."""
    expand(tree, node, to_play(state), list_candidates(state, scratch, settings), scratch)


@kernel
def _book(tree, node, value, puct):
    """Add the value of one visit to a node."""
    tree.ints[node, VISITS] += 1
    tree.reals[node, VALUE] += value
    tree.reals[node, SQUARES] += value * value
    refresh(tree, node, puct)


class MCTSNode:
    """One node of a search tree.

    Parameters
    ----------
    engine
        The search whose tree it is.
    core
        The game at the root.
    index
        The node's number; 0 is the root.
    parent
        The node above it.
    """

    def __init__(self, engine: Engine, core: GomokuCore, index: int = 0, parent: "MCTSNode | None" = None) -> None:
        self._engine = engine
        self._tree = engine.pools[0].tree
        self._core = core
        self.index = index
        self.parent = parent

    @property
    def move(self) -> Cell | None:
        """The move that leads here, None at the root."""
        if self.parent is None:
            return None
        return divmod(int(self._tree.words[self.index, layout.ACTION]), self._core.board_size)

    @property
    def game_state(self) -> GomokuCore:
        """The game at this node: the root's, with the moves that lead here."""
        if self.parent is None:
            return self._core.copy()
        core = self.parent.game_state
        assert self.move is not None
        core.place_stone(*self.move)
        return core

    @property
    def visit_count(self) -> int:
        """Simulations through this node."""
        return int(self._tree.ints[self.index, VISITS])

    @property
    def value_sum(self) -> float:
        """Sum of their values to the player who moved here."""
        return float(self._tree.reals[self.index, VALUE])

    @property
    def prior(self) -> float:
        """The probability that the model gives to the move."""
        return float(self._tree.floats[layout.PRIOR, self.index]) if self.parent is not None else 1.0

    @property
    def children_expanded(self) -> bool:
        """Whether the node has its children."""
        return bool(self._tree.ints[self.index, FLAG] == layout.OPEN)

    @property
    def children(self) -> dict[Cell, "MCTSNode"]:
        """The nodes below, by their moves; empty for a leaf."""
        if not self.children_expanded:
            return {}
        first, count = (int(value) for value in self._tree.ints[self.index, : layout.COUNT + 1])
        nodes = [MCTSNode(self._engine, self._core, i, self) for i in range(first, first + count)]
        return {node.move: node for node in nodes if node.move is not None}

    def ucb1_score(self, c_puct: float = 1.0) -> float:
        """Return the PUCT score by which the parent chooses: mean value plus what exploring is worth."""
        mean = self.value_sum / self.visit_count if self.visit_count else 0.0
        above = self.parent.visit_count if self.parent is not None else self.visit_count
        return mean + c_puct * self.prior * math.sqrt(above) / (1 + self.visit_count)

    def select_child(self, c_puct: float = 1.0) -> "MCTSNode | None":
        """Return the child with the best score, None for a leaf."""
        return max(self.children.values(), key=lambda node: node.ucb1_score(c_puct), default=None)

    def expand(self) -> dict[Cell, "MCTSNode"]:
        """Give a leaf its children, as many as the search's limit allows, and return them."""
        state = self.game_state.state
        if self._tree.ints[self.index, FLAG] == LEAF and to_play(state) != TERMINAL:
            settings: Any = pack(self._engine.settings)
            _expand(state, self._tree, self.index, self._engine.scratches[0], settings)
        return self.children

    def backup(self, value: float) -> None:
        """Add a value, as the player who moved here sees it, to this node and with turning sign to those above."""
        node: MCTSNode | None = self
        while node is not None:
            _book(self._tree, node.index, np.float64(value), self._engine.settings.puct)
            node, value = node.parent, -value
