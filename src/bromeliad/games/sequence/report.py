"""The agent's answer as plain data: what every interface shows."""

from typing import Any

from bromeliad.games.sequence.evaluators import Evaluators
from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.notation import action_name, card_name
from bromeliad.games.sequence.player import Answer
from bromeliad.games.sequence.position import cards_in
from bromeliad.games.sequence.state import DRAFT, MOVER, SequenceState

__all__ = ["PHASES", "answer_data"]

PHASES = ("opening", "middle", "end")
_SHOWN = 10


def answer_data(game: Sequence, state: SequenceState, answer: Answer, evaluators: Evaluators) -> dict[str, Any]:
    """Return an answer with the best actions, what the face-up cards are worth and how the caches were used."""
    team = game.rules.team_of(int(state.data[MOVER]))
    return {
        "best": action_name(answer.best),
        "turn": [action_name(action) for action in answer.actions],
        "value": round(answer.value, 4),
        "line": [action_name(action) for action in answer.line],
        "candidates": [
            {
                "move": action_name(item.action),
                "visits": item.visits,
                "value": round(item.value, 4),
                "error": round(item.error, 4) if item.visits > 1 else None,
                "points": evaluators.action(state, item.action),
            }
            for item in answer.candidates[:_SHOWN]
        ],
        "draft": {card_name(card): evaluators.card(state, card, team) for card in cards_in(state, DRAFT)},
        "estimate": round(evaluators.state(state, team), 4),
        "phase": PHASES[answer.phase],
        "critical": answer.critical,
        "simulations": answer.simulations,
        "seconds": round(answer.seconds, 4),
        "stop_reason": answer.stop_reason,
        "caches": evaluators.statistics(),
    }
