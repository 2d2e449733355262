"""The tree keeps its budget, is still searched when it is full, and counts its nodes."""

import numpy as np
import pytest

from bromeliad.core.jit import JIT
from bromeliad.errors import InputError
from bromeliad.search import Searcher, SearchParams
from bromeliad.search.engine import Engine
from bromeliad.search.tree import TreePool
from bromeliad_games.connect4 import ConnectFour
from games import hidden, pig

pytestmark = pytest.mark.kernel
GAME = ConnectFour()


@pytest.mark.parametrize("budget", [1 << 18, 1 << 20, 10_000_019])
@pytest.mark.parametrize("flags", [{}, {"outcomes": False, "hidden": False}, {"bounds": False, "keys": False}])
def test_a_pool_stays_within_its_budget(budget, flags):
    pool = TreePool(budget, **flags)
    assert pool.size <= budget
    assert pool.size > 0.7 * budget


def test_a_pool_refuses_a_budget_that_holds_nothing():
    with pytest.raises(InputError, match="too few"):
        TreePool(1000)


@pytest.mark.parametrize("parallel", ["tree", "root", "leaf"])
@pytest.mark.parametrize("table_mb", [0.0, 1.0])
def test_an_engine_stays_within_its_budget(parallel, table_mb):
    params = SearchParams(memory_mb=8, table_mb=table_mb, threads=4, parallel=parallel)
    engine = Engine(GAME.info, GAME.new_state(), params)
    assert engine.size <= 8 * 2**20


@pytest.mark.parametrize(
    ("info", "state"),
    [(GAME.info, GAME.new_state()), (pig.INFO, pig.new_pig()), (hidden.KUHN_INFO, hidden.new_kuhn(1))],
    ids=["connect four", "pig", "kuhn"],
)
def test_a_full_tree_goes_on_searching(info, state):
    simulations = 100_000 if JIT else 600
    params = SearchParams(memory_mb=1)
    engine = Engine(info, state, params)
    engine.pools = [TreePool(30_000, keys=False)]  # a few hundred nodes
    engine.begin(state, params)
    assert engine.run(simulations, np.zeros(1, np.int64)) == simulations
    assert engine.statistics().visits.sum() == simulations
    used = engine.tree_statistics(simulations)
    assert used.nodes <= used.capacity
    assert used.full == (info.name != "kuhn")  # whose whole tree fits


def test_nodes_are_counted_and_reused():
    searcher = Searcher(SearchParams(simulations=200, memory_mb=1, early_stop="never"))
    first = searcher.search(GAME.info, GAME.new_state()).tree
    assert (first.acquired, first.reused) == (first.nodes, 0)
    second = searcher.search(GAME.info, GAME.new_state()).tree
    assert second.acquired == first.nodes + second.nodes
    assert second.reused == second.nodes == first.nodes
    assert not second.full
    assert 1.0 <= second.mean_depth <= second.max_depth <= 42
