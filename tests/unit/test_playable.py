"""The contract of games with the interfaces, for every game of the registry and for one without a line of its own."""

import numpy as np
import pytest

from bromeliad import registry
from bromeliad.core import kernel_cache
from bromeliad.core.budget import Cancel
from bromeliad.core.playable import Context, Playable, Request, Setup, TurnGame, read_options
from bromeliad.core.rng import below, new_rng
from bromeliad.core.table import Table
from bromeliad.errors import InputError
from bromeliad.games.gomoku.playable import GomokuPlayable, GomokuRequest
from bromeliad.games.gomoku.player import Player
from bromeliad.games.gomoku.position import read_position
from bromeliad.games.sequence.playable import SequencePlayable, SequenceRequest
from bromeliad.search.playable import SearchedGame
from bromeliad_games.connect4 import ConnectFour
from bromeliad_games.tictactoe import TicTacToe

pytestmark = pytest.mark.kernel

OTHERS = {"tictactoe": SearchedGame("tictactoe", TicTacToe()), "connect4": SearchedGame("connect4", ConnectFour())}
GAMES = {name: registry.playable(name) for name in registry.OWN} | OTHERS
TURN_GAMES = [name for name, game in GAMES.items() if isinstance(game, TurnGame)]
QUESTIONS = {
    "ofc": {"cards": "Kc 9d 3s", "board": "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d"},
    "gomoku": {"position": "E5F6E6", "size": 9, "simulations": 50},
    "sequence": {"deal": 7, "simulations": 50},
    "tictactoe": {"position": "b2 a1", "simulations": 50},
    "connect4": {"position": "4 4 3", "simulations": 50},
}
ANSWER = {"best", "value", "method", "line", "simulations", "elapsed_s", "stop_reason"}
CANDIDATE = {"move", "visits", "value", "stderr"}
WON = "H8A1I8A3J8A5"


@pytest.fixture(params=GAMES)
def game(request):
    return GAMES[request.param]


@pytest.fixture(params=TURN_GAMES)
def turn_game(request):
    return GAMES[request.param]


def test_games_say_what_they_are(game):
    assert isinstance(game, Playable)
    assert game.name in QUESTIONS
    assert game.game().info.name == game.name
    if isinstance(game, TurnGame):
        assert game.strategies
        assert set(game.kernels) <= set(kernel_cache.warmups())


def test_an_answer_has_the_same_names_in_every_game(game):
    answer = game.think(read_options(game.request, QUESTIONS[game.name]), Context(cancel=Cancel()))
    answer = answer if isinstance(answer, dict) else answer.model_dump(mode="json")
    assert set(answer) >= ANSWER
    assert type(answer["elapsed_s"]) is float
    for candidate in answer.get("candidates", ()):
        assert set(candidate) >= CANDIDATE


def test_progress_tells_of_candidates(turn_game):
    told = []
    data = QUESTIONS[turn_game.name] | {"simulations": 100_000_000}
    turn_game.think(read_options(turn_game.request, data), Context(told.append, Cancel(lambda: bool(told))))
    assert all(set(entry) >= CANDIDATE for progress in told for entry in progress.actions)
    assert told
    assert told[-1].actions


def test_a_cancelled_question_is_answered_with_the_best_so_far(turn_game):
    request = read_options(turn_game.request, QUESTIONS[turn_game.name] | {"simulations": 100_000_000})
    assert turn_game.think(request, Context(cancel=Cancel(lambda: True)))["best"]


def everything(table):
    return [part.tobytes() for part in table.state if isinstance(part, np.ndarray)], list(table.history), table.moves()


def test_moves_are_taken_back_with_all_that_followed(turn_game):
    table, rng, before = turn_game.table(turn_game.sitting(), 3), new_rng(1), []
    while not table.over and len(before) < 30:
        before.append(everything(table))
        actions = table.legal()
        table.play(actions[int(below(rng, len(actions)))])
    after = everything(table)
    moves = list(table.history)
    for expected in reversed(before):
        table.undo()
        assert everything(table) == expected
    for move in moves:
        table.play(table.read(move))
    assert everything(table) == after
    with pytest.raises(InputError):
        turn_game.table(turn_game.sitting(), 3).undo()


def test_boards_are_drawn(turn_game):
    table = turn_game.table(turn_game.sitting(), 1)
    empty = table.draw(0)
    table.play(table.legal()[0])
    assert empty
    assert table.draw(0) != empty


def test_strategies_play_by_their_names(turn_game):
    setup = turn_game.setup(simulations=20)
    for name in turn_game.strategies:
        table = turn_game.table(setup, 5)
        assert turn_game.strategy(name, setup).choose(table.state) in table.legal()
    with pytest.raises(InputError, match="strategies: "):
        turn_game.strategy("nobody", setup)


