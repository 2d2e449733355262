"""Long runs: memory over time, punctuality, strength on positions that need many simulations, threads against one."""

import math

import pytest

from bromeliad.bench import search
from bromeliad.search import Searcher, SearchParams
from bromeliad_games.connect4 import ConnectFour
from games import nim

pytestmark = pytest.mark.accept


def test_memory_stays_within_its_budget_for_as_long_as_it_runs():
    section = search._memory(20.0, seed=1)
    grown = {row[0]: row[1] for row in section.rows}
    assert set(grown) == {"one thread", "tree", "root", "leaf"}
    assert max(grown.values()) < 64.0
    assert all(row[4] == "True" for row in section.rows)  # every tree was full, and all went on


def test_answers_come_in_time():
    section = search._punctuality(200, seed=1)
    for what, _mode, *_, p99, _worst in section.rows:
        assert p99 <= (100.0 if what == "cancel" else 50.0)


def test_two_threads_on_one_tree_play_as_well_as_one_thread_at_equal_simulations():
    section = search._quality(1500, seed=1)
    found = {row[0]: row[1:] for row in section.rows}
    for policy in ("uct", "puct"):
        one, error = found[f"{policy}, 1 thread"]
        other, other_error = found[f"{policy}, 2 threads, tree"]
        assert other >= one - 3.0 * math.hypot(error, other_error)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("policy", ["uct", "puct"])
def test_connect_four_begins_in_the_centre(policy, threads):
    game = ConnectFour()
    params = SearchParams(simulations=50_000, policy=policy, threads=threads, memory_mb=64)
    assert Searcher(params).search(game.info, game.new_state()).best == 3


def test_a_larger_nim_is_won():
    params = SearchParams(simulations=2_000_000, memory_mb=256)
    result = Searcher(params).search(nim.INFO, nim.new_nim(3, 4, 5))
    assert result.best == 2  # two from the first pile
    assert result.value > 0.5
