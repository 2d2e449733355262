"""Two threads find the same moves as one, in all three modes, and lose no visit.

Not marked as kernel tests: in plain Python the stand-ins for atomics are not atomic.
"""

import pytest

from bromeliad.search import Searcher, SearchParams
from games.cases import CASES

SIMULATIONS = 60_000


@pytest.fixture(scope="module")
def searcher():
    return Searcher()


@pytest.mark.parametrize("parallel", ["tree", "root", "leaf"])
@pytest.mark.parametrize("policy", ["uct", "puct"])
@pytest.mark.parametrize("name", CASES)
def test_two_threads(searcher, name, policy, parallel):
    case = CASES[name]
    simulations = SIMULATIONS * (2 if parallel == "leaf" else 1)  # each leaf is played twice
    params = SearchParams(
        simulations=simulations,
        policy=policy,
        early_stop="never",
        memory_mb=32,
        threads=2,
        parallel=parallel,
        value_scale=case.scale,
    )
    result = searcher.search(case.info, case.state, params)
    assert result.best in case.right
    assert result.value == pytest.approx(case.value, abs=2 * case.tolerance)
    assert sum(item.visits for item in result.actions) == result.simulations == simulations


def test_a_tree_for_each_thread_is_reproducible(searcher):
    case = CASES["nim 1 2 4"]
    params = SearchParams(simulations=5_001, threads=2, parallel="root", memory_mb=32)
    results = [searcher.search(case.info, case.state, params.but(slice_seconds=s)) for s in (0.001, 0.001, 1.0)]
    assert results[0].actions == results[1].actions == results[2].actions


@pytest.mark.parametrize("simulations", [1, 2, 3, 1_001])
@pytest.mark.parametrize("parallel", ["tree", "root", "leaf"])
def test_visits_equal_simulations(searcher, parallel, simulations):
    case = CASES["three players"]
    params = SearchParams(simulations=simulations, early_stop="never", threads=2, parallel=parallel, memory_mb=32)
    result = searcher.search(case.info, case.state, params)
    assert sum(item.visits for item in result.actions) == result.simulations
    # Leaf parallelism plays every leaf once on each thread, so it rounds up.
    assert simulations <= result.simulations <= simulations + (1 if parallel == "leaf" else 0)


def test_many_threads_on_few_cores_lose_nothing(searcher):
    case = CASES["tictactoe, empty board"]
    params = SearchParams(simulations=20_000, early_stop="never", threads=8, memory_mb=32, virtual_loss=3)
    result = searcher.search(case.info, case.state, params)
    assert sum(item.visits for item in result.actions) == 20_000
    assert all(abs(item.mean) <= 1.0 for item in result.actions)


def test_sequential_halving_does_not_depend_on_threads(searcher):
    case = CASES["pig, last turn, 18"]
    params = SearchParams(simulations=6_000, root_policy="halving", memory_mb=32)
    alone = searcher.search(case.info, case.state, params)
    together = searcher.search(case.info, case.state, params.but(threads=3))
    assert alone.actions == together.actions
