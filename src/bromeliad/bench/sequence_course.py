"""The Sequence agent in the course's framework: matches against other agents, and agreement with its rules.

The framework is not part of this package. ``BROMELIAD_SEQUENCE_FRAMEWORK`` is a directory with its ``game.py``,
``template.py`` and ``Sequence``, and with agents as modules under ``agents``. ``BROMELIAD_SEQUENCE_AGENTS`` lists the
opponents, separated by commas (``agents.group16.player``). ``BROMELIAD_SEQUENCE_GAMES`` is the number of games against
each, and ``BROMELIAD_SEQUENCE_SECONDS`` the part of each second that our agent may use.
"""

import contextlib
import io
import math
import os
import random
import sys
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.games.sequence import course
from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.moves import CHOOSE, DECLINE, EXCHANGE, PLACE, REMOVE
from bromeliad.games.sequence.moves import make as make_action
from bromeliad.games.sequence.notation import card_name, parse_card
from bromeliad.games.sequence.position import board_rows, cards_in
from bromeliad.games.sequence.rules import SIDE
from bromeliad.games.sequence.state import DRAFT, DRAWN, SEQUENCES, WINNER, SequenceState, hand_at
from bromeliad.matches.tally import Tally

_GAMES = 60
_PLAYOUTS = 20
_LETTERS = str.maketrans("RB", "XO")  # the framework's letters for chips in sequences
_FOLLOWED = 1000  # random games to compare
_MISSING = "not measured: set BROMELIAD_SEQUENCE_FRAMEWORK to a copy of the course framework"


@bench("sequence-course", minutes=45, page="strength")
def course_bench(quick: bool, seed: int) -> list[Section]:
    """Play against the agents listed in the environment, two games each if ``quick``."""
    agents = [name for name in os.environ.get("BROMELIAD_SEQUENCE_AGENTS", "agents.generic.random").split(",") if name]
    games = 2 if quick else int(os.environ.get("BROMELIAD_SEQUENCE_GAMES", _GAMES))
    seconds = float(os.environ.get("BROMELIAD_SEQUENCE_SECONDS", course.SECONDS))
    columns = ("opponent", "games", "won", "drawn", "lost", "score", "± error", "our warnings", "their warnings")
    if not _find_framework():
        return [Section("Sequence: in the course framework", columns, [], [_MISSING])]
    course.SECONDS = seconds
    rows = [play_framework(name, games, seed) for name in agents]
    notes = [
        f"Two players, each deal twice with sides swapped. Our agent uses at most {seconds} s of the second per move.",
        f"The framework itself plays {_framework_rate(seed):.0f} random games per second on this machine.",
    ]
    return [Section("Sequence: in the course framework", columns, rows, notes)]


@bench("sequence-agreement", minutes=3)
def agreement_bench(quick: bool, seed: int) -> list[Section]:
    """Compare our rules with the framework's in random games, up to the first difference; 20 games if ``quick``."""
    title, columns = "Sequence: our rules and the course framework's", ("games", "decisions", "actions", "difference")
    if not _find_framework():
        return [Section(title, columns, [], [_MISSING])]
    rule = import_module("Sequence.sequence_model").SequenceGameRule
    agreement, found, games = Agreement(), "none", 20 if quick else _FOLLOWED
    for number in range(games):
        random.seed(seed * 100_003 + number)  # the framework shuffles with this generator
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                follow_game(rule(2), random.Random(number), agreement)
        except Difference as difference:
            found = f"game {number}: {difference}"
            break
    row = (agreement.games, agreement.decisions, agreement.actions, found)
    notes = [
        "Random two-player games of the framework, replayed with our rules. Compared are the legal actions of every"
        " decision; the chips, sequences, hands and face-up cards after every action; and the winner."
    ]
    return [Section(title, columns, [row], notes)]


def _find_framework() -> bool:
    """Make the framework importable; return whether the environment names one that exists."""
    path = os.environ.get("BROMELIAD_SEQUENCE_FRAMEWORK", "")
    if not Path(path, "game.py").exists():
        return False
    if path not in sys.path:
        sys.path.insert(0, path)
    return True


