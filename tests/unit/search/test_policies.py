"""Selection policies: those of the package, and the one in the documentation, a single file outside the package."""

import importlib
import math
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from bromeliad.core.jit import JIT, kernel
from bromeliad.errors import InputError
from bromeliad.search import Searcher, SearchParams, bonus, exploration
from bromeliad.search.policies import Puct, Uct, add_visits, first_urgency, make_policy
from bromeliad.search.selection import select_child
from bromeliad.search.settings import make_settings, pack
from bromeliad.search.tree import COUNT, FIRST, VISITS, TreePool, clear_node, take_nodes
from bromeliad_games.tictactoe import TicTacToe
from games import hidden

pytestmark = pytest.mark.kernel
GUIDE = Path(__file__).parents[3] / "docs" / "search.md"


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    """Return the class of the policy that the documentation shows, from a file with its code and nothing else."""
    (code,) = (
        block
        for block in re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
        if "@register_policy" in block
    )
    folder = tmp_path_factory.mktemp("policy")
    (folder / "tuned_policy.py").write_text(code, encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module("tuned_policy").Tuned
    finally:
        sys.path.remove(str(folder))


def test_a_policy_that_one_file_registers_is_searched_with(tuned):
    simulations = 3_000 if JIT else 500
    params = SearchParams(simulations=simulations, policy="tuned", memory_mb=8, early_stop="never")
    result = Searcher().search(TicTacToe.info, TicTacToe().new_state(), params)
    assert result.best == 4
    assert sum(item.visits for item in result.actions) == simulations


@kernel
def _two_children(tree, policy, settings):
    """Choose between a child whose values never scatter and one whose values do, alike in all else."""
    first = take_nodes(tree, 2)
    for i in range(2):
        clear_node(tree, first + i, i, 0, 0.5)
        add_visits(tree, first + i, policy, 1000, 0.0, 1000.0 * i)
    tree.ints[0, FIRST], tree.ints[0, COUNT], tree.ints[0, VISITS] = first, 2, 2000
    return select_child(tree, 0, settings, policy, 1.0) - first


def test_its_own_formula_decides(tuned):
    settings = pack(make_settings(SearchParams(), TicTacToe.info, TicTacToe().new_state()))
    assert _two_children(TreePool(1 << 20).reset(0), Uct(1.414, 0.0, True), settings) == 0
    assert _two_children(TreePool(1 << 20).reset(0), tuned(1.414), settings) == 1


def test_it_serves_hidden_information_and_threads_too(tuned):
    params = SearchParams(simulations=400, policy="tuned", memory_mb=8, threads=2)
    assert Searcher().search(hidden.PEEK_INFO, hidden.new_peek(50), params).simulations == 400


def test_an_unknown_policy_is_refused_by_name(tuned):
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
    ],
)
def test_formulas(policy, expected):
    values = np.zeros(5)
    _ask(policy, TreePool(1 << 20).reset(0), values)
    assert values[: len(expected)] == pytest.approx(expected)


def test_what_a_policy_does_not_provide_has_a_default(tuned):
    values = np.zeros(5)
    _ask(tuned(1.0), TreePool(1 << 20).reset(0), values)
    assert values == pytest.approx([math.log(5000), math.log(10), 1 / 7, 1.0, math.inf])
