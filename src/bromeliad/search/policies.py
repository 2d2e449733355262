"""Selection policies: the formulas that choose which child of a decision to visit.

A policy is a ``NamedTuple`` of numbers. The functions below are :func:`~bromeliad.core.jit.generic` over its class, as
those of :mod:`bromeliad.core.game` are over the class of a state. A policy registers its own functions, takes a name
with :func:`register_policy`, and is chosen by ``SearchParams(policy=name)``. No other file refers to it.

The search visits the child of greatest urgency, usually ``mean + exploration · bonus``: the exploration depends on the
decision, the bonus on the child. Bonuses are stored in the tree beside the means and updated by each visit, because
selection reads a child far more often than it visits it.
"""
# mypy: disable-error-code="empty-body"
# Required functions have no body.

import math
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import numpy as np

from bromeliad.core.jit import float32, generic, kernel
from bromeliad.search.params import SearchParams
from bromeliad.search.tree import BONUS, MEAN, PRIOR, SQUARES, UNVISITED, VALUE, VISITS, Tree

Policy = Any
"""A policy's NamedTuple; the generic functions find the policy by its class."""

MakePolicy = Callable[[SearchParams], Policy]
_makers: dict[str, MakePolicy] = {}
_LOG_ROOTS = np.sqrt(np.log(np.maximum(np.arange(4096), 1)))  # a table, because computing them is slow


def register_policy(name: str) -> Callable[[MakePolicy], MakePolicy]:
    """Register a policy under a name; the decorated function makes it from the parameters of a search."""

    def add(make: MakePolicy) -> MakePolicy:
        _makers[name] = make
        return make

    return add


def policy_names() -> Collection[str]:
    """Return the names of all policies."""
    return _makers.keys()


def make_policy(params: SearchParams) -> Policy:
    """Return the policy of a search."""
    return _makers[params.policy](params)


# --- the functions of a policy ---------------------------------------------------------------------------------------


@generic
def exploration(policy: Policy, visits: int, span: float) -> float:
    """Return the exploration weight of a decision with ``visits`` >= 1 visits; ``span`` is the scale of values."""


@generic
def bonus(policy: Policy, visits: float, prior: float) -> float:
    """Return the exploration bonus of a child with ``visits`` visits, in units of the decision's exploration weight.

    It is at least 0. ``visits`` is a ``float32``, and 0 for an unvisited child (:func:`first_urgency`).
    """


@generic
def urgency(policy: Policy, tree: Tree, child: int, weight: float, span: float) -> float:
    """Return the urgency of a visited child; ``weight`` is the decision's exploration weight."""
    index = np.uint64(child)  # an unsigned index needs no test for wrapping: saves 5 % of a Gomoku simulation
    return tree.floats[MEAN, index] + weight * tree.floats[BONUS, index]


@generic
def first_urgency(policy: Policy, tree: Tree, first: int, child: int, weight: float, span: float) -> float:
    """Return the urgency of ``child``, the first unvisited one of a decision whose children begin at ``first``.

    By default it is infinite: every child is visited once before any is visited twice.
    """
    return np.inf


@kernel(internal=True)
def _expected_urgency(policy: Policy, tree: Tree, first: int, child: int, weight: float, reduction: float) -> float:
    """Return the urgency of an unvisited child, with its siblings' mean less ``reduction`` as its value.

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
    Fischer, "Finite-time analysis of the multiarmed bandit problem", Machine Learning 47, 2002). Their values are in
    [0, 1]; here the span scales the formula to the game's values.
    """

    c: float
    first_play: float  # value of an unvisited child: its siblings' mean less this share of the span
    once: bool  # visit unvisited children first instead


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
    first_play: float  # value of an unvisited child: its siblings' mean less this share of the span


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


# --- shared by all policies ------------------------------------------------------------------------------------------


@kernel(inline=True, internal=True)
def refresh(tree: Tree, node: int, policy: Policy) -> None:
    """Update the mean and bonus of a visited node, which selection reads."""
    visits = float32(tree.ints[node, VISITS])
    tree.floats[MEAN, node] = float32(tree.reals[node, VALUE]) / visits
    tree.floats[BONUS, node] = bonus(policy, visits, tree.floats[PRIOR, node])


@kernel(inline=True, internal=True)
def add_visits(tree: Tree, node: int, policy: Policy, count: int, total: float, squares: float) -> None:
    """Add ``count`` visits to a node, with the sums of their values and of the squared values."""
    tree.ints[node, VISITS] += count
    tree.reals[node, VALUE] += total
    tree.reals[node, SQUARES] += squares
    refresh(tree, node, policy)


@kernel(inline=True, internal=True)
def show_loss(tree: Tree, node: int, policy: Policy, loss: float) -> None:
    """Make a node look as if the running simulation were lost, until the node is refreshed.

    Virtual loss: Chaslot, Winands & van den Herik, "Parallel Monte-Carlo tree search", CG 2008. The simulation counts
    as one that is worth ``loss`` less than the mean: the mean falls by ``loss / (n + 1)`` after n visits.
    """
    visits = tree.ints[node, VISITS]
    if tree.floats[BONUS, node] == UNVISITED:
        tree.floats[MEAN, node] = -loss
        tree.floats[BONUS, node] = bonus(policy, float32(1.0), tree.floats[PRIOR, node])
    else:
        tree.floats[MEAN, node] -= float32(loss) / (float32(1.0) + float32(visits))
