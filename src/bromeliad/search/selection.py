"""Selection: which child of a decision is visited, and which outcome of a chance event."""

import math

import numpy as np

from bromeliad.core.jit import atomic_add, float32, int64, kernel
from bromeliad.search.policies import Policy, exploration, first_urgency, urgency
from bromeliad.search.settings import HIGH, LOW, Scratch, Settings
from bromeliad.search.tree import (
    ACTOR,
    AFTER,
    BONUS,
    COUNT,
    CURSOR,
    FIRST,
    SEEN,
    UNVISITED,
    VISITS,
    Tree,
    add_outcome,
    find_outcome,
)

__all__ = ["choose_outcome", "select_child", "select_informed", "value_span"]


@kernel(inline=True, internal=True)
def value_span(scratch: Scratch, settings: Settings) -> float:
    """Return the scale of values: given by the game, or half the range seen so far."""
    if settings.scale > 0.0:
        return settings.scale
    half = 0.5 * (scratch.marks[HIGH] - scratch.marks[LOW])
    return half if half > 0.0 else 1.0


@kernel(inline=True, internal=True)
def _may_widen(settings: Settings, opened: int, visits: int) -> bool:
    """Say whether a decision may open another child: while fewer than ``k · visits ** alpha`` are open.

    Progressive widening: Coulom, "Computing Elo ratings of move patterns in the game of Go", 2007; Chaslot et al.,
    "Progressive strategies for Monte-Carlo tree search", 2008 (progressive unpruning).
    """
    return not settings.widening or opened < settings.widening_k * math.pow(visits, settings.widening_alpha)


@kernel(inline=True, internal=True)
def select_child(tree: Tree, node: int, settings: Settings, policy: Policy, span: float) -> int:
    """Return the child of an open decision to visit.

    Children lie in prior order and an unvisited child is the less urgent the later it comes, so the visited ones are
    always the first ones, and of the unvisited only the first has to be looked at.
    """
    first = int64(tree.ints[node, FIRST])
    visits = max(int64(tree.ints[node, VISITS]), 1)
    end = first + int64(tree.ints[node, COUNT])
    weight = float32(exploration(policy, visits, span))
    fresh, chosen, best = _most_urgent(tree, first, end, policy, weight, span)
    if fresh == first:
        return first
    may_open = fresh < end and _may_widen(settings, fresh - first, visits)
    if may_open and first_urgency(policy, tree, first, fresh, weight, span) > best:
        return fresh
    return chosen


@kernel(inline=True, internal=True)
def _most_urgent(
    tree: Tree, first: int, end: int, policy: Policy, weight: float, span: float
) -> tuple[int, int, float]:
    """Return the first unvisited child (``end`` if there is none), the most urgent visited one, and how urgent it is.

    Every comparison waits for the one before, so two children at a time have a comparison of their own.
    """
    best = other = float32(-np.inf)
    chosen = other_chosen = first
    child = first
    while child + 1 < end and tree.floats[BONUS, child + 1] != UNVISITED:
        score = urgency(policy, tree, child, weight, span)
        if score > best:
            best, chosen = score, child
        score = urgency(policy, tree, child + 1, weight, span)
        if score > other:
            other, other_chosen = score, child + 1
        child += 2
    if other > best or (other == best and other_chosen < chosen):
        best, chosen = other, other_chosen
    if child < end and tree.floats[BONUS, child] != UNVISITED:
        score = urgency(policy, tree, child, weight, span)
        if score > best:
            best, chosen = score, child
        child += 1
    return child, chosen, best


@kernel(internal=True)
def select_informed(
    tree: Tree, node: int, mover: int, count: int, scratch: Scratch, settings: Settings, policy: Policy, span: float
) -> int:
    """Return the child to visit among ``count`` actions in ``scratch.actions`` that are legal in this determinization.

    Information set Monte Carlo tree search: Cowling, Powley & Whitehouse, "Information set Monte Carlo tree search",
    IEEE TCIAIG 4, 2012. Which actions are legal differs from one determinization to the next, so a child is explored
    by the number of times it was available, not by the visits of the decision. Actions without a child are added in
    the given order.
    """
    visits = max(int64(tree.ints[node, VISITS]), 1)
    best = -np.inf
    chosen = int64(0)
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
        weight = exploration(policy, int64(tree.ints[child, SEEN]), span)
        score = urgency(policy, tree, child, weight, span)
        if score > best:
            best = score
            chosen = child
    return chosen


@kernel(internal=True)
def choose_outcome(tree: Tree, node: int, drawn: int, settings: Settings) -> int:
    """Return the outcome child to visit after ``drawn`` came up at a chance event, 0 if the tree is full.

    Double progressive widening: Couëtoux et al., "Continuous upper confidence trees", LION 5, 2011. A new outcome gets
    a child while there are fewer than ``k · visits ** alpha``. After that, a drawn outcome that has no child is
    replaced by those that have: they take turns.
    """
    child = find_outcome(tree, node, drawn)
    if child != 0:
        return child
    visits = np.float64(max(int64(tree.ints[node, VISITS]), 1))
    if tree.ints[node, COUNT] < settings.chance_k * math.pow(visits, settings.chance_alpha):
        return add_outcome(tree, node, drawn, tree.ints[node, ACTOR], 0.0)
    child = int64(tree.ints[node, CURSOR])
    if child == 0:
        child = int64(tree.ints[node, FIRST])
    tree.ints[node, CURSOR] = tree.ints[child, AFTER]  # threads may repeat or skip a turn: no harm
    return child
