"""Sequence: playouts and simulations per second, strength of the strategies, caches, punctuality."""

import time
from functools import partial

import numpy as np

from bromeliad.bench.measuring import thread_seconds
from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.core.budget import Budget
from bromeliad.core.game import (
    CHANCE,
    TERMINAL,
    apply,
    copy_into,
    playout_action,
    random_action,
    sample_chance,
    to_play,
)
from bromeliad.core.jit import Ints, int64, kernel
from bromeliad.core.rng import Rng, new_rng
from bromeliad.games.sequence.agent import AgentParams, Evaluators
from bromeliad.games.sequence.evaluate import score_action
from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.moves import MOST_ACTIONS
from bromeliad.games.sequence.player import Player, strategy_named
from bromeliad.games.sequence.rules import rules_named
from bromeliad.games.sequence.state import SequenceState
from bromeliad.games.sequence.table import SequenceTable
from bromeliad.games.sequence.team_value import position_value
from bromeliad.matches.games import strategy_match
from bromeliad.matches.runner import play_match

_MOVE = 0.9  # seconds per move when simulations are counted
_THINK = 8000  # simulations per turn in matches, about 0.1 s of an idle core


@kernel
def _play_out(start: SequenceState, state: SequenceState, actions: Ints, rng: Rng, games: int, heuristic: bool) -> int:
    """Play whole games, at random or by the playout policy; return the number of moves and chance events."""
    events = 0
    for _ in range(games):
        copy_into(state, start)
        while to_play(state) != TERMINAL:
            if to_play(state) == CHANCE:
                action = int64(sample_chance(state, rng))
            elif heuristic:
                action = int64(playout_action(state, actions, rng))
            else:
                action = int64(random_action(state, actions, rng))
            apply(state, action)
            events += 1
    return events


@bench("sequence", minutes=40, page="strength")
def sequence_bench(quick: bool, seed: int) -> list[Section]:
    """Measure Sequence; ``quick`` takes about a minute."""
    return [
        _playouts(500 if quick else 20_000, seed),
        _simulations(2 if quick else 10, seed),
        _strength(quick, seed),
        _caches(2 if quick else 20, seed),
        _punctuality(3 if quick else 20, seed),
    ]


def _playouts(games: int, seed: int) -> Section:
    rows: list[tuple[object, ...]] = []
    for name, players in (("course", 2), ("official", 2), ("official", 3), ("official", 12)):
        game = Sequence(rules_named(name, players))
        args = (game.new_state(), game.new_state(), np.zeros(MOST_ACTIONS, np.int64), new_rng(seed))
        for heuristic in (False, True):
            _play_out(*args, 1, heuristic)
            count = games // 10 if heuristic else games
            began = time.thread_time()
            events = _play_out(*args, count, heuristic)
            rate = count / (time.thread_time() - began)
            rows.append((name, players, "heuristic" if heuristic else "random", rate, events / count))
    notes = ["Whole games with their deal, one thread, processor time."]
    return Section("Sequence: playouts", ("rules", "players", "moves", "games/s", "events per game"), rows, notes)


def _middle(game: Sequence, seed: int, turns: int) -> SequenceState:
    """Return a position after ``turns`` turns of a game between greedy players."""
    table = SequenceTable(game, seed)
    greedy = strategy_named("greedy", game, Budget())
    while table.mover is not None and (table.view(None)["turn"] < turns or table.view(None)["mover"] is None):
        table.play(greedy.choose(table.state))
    return table.state if not table.over else _middle(game, seed + 1000, turns)


def _simulations(repeats: int, seed: int) -> Section:
    game = Sequence("course")
    rows: list[tuple[object, ...]] = []
    for turns in (0, 12, 24):
        counts, lengths = [], []
        for i in range(repeats):
            player = Player(game, AgentParams(share=1.0, early_stop=False), seed + i)
            answer = player.think(_middle(game, seed + i, turns), Budget(_MOVE))
            counts.append(answer.simulations)
            lengths.append(answer.search.cpu_seconds if answer.search else 0.0)
        rows.append((turns, float(np.mean(counts)), float(np.mean(counts) / np.mean(lengths)) if any(lengths) else 0.0))
    notes = [f"The agent's search, one thread, {repeats} positions from greedy games per row; seconds are wall time."]
    columns = ("after turns", f"simulations in {_MOVE} s", "simulations per CPU second")
    return Section("Sequence: simulations of a move", columns, rows, notes)


