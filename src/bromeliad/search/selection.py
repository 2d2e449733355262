"""Selection: which child of a decision is played next (UCT or PUCT), and which outcome of a chance event."""

import math

import numpy as np

from bromeliad.core.jit import atomic_add, kernel
from bromeliad.search.settings import HIGH, LOW
from bromeliad.search.tree import (
    ACTOR,
    AFTER,
    CLOSED,
    COUNT,
    CURSOR,
    FIRST,
    PRIOR,
    SEEN,
    VALUE,
    VISITS,
    add_outcome,
    find_outcome,
)

__all__ = ["choose_outcome", "select_child", "select_informed", "value_span"]


@kernel(inline=True)
def value_span(scratch, settings):
    """Return the scale of values: given by the game, or half the range seen so far."""
    if settings.scale > 0.0:
        return settings.scale
    half = 0.5 * (scratch.marks[HIGH] - scratch.marks[LOW])
    return half if half > 0.0 else 1.0


@kernel(inline=True)
def _may_widen(settings, opened, visits):
    """Say whether a decision with so many visits may open another child."""
    return not settings.widening or opened < settings.widening_k * math.pow(visits, settings.widening_alpha)


@kernel(inline=True)
def _urgency(tree, child, visits, parent, settings, weight):
    """Return what makes a visited child worth another visit: its mean and the bonus for being little explored.

    ``parent`` is the logarithm (UCT) or the square root (PUCT) of the visits of the decision.
    """
    count = np.float64(visits)
    if settings.puct:
        return tree.reals[VALUE, child] / count + weight * tree.reals[PRIOR, child] * parent / (1.0 + count)
    return tree.reals[VALUE, child] / count + weight * math.sqrt(parent / count)


@kernel(inline=True)
def _parent_term(visits, settings):
    count = np.float64(max(visits, 1))
    return math.sqrt(count) if settings.puct else math.log(count)


@kernel(inline=True)
def select_child(tree, node, settings, span):
    """Return the child to visit.

    Children lie in prior order and an unvisited child is the less urgent the later it stands, so the visited ones are
    always the first ones: the loop ends at the first unvisited child, and the mean of those before it is the mean of
    the decision.
    """
    first = np.int64(tree.ints[FIRST, node])
    visits = tree.ints[VISITS, node]
    parent = _parent_term(visits, settings)
    weight = settings.exploration * span
    best = -np.inf
    chosen = first
    total = 0.0
    tried = 0
    for child in range(first, first + tree.ints[COUNT, node]):
        count = tree.ints[VISITS, child]
        if count == 0:
            opened = child - first
            if opened > 0 and not _may_widen(settings, opened, visits):
                break
            if settings.once or opened == 0:
                return child
            hope = total / tried - settings.first_play * span
            hope += weight * (tree.reals[PRIOR, child] * parent if settings.puct else math.sqrt(parent))
            return child if hope > best else chosen
        total += tree.reals[VALUE, child]
        tried += count
        if tree.ints[CLOSED, child] != 0:
            continue
        urgency = _urgency(tree, child, count, parent, settings, weight)
        if urgency > best:
            best = urgency
            chosen = child
    return chosen


@kernel
def select_informed(tree, node, mover, count, scratch, settings, span):
    """Return the child to visit among ``count`` actions in ``scratch.actions`` that are legal in this determinization.

    Which actions are legal differs from one determinization to the next, so a child's bonus grows with the number of
    times it was available, not with the visits of the decision. Actions without a child are added in the given order.
    """
    visits = max(np.int64(tree.ints[VISITS, node]), 1)
    weight = settings.exploration * span
    best = -np.inf
    chosen = np.int64(0)
    opened = 0
    for i in range(count):
        child = find_outcome(tree, node, scratch.actions[i])
        if child == 0 or tree.ints[VISITS, child] == 0:
            if chosen != 0 and not _may_widen(settings, opened, visits):
                continue
            if child == 0:
                child = add_outcome(tree, node, scratch.actions[i], mover, scratch.scores[i])
            if child == 0:
                continue
            return child
        opened += 1
        atomic_add(tree.ints[SEEN], child, np.int32(1))
        parent = _parent_term(np.int64(tree.ints[SEEN, child]), settings)
        urgency = _urgency(tree, child, tree.ints[VISITS, child], parent, settings, weight)
        if urgency > best:
            best = urgency
            chosen = child
    return chosen


@kernel
def choose_outcome(tree, node, drawn, settings):
    """Return the outcome child to visit after ``drawn`` came up at a chance event, 0 if the tree is full.

    Double progressive widening: a new outcome gets a child while there are fewer than ``k * visits ** alpha``. After
    that, a drawn outcome that has no child stands for the ones that have: they take turns.
    """
    child = find_outcome(tree, node, drawn)
    if child != 0:
        return child
    visits = np.float64(max(np.int64(tree.ints[VISITS, node]), 1))
    if tree.ints[COUNT, node] < settings.chance_k * math.pow(visits, settings.chance_alpha):
        return add_outcome(tree, node, drawn, tree.ints[ACTOR, node], 0.0)
    child = np.int64(tree.ints[CURSOR, node])
    if child == 0:
        child = np.int64(tree.ints[FIRST, node])
    tree.ints[CURSOR, node] = tree.ints[AFTER, child]  # threads may repeat or skip a turn: no harm
    return child
