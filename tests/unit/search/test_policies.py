"""A selection policy of one's own, outside the package, in this one file: UCB1-Tuned."""

import math
from typing import NamedTuple

import numpy as np
import pytest

from bromeliad.core.jit import JIT, kernel
from bromeliad.errors import InputError
from bromeliad.search import Searcher, SearchParams, bonus, exploration, register_policy, urgency
from bromeliad.search.policies import Puct, Uct, add_visits, first_urgency, make_policy
from bromeliad.search.selection import select_child
from bromeliad.search.settings import make_settings, pack
from bromeliad.search.tree import COUNT, FIRST, MEAN, SQUARES, VISITS, TreePool, clear_node, take_nodes
from bromeliad_games.tictactoe import TicTacToe
from games import hidden

pytestmark = pytest.mark.kernel


class Tuned(NamedTuple):
    """``mean + sqrt(ln N / n · min(1/4, V))``, for values in [0, 1]; V is an upper bound of the child's variance.

    Auer, Cesa-Bianchi & Fischer, "Finite-time analysis of the multiarmed bandit problem", Machine Learning 47, 2002.
    """

    c: float


@register_policy("tuned")
def _(params):
    return Tuned(params.uct_c)


@exploration.register(Tuned)
def _(policy, visits, span):
    return math.log(visits)


@bonus.register(Tuned)
def _(policy, visits, prior):
    return np.float32(1.0) / max(visits, np.float32(1.0))


@urgency.register(Tuned)
def _(policy, tree, child, weight, span):
    visits = tree.ints[child, VISITS]
    mean = np.float64(tree.floats[MEAN, child])
    variance = (tree.reals[child, SQUARES] / visits - mean * mean) / (4.0 * span * span)
    bound = min(0.25, variance + math.sqrt(2.0 * weight / visits))
    return mean + policy.c * 2.0 * span * math.sqrt(weight / visits * bound)


def test_a_policy_that_one_file_registers_is_searched_with():
    simulations = 3_000 if JIT else 500
    params = SearchParams(simulations=simulations, policy="tuned", memory_mb=8, early_stop="never")
    tuned = Searcher().search(TicTacToe.info, TicTacToe().new_state(), params)
    assert tuned.best == 4
    assert sum(item.visits for item in tuned.actions) == simulations


@kernel
def _two_children(tree, policy, settings):
    """Choose between a child whose values never scatter and one whose values do, alike in all else."""
    first = take_nodes(tree, 2)
    for i in range(2):
        clear_node(tree, first + i, i, 0, 0.5)
        add_visits(tree, first + i, policy, 1000, 0.0, 1000.0 * i)
    tree.ints[0, FIRST], tree.ints[0, COUNT], tree.ints[0, VISITS] = first, 2, 2000
    return select_child(tree, 0, settings, policy, 1.0) - first


def test_its_own_formula_decides():
    settings = pack(make_settings(SearchParams(), TicTacToe.info, TicTacToe().new_state()))
    assert _two_children(TreePool(1 << 20).reset(0), Uct(1.414, 0.0, True), settings) == 0
    assert _two_children(TreePool(1 << 20).reset(0), Tuned(1.414), settings) == 1


def test_it_serves_hidden_information_and_threads_too():
    params = SearchParams(simulations=400, policy="tuned", memory_mb=8, threads=2)
    assert Searcher().search(hidden.PEEK_INFO, hidden.new_peek(50), params).simulations == 400


def test_an_unknown_policy_is_refused_by_name():
    with pytest.raises(InputError, match=r"policy must be one of uct, puct, .*tuned.*, not 'sideways'"):
        SearchParams(policy="sideways")


def test_policies_take_their_numbers_from_the_parameters():
    assert make_policy(SearchParams(uct_c=2.0)) == Uct(2.0, 0.0, True)
    assert make_policy(SearchParams(first_play=0.3)) == Uct(1.414, 0.3, False)
    assert make_policy(SearchParams(policy="puct", puct_c=3.0, first_play=0.3)) == Puct(3.0, 0.3)


@kernel
def _ask(policy, tree, values):
    values[0] = exploration(policy, 5000, 2.0)
    values[1] = exploration(policy, 10, 2.0)
    values[2] = bonus(policy, np.float32(7.0), np.float32(0.25))
    values[3] = bonus(policy, np.float32(0.0), np.float32(0.25))
    values[4] = first_urgency(policy, tree, 1, 2, 1.0, 1.0)


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (Uct(1.5, 0.0, True), [3 * math.sqrt(math.log(5000)), 3 * math.sqrt(math.log(10)), 7**-0.5, 1.0, math.inf]),
        (Puct(1.5, 0.0), [3 * math.sqrt(5000), 3 * math.sqrt(10), 0.25 / 8, 0.25]),
        (Tuned(1.0), [math.log(5000), math.log(10), 1 / 7, 1.0, math.inf]),
    ],
)
def test_formulas(policy, expected):
    values = np.zeros(5)
    _ask(policy, TreePool(1 << 20).reset(0), values)
    assert values[: len(expected)] == pytest.approx(expected)