def _strength(quick: bool, seed: int) -> Section:
    rows: list[tuple[object, ...]] = []
    for name, first, second, games in (
        ("course", "greedy", "random", 20 if quick else 400),
        ("official", "greedy", "random", 20 if quick else 400),
        ("course", "mcts", "greedy", 2 if quick else 200),
        ("official", "mcts", "greedy", 2 if quick else 100),
        ("course", "mcts", "mcts:document", 2 if quick else 60),
    ):
        game = Sequence(name)
        budget = Budget(simulations=_THINK)
        pair = [strategy_named(each, game, budget, seed=seed + i) for i, each in enumerate((first, second))]
        result = play_match(strategy_match(partial(SequenceTable, game), pair[0], pair[1], games, seed=seed))
        won, drawn, lost = result.counts
        mean, error = result.score
        rows.append((name, f"{first} – {second}", games, won, drawn, lost, mean, error))
    notes = [f"Each deal twice with sides swapped; a draw is half a point; mcts runs {_THINK:,} simulations per turn."]
    columns = ("rules", "pairing", "games", "won", "drawn", "lost", "score", "± error")
    return Section("Sequence: strategies against each other", columns, rows, notes)


def _caches(games: int, seed: int) -> Section:
    """Measure the caches while a greedy player scores all legal moves in some games."""
    game, evaluators = Sequence("course"), Evaluators()
    asked = cached = plain = 0.0
    for i in range(games):
        table = SequenceTable(game, seed + i)
        while (mover := table.mover) is not None:
            actions = table.legal()
            began = time.perf_counter()
            scores = [evaluators.action(table.state, action) for action in actions]
            middle = time.perf_counter()
            for action in actions:
                score_action(table.state.data, action)
            plain += time.perf_counter() - middle
            cached += middle - began
            asked += len(actions)
            evaluators.state(table.state, game.rules.team_of(mover))
            table.play(actions[scores.index(max(scores))])
    statistics = evaluators.statistics()
    rows = [(name, used["room"], used["items"], used["hit_rate"]) for name, used in statistics.items()]
    notes = [
        f"Scoring a move from Python takes {1e6 * cached / asked:.2f} µs through the caches and"
        f" {1e6 * plain / asked:.2f} µs without. In the kernels of the search it takes"
        f" {1e9 * _in_kernel(game, seed):.0f} ns, so the search uses no cache.",
    ]
    return Section("Sequence: the caches of the evaluators", ("cache", "room", "items", "hit rate"), rows, notes)


@kernel
def _score_all(data: Ints, actions: Ints, count: int, repeats: int) -> int:
    """Score actions repeatedly; return a checksum."""
    total = int64(0)
    for _ in range(repeats):
        for i in range(count):
            total ^= score_action(data, actions[i])
    return total + int64(position_value(data, 0))


def _in_kernel(game: Sequence, seed: int) -> float:
    """Return the seconds that a kernel takes to score a move."""
    state = _middle(game, seed, 12)
    actions = np.array(game.legal(state), np.int64)
    _score_all(state.data, actions, actions.size, 1)
    return thread_seconds(lambda: _score_all(state.data, actions, actions.size, 5000)) / (5000 * actions.size)


def _punctuality(moves: int, seed: int) -> Section:
    game = Sequence("course")
    rows: list[tuple[object, ...]] = []
    for limit in (0.1, 0.5, 0.95):
        player = Player(game, AgentParams(early_stop=False), seed)
        spent = [player.think(_middle(game, seed + i, i % 30), Budget(limit)).seconds for i in range(moves)]
        rows.append((limit, moves, float(np.mean(spent)), max(spent)))
    notes = ["Wall time of a whole answer; the search may use 95 % of the limit."]
    return Section("Sequence: punctuality", ("limit, s", "moves", "mean, s", "longest, s"), rows, notes)
