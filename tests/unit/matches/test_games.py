"""Matches of a game from another package."""

import pytest

from bromeliad.core.playable import Setup
from bromeliad.errors import InputError
from bromeliad.matches.players import find_player, open_match
from bromeliad.matches.runner import play_match
from bromeliad.search.playable import SearchedGame
from bromeliad_games.connect4 import ConnectFour

GAME = SearchedGame("connect4", ConnectFour())


def play(*names, games=4, **options):
    with open_match(GAME, names, games, Setup(**options)) as match:
        return play_match(match)


def test_search_beats_chance():
    result = play("mcts:100sims", "random", games=12)
    assert result.score[0] >= 0.9
    assert (result.first, result.second, result.stop_reason) == ("mcts:100sims", "random", "games")
    assert {record.reason for record in result.games} <= {"win", "draw"}


def test_two_games_begin_with_the_same_moves_and_other_sides():
    games = play("mcts", "random", simulations=20).games
    starts = [record.moves.split()[:2] for record in games]
    assert starts[0] == starts[1]
    assert starts[2] == starts[3]
    assert [record.first_is_black for record in games] == [True, False] * 2
    assert [len(record.moves.split()) >= 7 for record in games] == [True] * 4


def test_the_seed_decides():
    assert play("mcts:20sims", "random", seed=5) == play("mcts:20sims", "random", seed=5)
    assert play("mcts:20sims", "random", seed=5) != play("mcts:20sims", "random", seed=6)


def test_equal_players_share_the_points():
    assert play("mcts", "mcts", simulations=30, games=6).score[0] == 0.5


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("nobody", "there is no strategy nobody; strategies: mcts, random"),
        ("mcts:often", "there is no strategy mcts:often"),
        ("mcts:0", "time"),
        ("mcts:0sims", "simulations"),
    ],
)
def test_a_wrong_name_is_refused(name, problem):
    with pytest.raises(InputError, match=problem):
        find_player(GAME, name, Setup())


def test_a_budget_behind_the_name_goes_before_that_of_the_match(monkeypatch):
    seen = []
    monkeypatch.setattr(GAME, "strategy", lambda name, setup: seen.append((name, setup.budget)))
    for name in ("mcts", "mcts:0.25", "mcts:7sims"):
        find_player(GAME, name, Setup(simulations=50))
    assert seen == [("mcts", (None, 50)), ("mcts", (0.25, None)), ("mcts", (None, 7))]
