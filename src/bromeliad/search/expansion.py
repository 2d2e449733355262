"""Expansion: creates the children of a decision, in prior order."""

import math

import numpy as np

import bromeliad.search.tree as at
from bromeliad.core.game import State, is_hopeless, legal_actions, score_actions
from bromeliad.core.jit import Floats, Ints, compare_and_swap, int64, kernel, store_release
from bromeliad.core.rng import below
from bromeliad.search.settings import Scratch, Settings
from bromeliad.search.tree import Tree, clear_node, find_or_add, take_nodes


@kernel(internal=True)
def _best_first(actions: Ints, scores: Floats, count: int, limit: int) -> None:
    """Move the ``limit`` best actions to the front, best first."""
    for i in range(limit):
        best = i
        for j in range(i + 1, count):
            if scores[j] > scores[best]:
                best = j
        actions[i], actions[best] = actions[best], actions[i]
        scores[i], scores[best] = scores[best], scores[i]


@kernel(internal=True)
def _softmax(scores: Floats, count: int, temperature: float) -> None:
    """Turn scores, best first, into probabilities."""
    top = scores[0]
    total = 0.0
    for i in range(count):
        scores[i] = math.exp((scores[i] - top) / temperature)
        total += scores[i]
    for i in range(count):
        scores[i] /= total


@kernel(internal=True)
def list_candidates(state: State, scratch: Scratch, settings: Settings) -> int:
    """Write the actions worth trying and their priors into the scratch, best first; return their number.

    Actions are shuffled before sorting, so that ties do not depend on the order in which a game lists its actions.
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
    """Return whether this thread may expand a leaf: it has enough visits, and this call has marked it as busy."""
    if tree.ints[node, at.FLAG] != at.LEAF:
        return False
    if node != 0 and tree.ints[node, at.VISITS] < settings.expand_visits:
        return False
    return compare_and_swap(tree.ints[node], at.FLAG, np.int32(at.LEAF), np.int32(at.BUSY))


@kernel(internal=True)
def expand(tree: Tree, node: int, mover: int, count: int, scratch: Scratch) -> None:
    """Give a ripe leaf the ``count`` listed candidates as children, if the tree has room."""
    first = take_nodes(tree, count)
    for i in range(count if first > 0 else 0):
        clear_node(tree, first + i, scratch.actions[i], mover, scratch.scores[i])
    tree.ints[node, at.FIRST] = first
    tree.ints[node, at.COUNT] = count
    store_release(tree.ints[node], at.FLAG, np.int32(at.OPEN) if first > 0 else np.int32(at.FULL))


@kernel(internal=True)
def add_candidates(tree: Tree, mover: int, count: int, scratch: Scratch) -> None:
    """Give the root of a game with hidden information the ``count`` listed candidates as children."""
    for i in range(count):
        find_or_add(tree, 0, scratch.actions[i], mover, scratch.scores[i])
    store_release(tree.ints[0], at.FLAG, np.int32(at.OPEN))


@kernel(internal=True)
def list_root(tree: Tree, scratch: Scratch) -> int:
    """List the first candidates of the root of a game with hidden information, best first; return their number."""
    count = int64(tree.ints[0, at.COUNT])
    child = int64(tree.ints[0, at.FIRST])
    for i in range(count):
        scratch.actions[count - 1 - i] = tree.words[child, at.ACTION]
        scratch.scores[count - 1 - i] = tree.floats[at.PRIOR, child]
        child = int64(tree.ints[child, at.AFTER])
    return count
