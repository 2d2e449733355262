"""Selection: the child of a decision, or the outcome of a chance event, to visit."""

import math

import numpy as np

import bromeliad.search.tree as at
from bromeliad.core.jit import atomic_add, float32, int64, kernel
from bromeliad.search.policies import Policy, exploration, first_urgency, urgency
from bromeliad.search.settings import HIGH, LOW, Scratch, Settings
from bromeliad.search.tree import Tree, add_outcome, find_outcome


@kernel(inline=True, internal=True)
def value_span(scratch: Scratch, settings: Settings) -> float:
    """Return the scale of values: the game's, or half the range seen so far."""
    if settings.scale > 0.0:
        return settings.scale
    half = 0.5 * (scratch.marks[HIGH] - scratch.marks[LOW])
    return half if half > 0.0 else 1.0


@kernel(inline=True, internal=True)
def _may_widen(settings: Settings, opened: int, visits: int) -> bool:
    """Return whether a decision may open another child: fewer than ``k · visits ** alpha`` are open.

    Progressive widening: Coulom, "Computing Elo ratings of move patterns in the game of Go", 2007; Chaslot et al.,
    "Progressive strategies for Monte-Carlo tree search", 2008 (progressive unpruning).
    """
    return not settings.widening or opened < settings.widening_k * math.pow(visits, settings.widening_alpha)


@kernel(inline=True, internal=True)
def select_child(tree: Tree, node: int, settings: Settings, policy: Policy, span: float) -> int:
    """Return the child of an open decision to visit.

    Children are in prior order, and later unvisited children are less urgent. So the visited ones always come first,
    and only the first unvisited one matters.
    """
    first = int64(tree.ints[node, at.FIRST])
    visits = max(int64(tree.ints[node, at.VISITS]), 1)
    end = first + int64(tree.ints[node, at.COUNT])
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
    """Return the first unvisited child (or ``end``), the most urgent visited one, and its urgency.

    Each comparison depends on the one before. Two independent chains of comparisons run faster than one.
    """
    best = other = float32(-np.inf)
    chosen = other_chosen = first
    child = first
    while child + 1 < end and tree.floats[at.BONUS, np.uint64(child + 1)] != at.UNVISITED:
        score = urgency(policy, tree, child, weight, span)
        if score > best:
            best, chosen = score, child
        score = urgency(policy, tree, child + 1, weight, span)
        if score > other:
            other, other_chosen = score, child + 1
        child += 2
    if other > best or (other == best and other_chosen < chosen):
        best, chosen = other, other_chosen
    if child < end and tree.floats[at.BONUS, np.uint64(child)] != at.UNVISITED:
        score = urgency(policy, tree, child, weight, span)
        if score > best:
            best, chosen = score, child
        child += 1
    return child, chosen, best


@kernel(internal=True)
def select_informed(
    tree: Tree, node: int, mover: int, count: int, scratch: Scratch, settings: Settings, policy: Policy, span: float
) -> int:
    """Return the child to visit for one of the ``count`` legal actions in ``scratch.actions``, 0 if the tree is full.

    Information set Monte Carlo tree search: Cowling, Powley & Whitehouse, "Information set Monte Carlo tree search",
    IEEE TCIAIG 4, 2012. Legal actions differ between determinizations, so exploration depends on how often a child was
    available, not on the visits of the decision: under UCT, ``mean + c · span · sqrt(ln available / n)``. Actions
    without a child are added in the given order.
    """
    visits = max(int64(tree.ints[node, at.VISITS]), 1)
    best = -np.inf
    chosen = int64(0)
    opened = 0
    for i in range(count):
        child = find_outcome(tree, node, scratch.actions[i])
        if child == 0 or tree.ints[child, at.VISITS] == 0:
            if chosen != 0 and not _may_widen(settings, opened, visits):
                continue
            if child == 0:
                child = add_outcome(tree, node, scratch.actions[i], mover, scratch.scores[i])
            if child == 0:
                continue
            return child
        opened += 1
        atomic_add(tree.ints[child], at.SEEN, np.int32(1))
        weight = exploration(policy, int64(tree.ints[child, at.SEEN]), span)
        score = urgency(policy, tree, child, weight, span)
        if score > best:
            best = score
            chosen = child
    return chosen


@kernel(internal=True)
def choose_outcome(tree: Tree, node: int, drawn: int, settings: Settings) -> int:
    """Return the child to visit after a chance event drew the outcome ``drawn``, 0 if the tree is full.

    Double progressive widening: Couëtoux et al., "Continuous upper confidence trees", LION 5, 2011. A new outcome gets
    a child while there are fewer than ``k · visits ** alpha``. After that, the existing children take turns in place of
    new outcomes.
    """
    child = find_outcome(tree, node, drawn)
    if child != 0:
        return child
    visits = np.float64(max(int64(tree.ints[node, at.VISITS]), 1))
    if tree.ints[node, at.COUNT] < settings.chance_k * math.pow(visits, settings.chance_alpha):
        return add_outcome(tree, node, drawn, tree.ints[node, at.ACTOR], 0.0)
    child = int64(tree.ints[node, at.CURSOR])
    if child == 0:
        child = int64(tree.ints[node, at.FIRST])
    tree.ints[node, at.CURSOR] = tree.ints[child, at.AFTER]  # threads may repeat or skip a turn, which is harmless
    return child
