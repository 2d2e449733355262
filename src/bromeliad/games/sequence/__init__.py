"""The board game Sequence: official rules and the course variant, with hidden hands.

docs/api.md describes the public names.
"""

from typing import TYPE_CHECKING

from bromeliad.lazy import offer

if TYPE_CHECKING:
    from bromeliad.games.sequence.agent import ActionEvaluator as ActionEvaluator
    from bromeliad.games.sequence.agent import AgentParams as AgentParams
    from bromeliad.games.sequence.agent import CardEvaluator as CardEvaluator
    from bromeliad.games.sequence.agent import Evaluators as Evaluators
    from bromeliad.games.sequence.agent import StateEvaluator as StateEvaluator
    from bromeliad.games.sequence.game import Sequence as Sequence
    from bromeliad.games.sequence.notation import action_name as action_name
    from bromeliad.games.sequence.notation import card_name as card_name
    from bromeliad.games.sequence.notation import parse_action as parse_action
    from bromeliad.games.sequence.notation import parse_card as parse_card
    from bromeliad.games.sequence.player import Answer as Answer
    from bromeliad.games.sequence.player import Candidate as Candidate
    from bromeliad.games.sequence.player import Player as Player
    from bromeliad.games.sequence.position import Position as Position
    from bromeliad.games.sequence.rules import RULES as RULES
    from bromeliad.games.sequence.rules import SequenceRules as SequenceRules
    from bromeliad.games.sequence.rules import rules_named as rules_named
    from bromeliad.games.sequence.table import SequenceTable as SequenceTable
    from bromeliad.games.sequence.weights import Weights as Weights

_HOMES = {
    "bromeliad.games.sequence.agent": "ActionEvaluator AgentParams CardEvaluator Evaluators StateEvaluator",
    "bromeliad.games.sequence.game": "Sequence",
    "bromeliad.games.sequence.notation": "action_name card_name parse_action parse_card",
    "bromeliad.games.sequence.player": "Answer Candidate Player",
    "bromeliad.games.sequence.position": "Position",
    "bromeliad.games.sequence.rules": "RULES SequenceRules rules_named",
    "bromeliad.games.sequence.table": "SequenceTable",
    "bromeliad.games.sequence.weights": "Weights",
}
__getattr__, __all__ = offer(__name__, _HOMES)
