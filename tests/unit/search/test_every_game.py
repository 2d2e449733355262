"""One kernel searches every game: the registered ones, and the one in the documentation."""

import importlib
import re
import sys
from pathlib import Path

import pytest

from bromeliad import registry
from bromeliad.core.game import CHANCE, TERMINAL, Game, apply, sample_chance, to_play
from bromeliad.core.jit import JIT
from bromeliad.core.playable import TurnGame
from bromeliad.core.rng import new_rng
from bromeliad.search import Searcher, SearchParams, mcts
from bromeliad_games.connect4 import ConnectFour
from bromeliad_games.tictactoe import TicTacToe

GUIDE = Path(__file__).parents[3] / "docs" / "adding-a-game.md"
GAMES = {"tictactoe": TicTacToe(), "connect4": ConnectFour()} | {name: registry.get(name) for name in registry.names()}


def position_of(game):
    """Return a random position with a player to move."""
    for seed in range(100):
        rng = new_rng(seed)
        state = game.random_state(rng)
        while to_play(state) == CHANCE:
            apply(state, sample_chance(state, rng))
        if to_play(state) != TERMINAL:
            return state
    raise AssertionError("no position with a move in a hundred")


def is_compiled_for(cls):
    return any(signature[0].instance_class is cls for signature in mcts.search.dispatcher.signatures)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("root_policy", ["tree", "halving"])
def test_every_registered_game_is_searched_by_the_one_kernel(name, root_policy):
    game = GAMES[name]
    state = position_of(game)
    params = SearchParams(simulations=300, memory_mb=16, root_policy=root_policy, early_stop="never")
    result = Searcher().search(game.info, state, params)
    assert 0 < sum(item.visits for item in result.actions) <= 300
    assert game.action_from_string(state, game.action_to_string(state, result.best)) == result.best
    assert is_compiled_for(type(state))


@pytest.mark.kernel
def test_the_game_of_the_documentation(tmp_path, monkeypatch, capsys):
    text = GUIDE.read_text(encoding="utf-8")
    game_code, search_code, options_code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(game_code.splitlines()) <= 100
    (tmp_path / "twentyone.py").write_text(game_code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("twentyone")
    monkeypatch.delitem(sys.modules, "twentyone", raising=False)
    monkeypatch.setitem(sys.modules, "twentyone", module)
    game = module.TwentyOne()
    assert isinstance(game, Game)
    exec(search_code if JIT else search_code.replace("20_000", "500"), vars(module))
    assert "simulations in" in capsys.readouterr().out
    if JIT:  # five hundred are too few for a game of twenty-one moves
        assert game.action_to_string(None, module.result.best) == "+1"
    exec(options_code, vars(module))
    playable = module.TwentyOneGame()
    assert isinstance(playable, TurnGame)
    question = playable.request(position="+3", start=11, simulations=500)
    assert playable.think(question)["best"] == "+3"
    perfect = playable.strategy("perfect", question)
    assert perfect.choose(playable.read(question)) == 3
