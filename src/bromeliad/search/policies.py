"""Selection: which child of a decision is played next (UCT or PUCT), and which outcome of a chance event."""

import math

import numpy as np

from bromeliad.core.jit import atomic_add, kernel
from bromeliad.search.settings import HIGH, LOW
from bromeliad.search.tree import (
    ACTOR,
    AFTER,
    BONUS,
    COUNT,
    CURSOR,
    FIRST,
    MEAN,
    PRIOR,
    SEEN,
    UNVISITED,
    VALUE,
    VISITS,
    add_outcome,
    find_outcome,
)

__all__ = ["choose_outcome", "select_child", "select_informed", "value_span"]

_LOG_ROOTS = np.sqrt(np.log(np.maximum(np.arange(4096), 1)))  # square roots of logarithms, too slow to repeat


@kernel(inline=True, internal=True)
def value_span(scratch, settings):
    """Return the scale of values: given by the game, or half the range seen so far."""
    if settings.scale > 0.0:
        return settings.scale
    half = 0.5 * (scratch.marks[HIGH] - scratch.marks[LOW])
    return half if half > 0.0 else 1.0


@kernel(inline=True, internal=True)
def _may_widen(settings, opened, visits):
    """Say whether a decision with so many visits may open another child."""
    return not settings.widening or opened < settings.widening_k * math.pow(visits, settings.widening_alpha)


@kernel(inline=True, internal=True)
def _reach(visits, settings):
    """Return how much a decision with so many visits explores: what children's bonuses are multiplied by."""
    if settings.puct:
        return math.sqrt(visits)
    return _LOG_ROOTS[visits] if visits < _LOG_ROOTS.size else math.sqrt(math.log(visits))


@kernel(inline=True, internal=True)
def select_child(tree, node, settings, span):
    """Return the child to visit: UCT or PUCT.

    Children lie in prior order and an unvisited child is the less urgent the later it stands, so the visited ones are
    always the first ones: the loop ends at the first unvisited child.
    """
    first = np.int64(tree.ints[node, FIRST])
    visits = np.int64(tree.ints[node, VISITS])
    reach = np.float32(settings.exploration * span * _reach(visits, settings))
    count = np.int64(tree.ints[node, COUNT])
    means = tree.floats[MEAN, first : first + count]
    bonuses = tree.floats[BONUS, first : first + count]
    opened, chosen, best = _most_urgent(means, bonuses, reach)
    if opened == 0:
        return first
    if opened < count and _may_widen(settings, opened, visits):
        child = first + opened
        if _is_urgent(tree, first, child, settings, best, reach, span):
            return child
    return first + chosen


@kernel(inline=True, internal=True)
def _most_urgent(means, bonuses, reach):
    """Return how many children were visited, the first of the most urgent ones among them, and how urgent it is.

    Every comparison waits for the one before, so two children at a time have a comparison of their own.
    """
    count = means.size
    best = other = np.float32(-np.inf)
    chosen = other_chosen = np.int64(0)
    i = np.int64(0)
    while i + 1 < count and bonuses[i + 1] != UNVISITED:
        urgency = means[i] + reach * bonuses[i]
        if urgency > best:
            best, chosen = urgency, i
        urgency = means[i + 1] + reach * bonuses[i + 1]
        if urgency > other:
            other, other_chosen = urgency, i + 1
        i += 2
    if other > best or (other == best and other_chosen < chosen):
        best, chosen = other, other_chosen
    if i < count and bonuses[i] != UNVISITED:
        urgency = means[i] + reach * bonuses[i]
        if urgency > best:
            best, chosen = urgency, i
        i += 1
    return i, chosen, best


@kernel(internal=True)
def _is_urgent(tree, first, child, settings, best, reach, span):
    """Say whether an unvisited child is more urgent than the best of those before it (first-play urgency).

    It is taken to be worth what they are worth on average, less a reduction.
    """
    if settings.once:
        return True
    total = 0.0
    visits = 0
    for visited in range(first, child):
        total += tree.reals[visited, VALUE]
        visits += tree.ints[visited, VISITS]
    bonus = np.float64(tree.floats[PRIOR, child]) if settings.puct else 1.0
    return total / max(visits, 1) - settings.first_play * span + reach * bonus > best


@kernel(internal=True)
def select_informed(tree, node, mover, count, scratch, settings, span):
    """Return the child to visit among ``count`` actions in ``scratch.actions`` that are legal in this determinization.

    Which actions are legal differs from one determinization to the next, so a child's bonus grows with the number of
    times it was available, not with the visits of the decision. Actions without a child are added in the given order.
    """
    visits = max(np.int64(tree.ints[node, VISITS]), 1)
    weight = settings.exploration * span
    best = -np.inf
    chosen = np.int64(0)
    opened = 0
    for i in range(count):
        child = find_outcome(tree, node, scratch.actions[i])
        if child == 0 or tree.ints[child, VISITS] == 0:
            if chosen != 0 and not _may_widen(settings, opened, visits):
                continue
            if child == 0:
                child = add_outcome(tree, node, scratch.actions[i], mover, scratch.scores[i])
            if child == 0:
                continue
            return child
        opened += 1
        atomic_add(tree.ints[child], SEEN, np.int32(1))
        reach = weight * _reach(np.int64(tree.ints[child, SEEN]), settings)
        urgency = tree.floats[MEAN, child] + reach * tree.floats[BONUS, child]
        if urgency > best:
            best = urgency
            chosen = child
    return chosen


@kernel(internal=True)
def choose_outcome(tree, node, drawn, settings):
    """Return the outcome child to visit after ``drawn`` came up at a chance event, 0 if the tree is full.

    Double progressive widening: a new outcome gets a child while there are fewer than ``k * visits ** alpha``. After
    that, a drawn outcome that has no child stands for the ones that have: they take turns.
    """
    child = find_outcome(tree, node, drawn)
    if child != 0:
        return child
    visits = np.float64(max(np.int64(tree.ints[node, VISITS]), 1))
    if tree.ints[node, COUNT] < settings.chance_k * math.pow(visits, settings.chance_alpha):
        return add_outcome(tree, node, drawn, tree.ints[node, ACTOR], 0.0)
    child = np.int64(tree.ints[node, CURSOR])
    if child == 0:
        child = np.int64(tree.ints[node, FIRST])
    tree.ints[node, CURSOR] = tree.ints[child, AFTER]  # threads may repeat or skip a turn: no harm
    return child