class TestOptions:
    def test_time_or_simulations(self):
        with pytest.raises(InputError, match="not both"):
            read_options(Request, {"time": 1, "simulations": 5})
        assert Setup(time=2.0).budget == (2.0, None)
        assert Setup(simulations=5).budget == (None, 5)
        assert Setup().budget == (1.0, None)

    @pytest.mark.parametrize(
        ("data", "problem"),
        [
            ({"time": 0}, "--time: must be more than 0"),
            ({"simulations": 0}, "--simulations: must be 1 or more"),
            ({"nonsense": 1}, "--nonsense: is not a known field; allowed: time, simulations, seed, position"),
        ],
    )
    def test_the_field_at_fault_is_named(self, data, problem):
        with pytest.raises(InputError) as caught:
            read_options(Request, data, "--")
        assert str(caught.value) == problem

    def test_only_who_sits_at_the_machine_names_its_files(self):
        assert read_options(GomokuRequest, {"model": "/own.npz"}).model == "/own.npz"
        with pytest.raises(ValueError, match="must be one of default, plain, seed"):
            GomokuRequest.model_validate({"model": "/own.npz"})

    def test_a_position_of_sequence_may_be_typed_in_many_ways(self):
        position = SequencePlayable().show(SequenceRequest(deal=7))
        typed = position | {"hand": " ".join(position["hand"])}
        assert read_options(SequenceRequest, {"position": typed}).position.hand == tuple(position["hand"])
        for data in ({}, {"position": position, "deal": 7}):
            with pytest.raises(InputError, match="give either a position or a deal"):
                read_options(SequenceRequest, data)


class TestGomoku:
    @pytest.mark.parametrize("effort", ["play", "prove"])
    @pytest.mark.parametrize("position", [WON, "H8I9G7", ""])
    def test_one_solver_for_every_effort(self, position, effort):
        game = GomokuPlayable()
        request = GomokuRequest(position=position, effort=effort, simulations=60, seed=3)
        answer = game.think(request)
        player = Player(game.game(request), seed=3)
        found = player.think(read_position(player.game, position), request.budget, effort=effort)
        assert answer["best"] == game.game(request).action_to_string(None, found.best)
        assert (answer["result"], answer["nodes"]) == (found.result, found.nodes)
        assert answer["result"] == ("win" if position == WON else "unknown" if effort == "play" else "none")
        assert answer["proved"] == (position == WON)

    def test_older_names_stay(self):
        game = GomokuPlayable()
        for position, methods in (
            (WON, ("fours", "fours")),
            ("H8I9G7", ("mcts", "search")),
            ("", ("opening", "opening")),
        ):
            answer = game.think(GomokuRequest(position=position, simulations=60))
            assert (answer["method"], answer["how"]) == methods
            assert all(entry["cell"] == entry["move"] for entry in answer["candidates"])
        proved = game.think(GomokuRequest(effort="prove", simulations=60))
        assert (proved["method"], proved["how"]) == ("opening", "search")


def test_older_names_of_sequence_stay():
    answer = SequencePlayable().think(SequenceRequest(deal=7, simulations=50))
    assert answer["seconds"] == answer["elapsed_s"]
    assert all(entry["error"] == entry["stderr"] for entry in answer["candidates"])
    assert answer["method"] == "mcts"


class TestRegistry:
    def test_a_game_that_is_missing(self):
        with pytest.raises(InputError, match="there is no game nothing; games: ofc, gomoku, sequence"):
            registry.playable("nothing")

    def test_a_package_that_does_not_have_what_it_promises(self, monkeypatch):
        locations = registry._locations() | {"broken": "bromeliad_games.connect4:Nothing"}
        monkeypatch.setattr(registry, "_locations", lambda: locations)
        with pytest.raises(InputError, match="the game broken cannot be loaded"):
            registry.playable("broken")

    def test_a_class_that_is_no_game(self, monkeypatch):
        locations = registry._locations() | {"odd": "bromeliad.storage.playable:OfcPlayable"}
        monkeypatch.setattr(registry, "_locations", lambda: locations)
        with pytest.raises(InputError, match=r"the game odd cannot be loaded: .*info"):
            registry.playable("odd")

    def test_a_game_needs_no_warm_up_of_its_own(self):
        class Plain(TicTacToe):
            pass

        Plain.__module__ = __name__
        game = SearchedGame("plain", Plain())
        assert game.kernels == (__name__,)
        assert __name__ in kernel_cache.warmups()
        assert isinstance(game.table(Setup(), 1), Table)
