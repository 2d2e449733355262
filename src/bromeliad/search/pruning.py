"""Pruning: closes children that cannot be best, and reopens them when the reason is gone."""

import math

import numpy as np

from bromeliad.core.jit import int64, kernel
from bromeliad.search.policies import Policy, refresh
from bromeliad.search.settings import Settings
from bromeliad.search.tree import BOUND, COUNT, FIRST, MEAN, SQUARES, VALUE, VISITS, Tree

# Weights of the order of children:
ORDER_VISITS = 0.3
ORDER_VALUE = 0.5
ORDER_HEURISTIC = 0.2


def order_score(visits: int, mean: float, heuristic: float) -> float:
    """Return the score by which children are ordered: log visits, mean and prior, weighted."""
    return ORDER_VISITS * math.log(visits + 1) + ORDER_VALUE * mean + ORDER_HEURISTIC * heuristic


@kernel(inline=True, internal=True)
def is_review_due(tree: Tree, node: int, settings: Settings) -> bool:
    """Return whether a decision is due for review: when its number of visits is a power of two."""
    visits = int64(tree.ints[node, VISITS])
    return visits >= settings.prune_visits and visits & (visits - 1) == 0


@kernel(internal=True)
def _upper_confidence(tree: Tree, child: int, z: float) -> float:
    """Return the upper end of the confidence interval of a child's mean."""
    count = np.float64(tree.ints[child, VISITS])
    mean = tree.reals[child, VALUE] / count
    variance = max(tree.reals[child, SQUARES] / count - mean * mean, 0.0)
    return mean + z * math.sqrt(variance / count)


@kernel(internal=True)
def review(tree: Tree, node: int, settings: Settings, policy: Policy, span: float) -> None:
    """Close each child of a decision that cannot be best; open the others.

    A child is closed if its upper bound, or the upper end ``mean + z · s / sqrt(n)`` of its confidence interval, is
    below the best mean by more than a margin.

    Statistical pruning is action elimination (Even-Dar, Mannor & Mansour, "Action elimination and stopping conditions
    for the multi-armed bandit and reinforcement learning problems", JMLR 7, 2006), but a closed child may be reopened.
    Children with fewer than ``prune_visits`` visits are neither the best one nor closed by their statistics.
    """
    first = int64(tree.ints[node, FIRST])
    last = first + tree.ints[node, COUNT]
    best = -np.inf
    leader = first
    for child in range(first, last):
        if tree.ints[child, VISITS] >= settings.prune_visits:
            mean = tree.reals[child, VALUE] / tree.ints[child, VISITS]
            if mean > best:
                best = mean
                leader = child
    for child in range(first, last):
        closed = settings.bounded and tree.floats[BOUND, child] < best - settings.bound_margin * span
        if settings.prune_z > 0.0 and tree.ints[child, VISITS] >= settings.prune_visits:
            closed |= _upper_confidence(tree, child, settings.prune_z) < best - settings.confidence_margin * span
        if closed and child != leader:
            tree.floats[MEAN, child] = -np.inf
        elif tree.ints[child, VISITS] > 0:
            refresh(tree, child, policy)
