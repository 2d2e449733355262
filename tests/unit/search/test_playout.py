"""The optional functions of a game are called, and have their effect."""

import pytest

from bromeliad.core.jit import JIT
from bromeliad.search import Searcher, SearchParams
from games import climb

pytestmark = pytest.mark.kernel
SIMULATIONS = 2_000 if JIT else 200


@pytest.fixture(scope="module")
def searcher():
    return Searcher(SearchParams(simulations=SIMULATIONS, memory_mb=2, early_stop="never"))


def test_the_playout_policy_is_followed(searcher):
    """Steps of one reach the top exactly, so without random moves every simulation has the same value."""
    params = searcher.params.but(playout_random=0.0, tree_depth=1)
    result = searcher.search(climb.INFO, climb.new_climb(10), params)
    assert {item.mean for item in result.actions} == {float(climb.TOP)}
    mixed = searcher.search(climb.INFO, climb.new_climb(10), params.but(playout_random=0.5))
    assert all(item.mean < climb.TOP for item in mixed.actions)


def test_hopeless_actions_get_no_child(searcher):
    result = searcher.search(climb.INFO, climb.new_climb())
    assert {item.action for item in result.actions} == {1, 2}
    every = searcher.search(climb.INFO, climb.new_climb(), searcher.params.but(prune_hopeless=False))
    assert {item.action for item in every.actions} == {1, 2, 3}


def test_a_known_value_ends_the_tree_and_the_playout(searcher):
    result = searcher.search(climb.INFO, climb.new_climb(known=1))
    assert {item.mean for item in result.actions} == {50.0}
    assert result.tree.max_depth == 1
    later = searcher.search(climb.INFO, climb.new_climb(known=15))
    assert {item.mean for item in later.actions} == {50.0}
    assert result.tree.nodes < later.tree.nodes


def test_a_cut_playout_ends_in_the_estimate(searcher):
    params = searcher.params.but(playout_random=0.0, tree_depth=1, playout_depth=2)
    result = searcher.search(climb.INFO, climb.new_climb(), params)
    assert result.values() == {1: 103.0, 2: 104.0}


def test_estimates_count_in_halving(searcher):
    params = searcher.params.but(root_policy="halving", playout_random=0.0, shrinkage=1e9)
    result = searcher.search(climb.INFO, climb.new_climb(10), params)
    assert result.best == 3
    assert {item.mean for item in result.actions} == {float(climb.TOP)}
    assert result.actions[0].score == pytest.approx(113.0, abs=0.01)


def test_candidates_are_limited_to_the_best_scores(searcher):
    result = searcher.search(climb.INFO, climb.new_climb(10), searcher.params.but(candidates=2))
    assert {item.action for item in result.actions} == {2, 3}


@pytest.mark.parametrize(
    ("height", "share", "candidates", "depth"), [(0, 0.4, 12, 4), (10, 0.8, 12, 4), (19, 0.9, 20, 6)]
)
def test_the_time_manager_asks_for_phase_and_criticality(searcher, height, share, candidates, depth):
    params = searcher.params.but(seconds=0.1, manage_time=True)
    used = searcher.search(climb.INFO, climb.new_climb(height), params).params
    assert used.seconds == pytest.approx(0.1 * share)
    assert (used.candidates, used.playout_depth) == (candidates, depth)


def test_values_are_scaled_by_their_range(searcher):
    """Points far from [-1, 1] are searched as well as points within."""
    result = searcher.search(climb.INFO, climb.new_climb(16), searcher.params.but(playout_random=1.0))
    assert result.value == pytest.approx(climb.TOP, abs=4.0)
