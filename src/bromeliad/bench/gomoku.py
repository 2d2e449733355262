"""Gomoku: speed and strength compared with OpenSpiel's bot, the value of the learned model, punctuality."""

import shlex
import sys
import time
from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from bromeliad.bench.measuring import spiel_bot, spiel_game, thread_seconds
from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.core.budget import Budget
from bromeliad.games.gomoku.game import LEAF_NODES, Gomoku
from bromeliad.games.gomoku.model import Model, default_model, plain_model, seed_model
from bromeliad.games.gomoku.openings import balanced_openings
from bromeliad.games.gomoku.player import Player, search_params
from bromeliad.games.gomoku.position import GomokuTable
from bromeliad.matches.games import GameMatch, GamesResult
from bromeliad.matches.games import Player as MatchPlayer
from bromeliad.matches.players import ExternalEngine, OwnEngine
from bromeliad.matches.runner import play_match
from bromeliad.search import Searcher, SearchParams

_SIMULATIONS = 10_000
_SPIEL_SIMULATIONS = 2_000
_PROGRAM = "from bromeliad.games.gomoku.gomocup.protocol import main; main()"
_STONES = 8  # on the board when punctuality is measured
_EQUAL = 600  # simulations per move in comparisons at equal simulations


@bench("gomoku", minutes=20, page="strength", depends=("bromeliad.games.gomoku.gomocup.protocol",))
def gomoku_bench(quick: bool, seed: int) -> list[Section]:
    """Measure Gomoku; ``quick`` takes about a minute."""
    speed, rate = _speed(2 if quick else 9, seed)
    return [
        speed,
        _against_spiel(2 if quick else 100, 0.2 if quick else 1.0, rate, seed),
        _ways(2 if quick else 60, seed),
        _lateness((100,) if quick else (100, 300, 1000, 3000, 5000), 3 if quick else 10, seed),
    ]


def _speed(repeats: int, seed: int) -> tuple[Section, float]:
    """Measure the speed of random simulations; return the section and OpenSpiel's simulations per second."""
    game, other = Gomoku(patterns=False), spiel_game("gomoku")
    searcher = Searcher(SearchParams(simulations=_SIMULATIONS, early_stop="never", memory_mb=256, seed=seed))
    state = game.new_state()
    searcher.search(game.info, state)
    mine: list[float] = []
    theirs: list[float] = []
    for _ in range(repeats):  # in turn, so that other load affects both equally
        mine.append(_SIMULATIONS / thread_seconds(lambda: searcher.search(game.info, state)))
        if other is not None:
            bot = spiel_bot(other, _SPIEL_SIMULATIONS, seed)
            theirs.append(_SPIEL_SIMULATIONS / thread_seconds(partial(bot.mcts_search, other.new_initial_state())))
    rival = max(theirs) if theirs else float("nan")
    rows = [(max(mine), rival, max(mine) / rival)]
    notes = [
        f"UCT with random playouts from the empty 15 × 15 board, {_SIMULATIONS:,} simulations per search"
        f" ({_SPIEL_SIMULATIONS:,} for OpenSpiel), one thread, per second of processor time, best of {repeats}"
        " alternating runs. Target: 25 times OpenSpiel's C++ bot."
    ]
    return Section("Random simulations per second", ("ours /s", "OpenSpiel C++ /s", "ours / C++"), rows, notes), rival


class SpielEngine(MatchPlayer):
    """OpenSpiel's MCTS bot with random rollouts as a match player; ``simulations`` are per move."""

    def __init__(self, simulations: int, seed: int) -> None:
        self.name = "OpenSpiel"
        self._game = spiel_game("gomoku")
        self._simulations = simulations
        self._seed = seed
        self._bot: Any = None

    def new_game(self, table: GomokuTable) -> None:
        """Make a new bot with the next seed."""
        self._seed += 1
        self._bot = spiel_bot(self._game, self._simulations, self._seed)

    def move(self, table: GomokuTable) -> int:
        """Return the bot's move."""
        state = self._game.new_initial_state()
        for cell in table.cells:
            state.apply_action(cell)
        return int(self._bot.step(state))


