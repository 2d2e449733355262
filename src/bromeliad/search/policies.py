"""Selection policies: by which formula a decision prefers one child to another.

A policy is a ``NamedTuple`` of numbers. The functions below are :func:`~bromeliad.core.jit.generic` over its class, as
those of :mod:`bromeliad.core.game` are over a game's: a policy registers its own, gives itself a name by
:func:`register_policy`, and ``SearchParams(policy=name)`` searches with it. No other file has to know of it.

The child of greatest urgency is visited, usually ``mean + exploration · bonus``: the exploration belongs to the
decision, the bonus to the child. Bonuses are kept in the tree beside the means and renewed by each visit, because
selection reads a child far more often than it visits it.
"""
# mypy: disable-error-code="empty-body"
# What every policy has to provide has no body.

import math
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import numpy as np

from bromeliad.core.jit import float32, generic, kernel
from bromeliad.search.params import SearchParams
from bromeliad.search.tree import BONUS, MEAN, PRIOR, SQUARES, UNVISITED, VALUE, VISITS, Tree

__all__ = [
    "Policy",
    "Puct",
    "Uct",
    "add_visits",
    "bonus",
    "exploration",
    "first_urgency",
    "make_policy",
    "policy_names",
    "refresh",
    "register_policy",
    "show_loss",
    "urgency",
]

Policy = Any
"""A policy's NamedTuple; the generic functions find the policy by its class."""

MakePolicy = Callable[[SearchParams], Policy]
_makers: dict[str, MakePolicy] = {}
_LOG_ROOTS = np.sqrt(np.log(np.maximum(np.arange(4096), 1)))  # square roots of logarithms, too slow to repeat


def register_policy(name: str) -> Callable[[MakePolicy], MakePolicy]:
    """Give a policy a name; the decorated function makes it from the parameters of a search."""

    def add(make: MakePolicy) -> MakePolicy:
        _makers[name] = make
        return make

    return add


def policy_names() -> Collection[str]:
    """Return the names of all policies."""
    return _makers.keys()


def make_policy(params: SearchParams) -> Policy:
    """Return the policy that the parameters name, with its numbers."""
    return _makers[params.policy](params)


# --- what a policy provides ------------------------------------------------------------------------------------------


@generic
def exploration(policy: Policy, visits: int, span: float) -> float:
    """Return how much a decision with ``visits`` visits, at least one, explores; ``span`` is the scale of values."""


@generic
def bonus(policy: Policy, visits: float, prior: float) -> float:
    """Return what exploring a child with ``visits`` visits is worth, in units of the decision's exploration.

    It is at least 0. The visits are a ``float32``, and 0 where :func:`first_urgency` asks for an unvisited child.
    """


@generic
def urgency(policy: Policy, tree: Tree, child: int, weight: float, span: float) -> float:
    """Return how urgent a visited child is, where ``weight`` is its decision's exploration."""
    return tree.floats[MEAN, child] + weight * tree.floats[BONUS, child]


@generic
def first_urgency(policy: Policy, tree: Tree, first: int, child: int, weight: float, span: float) -> float:
    """Return how urgent ``child`` is, the first unvisited of a decision whose children begin at ``first``.

    By default more than any other: every child is visited once before any is visited twice.
    """
    return np.inf


@kernel(internal=True)
def _expected_urgency(policy: Policy, tree: Tree, first: int, child: int, weight: float, reduction: float) -> float:
    """Return the urgency of an unvisited child that is taken to be worth its siblings' mean, less a reduction.

    First-play urgency: Gelly & Wang, "Exploration exploitation in Go: UCT for Monte-Carlo Go", NIPS workshop 2006.
    """
    total = 0.0
    visits = 0
    for visited in range(first, child):
        total += tree.reals[visited, VALUE]
        visits += tree.ints[visited, VISITS]
    own = np.float64(bonus(policy, float32(0.0), tree.floats[PRIOR, child]))
    return total / max(visits, 1) - reduction + weight * own


# --- UCT -------------------------------------------------------------------------------------------------------------


