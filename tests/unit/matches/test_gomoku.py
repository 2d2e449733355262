"""Gomoku matches: swapped colours, failing engines, and the sequential test."""

import sys
from functools import partial

import pytest

from bromeliad import registry
from bromeliad.core.budget import Budget, Cancel
from bromeliad.errors import BromeliadError, InputError
from bromeliad.games.gomoku.game import Gomoku
from bromeliad.games.gomoku.notation import parse_stones
from bromeliad.games.gomoku.player import Player
from bromeliad.games.gomoku.position import GomokuTable
from bromeliad.matches.games import GameMatch
from bromeliad.matches.players import ExternalEngine, OwnEngine, open_match
from bromeliad.matches.runner import play_match
from bromeliad.matches.sprt import Sprt

SEVEN = Gomoku(7)


class Wrong(OwnEngine):
    """A player who plays on a taken cell."""

    def move(self, table):
        return table.cells[0]


def engine(name, kind=OwnEngine, game=SEVEN, simulations=5, seed=1):
    return kind(Player(game, seed=seed), name, Budget(simulations=simulations))


def match(first, second, openings, game=SEVEN):
    return GameMatch(first, second, 2 * len(openings), openings, partial(GomokuTable, game))


def right_and_wrong():
    return engine("right"), engine("wrong", Wrong)


def test_colours_are_swapped_and_all_is_counted():
    pair = [engine(f"p{i}", simulations=20, seed=i) for i in (1, 2)]
    result = play_match(match(*pair, [[24], [24, 25]]))
    assert [record.first_is_black for record in result.games] == [True, False] * 2
    assert [len(parse_stones(record.moves, 7)) > 2 for record in result.games] == [True] * 4
    assert sum(result.counts) == 4
    assert result.to_json()["first"] == "p1"
    assert (result.verdict, result.stop_reason) == ("", "games")


def test_who_breaks_the_rules_loses():
    result = play_match(match(*right_and_wrong(), [[24]]))
    assert result.counts == (2, 0, 0)
    assert result.games[0].reason == "wrong played an illegal move"
    assert result.to_json()["elo"] == [None, pytest.approx(-676, abs=1), None]


@pytest.mark.parametrize(("step", "verdict"), [(1, "better"), (-1, "not better")])
def test_the_sequential_test_ends_a_match(step, verdict):
    result = play_match(match(*right_and_wrong()[::step], [[24]] * 20), sprt=Sprt.of_elo(0.0, 100.0))
    assert (result.verdict, result.stop_reason) == (verdict, "sprt")
    assert len(result.games) in range(4, 40, 2)


def test_a_test_may_stay_undecided():
    assert play_match(match(*right_and_wrong(), [[24]]), sprt=Sprt.of_elo(0.0, 100.0)).verdict == "undecided"


def test_who_cancels_keeps_the_finished_games():
    cancel, played = Cancel(), []

    class Stopping(OwnEngine):
        def move(self, table):
            if played:
                cancel.cancel()
            return super().move(table)

    pair = engine("a", Stopping), engine("b")
    result = play_match(match(*pair, [[24]] * 5), on_played=played.append, cancel=cancel)
    assert result.games == played
    assert (len(played), result.stop_reason) == (1, "cancelled")
    with pytest.raises(InputError, match="no game was finished"):
        play_match(match(*pair, [[24]]), cancel=cancel)


def test_an_engine_that_does_not_start_ends_the_match_and_one_that_ends_loses():
    game = Gomoku(9)
    own = engine("own", game=game, simulations=10)
    silent = ExternalEngine(f"{sys.executable} -c pass", 0.1)
    with pytest.raises(BromeliadError):
        play_match(match(own, silent, [[40]], game))
    silent.close()
    once = ExternalEngine(f"{sys.executable} -c \"input(); print('OK', flush=True); [input() for _ in range(7)]\"", 0.1)
    games = play_match(match(own, once, [[40, 41]], game)).games
    assert [record.score for record in games] == [1.0, 1.0]
    for record in games:
        assert len(parse_stones(record.moves, 9)) >= 2
    once.close()


def test_an_engine_that_ends_with_the_match_has_not_lost():
    cancel = Cancel()

    class Ending(ExternalEngine):
        def move(self, table):
            cancel.cancel()  # like Ctrl-C, which reaches the engine too
            self._process._process.kill()
            return super().move(table)

    ending = Ending(f"{sys.executable} -c 'from bromeliad.games.gomoku.gomocup.protocol import main; main()'", 0.1)
    with pytest.raises(InputError, match="no game was finished"):
        play_match(match(ending, engine("own"), [[24]]), cancel=cancel)
    ending.close()


def openings(count, **options):
    game = registry.playable("gomoku")
    found = game.openings(game.match_setup(size=9, **options))
    return [next(found)[1] for _ in range(count)]


def test_openings_are_drawn_by_the_seed_or_read_again_and_again(tmp_path):
    assert openings(2, seed=1) == openings(2, seed=1) != openings(2, seed=2)
    path = tmp_path / "openings.txt"
    path.write_text("0,0\n0,0 1,1\n")
    assert openings(3, openings=str(path)) == ["E5", "E5F4", "E5"]
    path.write_text("")
    with pytest.raises(InputError, match="has no opening"):
        openings(1, openings=str(path))


def test_players_by_name(tmp_path):
    game = registry.playable("gomoku")
    setup = game.match_setup(size=7, simulations=5)
    with open_match(game, ("bromeliad:plain", "random"), 2, setup) as played:
        result = play_match(played)
    assert (result.first, result.second, len(result.games)) == ("bromeliad:plain", "random", 2)
    with pytest.raises(InputError, match="cannot be started"), open_match(game, ("/no/engine", "mcts"), 2, setup):
        pass
