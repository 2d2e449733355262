"""Random games of the course framework beside our rules: legal actions, chips, sequences, cards, ends and winners."""

import random
from dataclasses import dataclass
from typing import Any

from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.moves import CHOOSE, DECLINE, EXCHANGE, PLACE, REMOVE
from bromeliad.games.sequence.moves import make as make_action
from bromeliad.games.sequence.notation import card_name, parse_card
from bromeliad.games.sequence.position import board_rows, cards_in
from bromeliad.games.sequence.rules import SIDE
from bromeliad.games.sequence.state import DRAFT, DRAWN, SEQUENCES, WINNER, SequenceState, hand_at

__all__ = ["Agreement", "Difference", "follow_game"]

_LETTERS = str.maketrans("RB", "XO")  # chips of sequences, as the framework writes them


class Difference(Exception):  # noqa: N818 -- it is what was looked for
    """The framework and our rules disagree; the message says about what."""


@dataclass
class Agreement:
    """What was compared without a difference."""

    games: int = 0
    decisions: int = 0
    actions: int = 0  # legal ones, of all decisions


def follow_game(rule: Any, dice: random.Random, agreement: Agreement) -> None:
    """Play a game of the framework (its rules at the start of a game for two) at random, and ours along with it.

    Raises
    ------
    Difference
        At the first one.
    """
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
    """Return our number of what the framework's action plays."""
    if action["type"] == "trade":
        card = action["play_card"]
        return int(make_action(DECLINE, 0, 0) if card is None else make_action(EXCHANGE, parse_card(card), 0))
    row, column = action["coords"]
    kind = PLACE if action["type"] == "place" else REMOVE
    return int(make_action(kind, parse_card(action["play_card"]), SIDE * row + column))


def _play(rule: Any, game: Sequence, state: SequenceState, action: dict[str, Any]) -> None:
    """Play an action in both games; ours takes the card and turns up the new one by itself."""
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
    """Compare what both games show after an action."""
    rows = [row.translate(_LETTERS) for row in board_rows(state, 2)]
    _same("chips", ["".join(row) for row in shown.board.chips], rows)
    _same("sequences", [agent.completed_seqs for agent in shown.agents], state.data[SEQUENCES : SEQUENCES + 2].tolist())
    if state.data[WINNER] == -1:  # after the end ours takes no card any more
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