def play_framework(opponent: str, games: int, seed: int) -> tuple[object, ...]:
    """Play games against an agent in the framework, which must be importable; return a row of the table."""
    theirs = import_module(opponent).myAgent
    tally = Tally()
    warnings = [0, 0]
    for number in range(games):
        begins = number % 2 == 0
        classes = (course.myAgent, theirs) if begins else (theirs, course.myAgent)
        scores, warned = _one_game(classes, seed * 100_003 + number // 2)
        own, other = (scores[0], scores[1]) if begins else (scores[1], scores[0])
        warnings[0] += warned[0 if begins else 1]
        warnings[1] += warned[1 if begins else 0]
        score = 0.5 + 0.5 * math.copysign(own != other, own - other)
        tally.add((score, 1.0 - score))
    return (opponent, games, *tally.counts, *tally.score[:2], *warnings)


def _one_game(classes: tuple[Any, Any], seed: int) -> tuple[dict[int, int], list[int]]:
    """Play a game in the framework; return the scores and warnings by seat."""
    rule = import_module("Sequence.sequence_model").SequenceGameRule
    with contextlib.redirect_stdout(io.StringIO()):
        agents = [make(i) for i, make in enumerate(classes)]
        game = import_module("game").Game(rule, agent_list=agents, num_of_agent=2, seed=seed, displayer=None)
        played = game.Run()
    return played["scores"], list(game.warnings)


def _framework_rate(seed: int) -> float:
    """Return how many random games per second the framework's rules play, without its clock and copies."""
    rule = import_module("Sequence.sequence_model").SequenceGameRule
    random.seed(seed)
    began = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        for _ in range(_PLAYOUTS):
            game = rule(2)
            while not game.gameEnds():
                game.update(random.choice(game.getLegalActions(game.current_game_state, game.current_agent_index)))
    return _PLAYOUTS / (time.process_time() - began)


class Difference(Exception):  # noqa: N818 -- the result, not an error
    """The framework and our rules disagree; the message says how."""


@dataclass
class Agreement:
    """How much was compared without a difference."""

    games: int = 0
    decisions: int = 0
    actions: int = 0  # legal actions, summed over all decisions


def follow_game(rule: Any, dice: random.Random, agreement: Agreement) -> None:
    """Play a random game with the framework's rules and ours; raise :class:`Difference` when they disagree."""
    game = Sequence("course")
    state = game.new_state()
    shown = rule.current_game_state
    for card in (*shown.board.draft, *shown.agents[0].hand, *shown.agents[1].hand):
        game.advance(state, parse_card(card))
    while not rule.gameEnds():
        seat = rule.current_agent_index
        actions = rule.getLegalActions(shown, seat)
        theirs = {_our(action) for action in actions}
        _same("seat to move", seat, game.mover(state))
        _same("legal actions", theirs, set(game.legal(state)))
        agreement.decisions += 1
        agreement.actions += len(theirs)
        _play(rule, game, state, dice.choice(actions))
        _compare(shown, state)
    scores = [agent.completed_seqs for agent in shown.agents]
    _same("end", None, game.mover(state))
    _same("winner", DRAWN if scores[0] == scores[1] else int(scores[1] > scores[0]), int(state.data[WINNER]))
    agreement.games += 1


def _our(action: dict[str, Any]) -> int:
    """Return our code for an action of the framework, without the card that it takes."""
    if action["type"] == "trade":
        card = action["play_card"]
        return int(make_action(DECLINE, 0, 0) if card is None else make_action(EXCHANGE, parse_card(card), 0))
    row, column = action["coords"]
    kind = PLACE if action["type"] == "place" else REMOVE
    return int(make_action(kind, parse_card(action["play_card"]), SIDE * row + column))


def _play(rule: Any, game: Sequence, state: SequenceState, action: dict[str, Any]) -> None:
    """Play an action in both games; in ours, taking a card and turning up the next one are separate moves."""
    draft = rule.current_game_state.board.draft
    before = list(draft)
    rule.update(action)
    game.advance(state, _our(action))
    if action["play_card"] is None or game.mover(state) is None:
        return
    game.advance(state, int(make_action(CHOOSE, parse_card(action["draft_card"]), 0)))
    before.remove(action["draft_card"])
    fresh = list(rule.current_game_state.board.draft)
    for card in before:
        fresh.remove(card)
    _same("cards turned up", len(fresh), int(game.waits_for_card(state)))
    for card in fresh:
        game.advance(state, parse_card(card))


def _compare(shown: Any, state: SequenceState) -> None:
    """Compare both games after an action; raise :class:`Difference` if they differ."""
    rows = [row.translate(_LETTERS) for row in board_rows(state, 2)]
    _same("chips", ["".join(row) for row in shown.board.chips], rows)
    _same("sequences", [agent.completed_seqs for agent in shown.agents], state.data[SEQUENCES : SEQUENCES + 2].tolist())
    if state.data[WINNER] == -1:  # after the end, our game takes no more cards
        _same("face-up cards", _sorted(shown.board.draft), _named(state, DRAFT))
        for seat, agent in enumerate(shown.agents):
            _same(f"hand of seat {seat}", _sorted(agent.hand), _named(state, hand_at(seat)))


def _sorted(cards: list[str]) -> list[str]:
    return sorted(card.lower() for card in cards)


def _named(state: SequenceState, at: int) -> list[str]:
    return sorted(card_name(card).lower() for card in cards_in(state, at))


def _same(what: str, theirs: object, ours: object) -> None:
    if theirs != ours:
        raise Difference(f"{what}: the framework has {theirs}, we have {ours}")
