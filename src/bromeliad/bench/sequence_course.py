"""The agent in the course's own framework, against the agents that others wrote for it.

The framework is not part of this package: ``BROMELIAD_SEQUENCE_FRAMEWORK`` names a directory that holds its
``game.py``, ``template.py`` and ``Sequence``, and agents as modules under ``agents``. ``BROMELIAD_SEQUENCE_AGENTS``
names the agents to play, separated by commas (``agents.group16.player``), ``BROMELIAD_SEQUENCE_GAMES`` how many games
each, and ``BROMELIAD_SEQUENCE_SECONDS`` what our agent may use of each second. Another
bench has our rules follow random games of the framework, move by move.
"""

import contextlib
import io
import math
import os
import random
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from bromeliad.bench.sequence_agreement import Agreement, Difference, follow_game
from bromeliad.evaluation.report import Section
from bromeliad.games.sequence import course
from bromeliad.matches.gomoku_match import GameRecord, MatchResult

__all__ = ["agreement_bench", "course_bench", "play_framework"]

_GAMES = 60
_PLAYOUTS = 20
_FOLLOWED = 1000  # random games
_MISSING = "not measured: set BROMELIAD_SEQUENCE_FRAMEWORK to a copy of the course framework"


def course_bench(quick: bool, seed: int) -> list[Section]:
    """Play the agents that the environment names; ``quick`` two games each."""
    agents = [name for name in os.environ.get("BROMELIAD_SEQUENCE_AGENTS", "agents.generic.random").split(",") if name]
    games = 2 if quick else int(os.environ.get("BROMELIAD_SEQUENCE_GAMES", _GAMES))
    seconds = float(os.environ.get("BROMELIAD_SEQUENCE_SECONDS", course.SECONDS))
    columns = ("opponent", "games", "won", "drawn", "lost", "score", "± error", "our warnings", "their warnings")
    if not _find_framework():
        return [Section("Sequence: in the course framework", columns, [], [_MISSING])]
    course.SECONDS = seconds
    rows = [play_framework(name, games, seed) for name in agents]
    notes = [
        f"two players, each deal twice with sides swapped; our agent uses at most {seconds} s of the second a move",
        f"the framework itself plays {_framework_rate(seed):.0f} random games a second on this machine",
    ]
    return [Section("Sequence: in the course framework", columns, rows, notes)]


def agreement_bench(quick: bool, seed: int) -> list[Section]:
    """Let our rules follow random games of the framework until they differ; ``quick`` twenty of them."""
    title, columns = "Sequence: our rules and the course framework's", ("games", "decisions", "actions", "difference")
    if not _find_framework():
        return [Section(title, columns, [], [_MISSING])]
    rule = import_module("Sequence.sequence_model").SequenceGameRule
    agreement, found, games = Agreement(), "none", 20 if quick else _FOLLOWED
    for number in range(games):
        random.seed(seed * 100_003 + number)  # the framework shuffles with it
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                follow_game(rule(2), random.Random(number), agreement)
        except Difference as difference:
            found = f"game {number}: {difference}"
            break
    row = (agreement.games, agreement.decisions, agreement.actions, found)
    notes = [
        "random games of the framework for two, followed by our rules: the legal actions of every decision, and after"
        " every action chips, sequences, hands and face-up cards, at last the winner"
    ]
    return [Section(title, columns, [row], notes)]


def _find_framework() -> bool:
    """Make the framework importable, if the environment names one."""
    path = os.environ.get("BROMELIAD_SEQUENCE_FRAMEWORK", "")
    if not Path(path, "game.py").exists():
        return False
    if path not in sys.path:
        sys.path.insert(0, path)
    return True


def play_framework(opponent: str, games: int, seed: int) -> tuple[object, ...]:
    """Play games in the framework (which must be importable) and return a row of the table."""
    theirs = import_module(opponent).myAgent
    result = MatchResult("bromeliad", opponent, course.SECONDS)
    warnings = [0, 0]
    for number in range(games):
        begins = number % 2 == 0
        classes = (course.myAgent, theirs) if begins else (theirs, course.myAgent)
        scores, warned = _one_game(classes, seed * 100_003 + number // 2)
        own, other = (scores[0], scores[1]) if begins else (scores[1], scores[0])
        warnings[0] += warned[0 if begins else 1]
        warnings[1] += warned[1 if begins else 0]
        result.games.append(GameRecord("", begins, 0.5 + 0.5 * math.copysign(own != other, own - other), ""))
    won, drawn, lost = result.counts
    mean, error = result.score
    return (opponent, games, won, drawn, lost, mean, error, *warnings)


def _one_game(classes: tuple[Any, Any], seed: int) -> tuple[dict[int, int], list[int]]:
    """Return the scores and warnings of a game of the framework."""
    rule = import_module("Sequence.sequence_model").SequenceGameRule
    with contextlib.redirect_stdout(io.StringIO()):
        agents = [make(i) for i, make in enumerate(classes)]
        game = import_module("game").Game(rule, agent_list=agents, num_of_agent=2, seed=seed, displayer=None)
        played = game.Run()
    return played["scores"], list(game.warnings)


def _framework_rate(seed: int) -> float:
    """Return how many random games the framework's rules play in a second, without its clock and copies."""
    rule = import_module("Sequence.sequence_model").SequenceGameRule
    random.seed(seed)
    began = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        for _ in range(_PLAYOUTS):
            game = rule(2)
            while not game.gameEnds():
                game.update(random.choice(game.getLegalActions(game.current_game_state, game.current_agent_index)))
    return _PLAYOUTS / (time.process_time() - began)
