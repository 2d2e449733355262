"""Solver sessions as plain data and back: what they solve, and their best answers."""

from typing import Any

from bromeliad.core.cards import Card
from bromeliad.errors import StoreError
from bromeliad.games.ofc.hands.boards import Position
from bromeliad.games.ofc.play.game_state import GamePhase, GameState
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.solving.answer import ActionAnswer
from bromeliad.solving.request import read_request
from bromeliad.solving.session import RequestState, Solution
from bromeliad.storage.json_columns import board_data, read_board, to_plain

__all__ = ["read_solution", "read_solved", "solution_data", "solved_data"]


def solved_data(state: GameState | RequestState) -> dict[str, Any]:
    """Return what a session solves as plain data."""
    if isinstance(state, RequestState):
        return {"id": state.id, "request": state.request.model_dump(mode="json", exclude_defaults=True)}
    return {"id": state.id, "game_state": _state_data(state)}


def read_solved(data: dict[str, Any]) -> GameState | RequestState:
    """Return what :func:`solved_data` wrote."""
    if "request" in data:
        return RequestState(data["id"], read_request(data["request"]))
    return _read_state(data["id"], data["game_state"])


def _state_data(state: GameState) -> dict[str, Any]:
    return {
        "rules": state.rules.model_dump(mode="json"),
        "players": state.player_count,
        "fantasyland": state.fantasyland,
        "phase": state.phase.value,
        "round": state.round_number,
        "board": board_data(state.player_arrangement),
        "discards": [card.value for card in state.discarded_cards],
        "cards": [card.value for card in state.dealt_cards],
        "opponents": {
            name: {
                "round": known.last_update_round,
                "shown": [card.value for card in known.shown_cards],
                "board": None if known.arrangement is None else board_data(known.arrangement),
            }
            for name, known in state.opponents.items()
        },
    }


def _read_state(state_id: str, data: dict[str, Any]) -> GameState:
    """Return a game state by playing to it: it goes through every check that a hand at the table does.

    Which cards came on which earlier street is not part of a state, so they are dealt again in any order.
    """
    rules = RuleSet.model_validate(data["rules"])
    state = GameState(state_id, data["players"], rules, fantasyland=data["fantasyland"])
    phase = GamePhase(data["phase"])
    placed = [(position, Card(v)) for position, row in zip(Position, data["board"], strict=True) for v in row]
    discards = [Card(value) for value in data["discards"]]
    over = phase is GamePhase.COMPLETED
    for _ in range(data["round"] + over):
        _show_opponents(state, data["opponents"])
        place, discard = state.street.place, state.street.deal - state.street.place
        now, placed = placed[:place], placed[place:]
        gone, discards = discards[:discard], discards[discard:]
        _deal(state, [*(card for _, card in now), *gone])
        state.place_cards({p: [card for at, card in now if at is p] for p in Position}, gone)
    _show_opponents(state, data["opponents"])
    if data["cards"]:
        _deal(state, [Card(value) for value in data["cards"]])
    if state.phase is not phase or placed or discards:
        raise StoreError("the stored game {id} is damaged", id=state_id)
    state.pull_domain_events()  # they were told when it was played
    return state


def _deal(state: GameState, cards: list[Card]) -> None:
    (state.deal_initial_cards if state.phase is GamePhase.INITIAL_DEAL else state.deal_round_cards)(cards)


def _show_opponents(state: GameState, opponents: dict[str, Any]) -> None:
    """Show what was last seen of each opponent on this street."""
    for name, known in opponents.items():
        if known["round"] == state.round_number and not state.opponents[name].shown_cards:
            if known["board"] is None:
                state.update_opponent_cards(name, [Card(value) for value in known["shown"]])
            else:
                state.update_opponent_arrangement(name, read_board(known["board"]))


def solution_data(solution: Solution | None) -> dict[str, Any] | None:
    """Return an answer as plain data."""
    if solution is None:
        return None
    return {
        "board": board_data(solution.arrangement),
        "expected_value": solution.expected_value,
        "confidence": solution.confidence,
        "actions": [to_plain(action) for action in solution.actions],
    }


def read_solution(data: dict[str, Any] | None) -> Solution | None:
    """Return what :func:`solution_data` wrote; actions that were not placements of ours come back as plain data."""
    if data is None:
        return None
    actions = [ActionAnswer.model_validate(item) if isinstance(item, dict) else item for item in data["actions"]]
    return Solution(read_board(data["board"]), data["expected_value"], data["confidence"], tuple(actions))
