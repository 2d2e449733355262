"""Expansion: the children of a decision, in prior order."""

import math

import numpy as np

from bromeliad.core.game import State, is_hopeless, legal_actions, score_actions
from bromeliad.core.jit import Floats, Ints, compare_and_swap, int64, kernel, store_release
from bromeliad.core.rng import below
from bromeliad.search.settings import Scratch, Settings
from bromeliad.search.tree import (
    ACTION,
    AFTER,
    BUSY,
    COUNT,
    FIRST,
    FLAG,
    FULL,
    LEAF,
    OPEN,
    PRIOR,
    VISITS,
    Tree,
    clear_node,
    find_or_add,
    take_nodes,
)

__all__ = ["add_candidates", "expand", "is_ripe", "list_candidates", "list_root"]


@kernel(internal=True)
def _best_first(actions: Ints, scores: Floats, count: int, limit: int) -> None:
    """Bring the ``limit`` best actions to the front, best first."""
    for i in range(limit):
        best = i
        for j in range(i + 1, count):
            if scores[j] > scores[best]:
                best = j
        actions[i], actions[best] = actions[best], actions[i]
        scores[i], scores[best] = scores[best], scores[i]


@kernel(internal=True)
def _softmax(scores: Floats, count: int, temperature: float) -> None:
    """Turn the scores, best first, into probabilities."""
    top = scores[0]
    total = 0.0
    for i in range(count):
        scores[i] = math.exp((scores[i] - top) / temperature)
        total += scores[i]
    for i in range(count):
        scores[i] /= total


@kernel(internal=True)
def list_candidates(state: State, scratch: Scratch, settings: Settings) -> int:
    """Write the actions worth trying and their priors into the scratch space, best first; return how many.

    They are shuffled before they are sorted, so that nothing depends on the order in which a game lists equals.
    """
    actions = scratch.actions
    scores = scratch.scores
    count = legal_actions(state, actions)
    if settings.hopeless:
        kept = 0
        for i in range(count):
            if not is_hopeless(state, actions[i]):
                actions[i], actions[kept] = actions[kept], actions[i]
                kept += 1
        count = kept if kept > 0 else count
    for i in range(count - 1):
        j = i + below(scratch.rng, count - i)
        actions[i], actions[j] = actions[j], actions[i]
    limit = min(count, settings.candidates)
    if settings.scored:
        score_actions(state, actions, count, scores)
        _best_first(actions, scores, count, limit)
        _softmax(scores, limit, settings.temperature)
    else:
        for i in range(limit):
            scores[i] = 1.0 / limit
    return limit


@kernel(internal=True)
def is_ripe(tree: Tree, node: int, settings: Settings) -> bool:
    """Say whether a leaf has been visited often enough, and whether it is this thread that gives it children."""
    if tree.ints[node, FLAG] != LEAF:
        return False
    if node != 0 and tree.ints[node, VISITS] < settings.expand_visits:
        return False
    return compare_and_swap(tree.ints[node], FLAG, np.int32(LEAF), np.int32(BUSY))


@kernel(internal=True)
def expand(tree: Tree, node: int, mover: int, count: int, scratch: Scratch) -> None:
    """Give a ripe leaf the ``count`` listed candidates as children, as far as the tree has room."""
    first = take_nodes(tree, count)
    for i in range(count if first > 0 else 0):
        clear_node(tree, first + i, scratch.actions[i], mover, scratch.scores[i])
    tree.ints[node, FIRST] = first
    tree.ints[node, COUNT] = count
    store_release(tree.ints[node], FLAG, np.int32(OPEN) if first > 0 else np.int32(FULL))


@kernel(internal=True)
def add_candidates(tree: Tree, mover: int, count: int, scratch: Scratch) -> None:
    """Give the root of a game with hidden information the ``count`` listed candidates as children."""
    for i in range(count):
        find_or_add(tree, 0, scratch.actions[i], mover, scratch.scores[i])
    store_release(tree.ints[0], FLAG, np.int32(OPEN))


@kernel(internal=True)
def list_root(tree: Tree, scratch: Scratch) -> int:
    """List the candidates that the root of a game with hidden information began with, best first; return how many."""
    count = int64(tree.ints[0, COUNT])
    child = int64(tree.ints[0, FIRST])
    for i in range(count):
        scratch.actions[count - 1 - i] = tree.words[child, ACTION]
        scratch.scores[count - 1 - i] = tree.floats[PRIOR, child]
        child = int64(tree.ints[child, AFTER])
    return count