_COLUMNS = ("first", "second", "budget per move", "games", "won", "drawn", "lost", "score", "±", "Elo", "from", "to")


def _row(result: GamesResult, budget: str) -> tuple[object, ...]:
    return (result.first, result.second, budget, len(result.games), *result.counts, *result.score, *result.elo)


def _against_spiel(games: int, seconds: float, rate: float, seed: int) -> Section:
    rows: list[tuple[object, ...]] = []
    if spiel_game("gomoku") is not None:
        game = Gomoku()
        own = OwnEngine(Player(game, seed=seed), "bromeliad", Budget(seconds))
        rival = SpielEngine(max(int(rate * seconds), 2), seed)  # as many as it runs in the same time
        openings = balanced_openings(Player(game, seed=seed), seed)
        match = GameMatch(own, rival, games, openings, partial(GomokuTable, game))
        rows.append(_row(play_match(match), f"{seconds:g} s"))
    notes = ["Balanced openings, colours swapped; ± is one standard error over pairs of games. Target: 98 %."]
    return Section("Match against OpenSpiel's bot with random rollouts", _COLUMNS, rows, notes)


def _engine(name: str, seed: int, model: Model, leaf_nodes: int = LEAF_NODES, **changes: Any) -> OwnEngine:
    game = Gomoku(model=model, leaf_nodes=leaf_nodes)
    return OwnEngine(Player(game, search_params(**changes), seed), name, Budget(simulations=_EQUAL))


def _ways(games: int, seed: int) -> Section:
    """Compare other models and parameters with the default at equal simulations."""
    playouts = {"playout_depth": 100, "candidates": 10}
    rivals = [
        _engine("hand-set model", seed, plain_model()),
        _engine("hand-made priors and playouts", seed, seed_model(), 0, **playouts),
        _engine("playouts of 100 moves", seed, default_model(), 0, **playouts),
        _engine("10 candidates", seed, default_model(), candidates=10),
        _engine("40 candidates", seed, default_model(), candidates=40),
        _engine("no proofs at leaves", seed, default_model(), 0),
    ]
    own = _engine("default", seed, default_model())
    openings = list(islice(balanced_openings(Player(Gomoku(), seed=seed), seed), games // 2))
    matches = [GameMatch(own, rival, games, openings, partial(GomokuTable, Gomoku())) for rival in rivals]
    rows = [_row(play_match(match), f"{_EQUAL} simulations") for match in matches]
    notes = ["The same openings for all, colours swapped. Both sides look for forced wins at the root."]
    return Section("The default against other settings", _COLUMNS, rows, notes)


def _lateness(turns: Sequence[int], repeats: int, seed: int) -> Section:
    """Measure how late a separate process answers through the protocol, as a match manager would."""
    game, rng = Gomoku(), np.random.default_rng(seed)
    rows: list[tuple[object, ...]] = []
    engine = ExternalEngine(shlex.join([sys.executable, "-c", _PROGRAM]), 1.0)
    try:
        for turn in turns:
            late = []
            for _ in range(repeats):
                engine.seconds = turn / 1000
                engine.new_game(GomokuTable(game))
                table = GomokuTable(game, rng.choice(game.size**2, _STONES, replace=False).tolist())
                start = time.perf_counter()
                engine.move(table)
                late.append(1000 * (time.perf_counter() - start) - turn)
            rows.append((turn, float(np.median(late)), max(late)))
    finally:
        engine.close()
    notes = [
        f"One process of pbrain-bromeliad, {repeats} random positions of {_STONES} stones per row, from BOARD to the"
        " answer; negative values are before the limit. Includes the load of the machine. Limit: 50 ms."
    ]
    return Section("Lateness of moves", ("timeout_turn ms", "median ms late", "most ms late"), rows, notes)
