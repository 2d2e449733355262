"""Sequence matches: the better strategy wins, and the same seed plays the same games."""

from functools import partial

import pytest

from bromeliad.core.budget import Budget
from bromeliad.errors import InputError
from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.player import strategy_named
from bromeliad.games.sequence.rules import rules_named
from bromeliad.games.sequence.table import SequenceTable
from bromeliad.matches.games import strategy_match
from bromeliad.matches.runner import play_match

GAME = Sequence("course")
NONE = Budget()


def play(names, games, budget=NONE, game=GAME, **options):
    pair = [strategy_named(name, game, budget, seed=3) for name in names]
    return play_match(strategy_match(partial(SequenceTable, game), pair[0], pair[1], games, seed=3, **options))


@pytest.mark.parametrize("rules", ["course", "official"])
def test_greedy_beats_random(rules):
    assert play(("greedy", "random"), 20, game=Sequence(rules)).score[0] >= 0.9


def test_a_match_is_reproducible_and_for_two_teams():
    games = [play(("mcts", "greedy"), 2, Budget(simulations=20)).games for _ in range(2)]
    assert games[0] == games[1]
    with pytest.raises(InputError, match="two teams"):
        play(("mcts", "greedy"), 2, game=Sequence(rules_named("official", 3)))


def test_a_match_goes_on_with_the_deals_after_those_already_played():
    whole = play(("greedy", "greedy"), 6).games
    assert [record.first_is_black for record in whole] == [True, False] * 3
    assert play(("greedy", "greedy"), 3, already=3).games == whole[3:]


def test_the_result_says_how_a_game_ended():
    games = play(("greedy", "random"), 4).games
    assert {record.reason.split()[-1] for record in games} == {"sequences"}
    assert min(int(record.reason.split()[0]) for record in games) == GAME.rules.goal


@pytest.mark.accept
def test_mcts_beats_greedy():
    assert play(("mcts", "greedy"), 200, Budget(simulations=8000)).score[0] >= 0.7