class Uct(NamedTuple):
    """``mean + c · span · sqrt(ln N / n)``: N visits of the decision, n of the child.

    Kocsis & Szepesvári, "Bandit based Monte-Carlo planning", ECML 2006: UCB1 at every decision (Auer, Cesa-Bianchi &
    Fischer, "Finite-time analysis of the multiarmed bandit problem", Machine Learning 47, 2002). There values lie in
    [0, 1]; here the span carries the game's own units.
    """

    c: float
    first_play: float  # an unvisited child is taken to be worth its siblings' mean, less this much of the span
    once: bool  # instead: unvisited children come first


@register_policy("uct")
def _(params: SearchParams) -> Uct:
    return Uct(params.uct_c, params.first_play or 0.0, params.first_play is None)


@exploration.register(Uct)
def _(policy: Policy, visits: int, span: float) -> float:
    root = _LOG_ROOTS[visits] if visits < _LOG_ROOTS.size else math.sqrt(math.log(visits))
    return policy.c * span * root


@bonus.register(Uct)
def _(policy: Policy, visits: float, prior: float) -> float:
    return float32(1.0) / float32(math.sqrt(max(visits, float32(1.0))))


@first_urgency.register(Uct)
def _(policy: Policy, tree: Tree, first: int, child: int, weight: float, span: float) -> float:
    if policy.once:
        return np.inf
    return _expected_urgency(policy, tree, first, child, weight, policy.first_play * span)


# --- PUCT ------------------------------------------------------------------------------------------------------------


class Puct(NamedTuple):
    """``mean + c · span · P · sqrt(N) / (1 + n)``: P is the child's prior, N and n are visits as for :class:`Uct`.

    The form of AlphaGo Zero (Silver et al., "Mastering the game of Go without human knowledge", Nature 550, 2017),
    after Rosin, "Multi-armed bandits with episode context", Annals of Mathematics and Artificial Intelligence 61, 2011.
    Priors are the softmax of the game's ``score_actions``.
    """

    c: float
    first_play: float  # an unvisited child is taken to be worth its siblings' mean, less this much of the span


@register_policy("puct")
def _(params: SearchParams) -> Puct:
    return Puct(params.puct_c, params.first_play or 0.0)


@exploration.register(Puct)
def _(policy: Policy, visits: int, span: float) -> float:
    return policy.c * span * math.sqrt(visits)


@bonus.register(Puct)
def _(policy: Policy, visits: float, prior: float) -> float:
    return prior / (float32(1.0) + visits)


@first_urgency.register(Puct)
def _(policy: Policy, tree: Tree, first: int, child: int, weight: float, span: float) -> float:
    return _expected_urgency(policy, tree, first, child, weight, policy.first_play * span)


# --- what every policy shares ----------------------------------------------------------------------------------------


@kernel(inline=True, internal=True)
def refresh(tree: Tree, node: int, policy: Policy) -> None:
    """Bring what selection reads of a visited node up to date."""
    visits = float32(tree.ints[node, VISITS])
    tree.floats[MEAN, node] = float32(tree.reals[node, VALUE]) / visits
    tree.floats[BONUS, node] = bonus(policy, visits, tree.floats[PRIOR, node])


@kernel(inline=True, internal=True)
def add_visits(tree: Tree, node: int, policy: Policy, count: int, total: float, squares: float) -> None:
    """Add ``count`` visits to a node, with the sum of their values and of the squares of those."""
    tree.ints[node, VISITS] += count
    tree.reals[node, VALUE] += total
    tree.reals[node, SQUARES] += squares
    refresh(tree, node, policy)


@kernel(inline=True, internal=True)
def show_loss(tree: Tree, node: int, policy: Policy, loss: float) -> None:
    """Let a node look as if the simulation that is under way were lost, until it is refreshed.

    Virtual loss: Chaslot, Winands & van den Herik, "Parallel Monte-Carlo tree search", CG 2008.
    """
    visits = tree.ints[node, VISITS]
    if tree.floats[BONUS, node] == UNVISITED:
        tree.floats[MEAN, node] = -loss
        tree.floats[BONUS, node] = bonus(policy, float32(1.0), tree.floats[PRIOR, node])
    else:
        tree.floats[MEAN, node] -= float32(loss) / (float32(1.0) + float32(visits))
