"""Expansion: the children of a decision, in prior order."""

import math

from bromeliad.core.game import is_hopeless, legal_actions, score_actions
from bromeliad.core.jit import kernel
from bromeliad.core.rng import below
from bromeliad.search.tree import COUNT, FIRST, FULL, OPEN, clear_node, take_nodes

__all__ = ["expand", "list_candidates"]


@kernel(internal=True)
def _drop_hopeless(state, actions, count):
    """Move what is not hopeless to the front; return how many, or ``count`` if nothing else is left."""
    kept = 0
    for i in range(count):
        action = actions[i]
        if not is_hopeless(state, action):
            actions[i] = actions[kept]
            actions[kept] = action
            kept += 1
    return kept if kept > 0 else count


@kernel(internal=True)
def _best_first(actions, scores, count, limit):
    """Bring the ``limit`` best actions to the front, best first."""
    for i in range(limit):
        best = i
        for j in range(i + 1, count):
            if scores[j] > scores[best]:
                best = j
        actions[i], actions[best] = actions[best], actions[i]
        scores[i], scores[best] = scores[best], scores[i]


@kernel(internal=True)
def _softmax(scores, count, temperature):
    """Turn the scores, best first, into probabilities."""
    top = scores[0]
    total = 0.0
    for i in range(count):
        scores[i] = math.exp((scores[i] - top) / temperature)
        total += scores[i]
    for i in range(count):
        scores[i] /= total


@kernel(internal=True)
def list_candidates(state, scratch, settings):
    """Write the actions worth trying and their priors into the scratch space, best first; return how many.

    They are shuffled before they are sorted, so that nothing depends on the order in which a game lists equals.
    """
    actions = scratch.actions
    scores = scratch.scores
    count = legal_actions(state, actions)
    if settings.hopeless:
        count = _drop_hopeless(state, actions, count)
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
def expand(tree, node, mover, state, scratch, settings):
    """Give the decision ``node`` its children; return its new flag (to be stored by the caller)."""
    count = list_candidates(state, scratch, settings)
    first = take_nodes(tree, count)
    if first == 0:
        return FULL
    for i in range(count):
        clear_node(tree, first + i, scratch.actions[i], mover, scratch.scores[i])
    tree.ints[node, FIRST] = first
    tree.ints[node, COUNT] = count
    return OPEN
