"""What a stored answer is known by: the position up to suits, the rules by content, the objective, how it was found."""

import hashlib
import json
import re
from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

from bromeliad import __version__
from bromeliad.core.cards import RANKS, SUITS, CardSet
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.hands.canonical import canonical_order, permute_suits
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.weights import find_weights
from bromeliad.solving.answer import ActionAnswer, Answer
from bromeliad.solving.plan import Plan
from bromeliad.storage.results import Effort, Question

ANSWERS = 1
"""Raised when the solver gives other answers to the same questions: those that are stored are not found any more."""

_FIRST_JOKER = 52
_IDENTITY = (0, 1, 2, 3)
_CARD = re.compile(r"\b[2-9TJQKA][cdhs]\b")


class AskedQuestion(NamedTuple):
    """A question, how its suits became canonical, and what its rules are called."""

    question: Question
    order: tuple[int, ...]
    rules: str


def question_of(plan: Plan) -> AskedQuestion:
    """Return what the question of a plan is known by in the store."""
    request, spot = plan.request, plan.spot
    versus = spot.objective == "versus"
    discards, habits = (request.discards, request.opponent_model) if versus else (None, None)
    names = spot_key(spot, discards, plan.listed if spot.in_fantasyland else None, *([habits] if habits else []))
    found = find_weights(spot.rules, spot.foul_cost, spot.fantasyland_worth)
    effort = Effort(plan.budget.simulations, plan.budget.seconds, plan.threads, request.seed)
    engine = hash_of([__version__, found[1].sha256 if found else "", plan.policy])
    run = hash_of([names.asked, request.memory, plan.policy])
    return AskedQuestion(Question(names.key, run, effort, engine), names.order, spot.rules.name)


class SpotKey(NamedTuple):
    """The names of a question.

    Attributes
    ----------
    key
        The same for questions that differ in suits, in the order of the opponents, or in which of two jokers is which.
    asked
        The same only for the very same position.
    order
        What each suit becomes in the position that the key stands for.
    """

    key: str
    asked: str
    order: tuple[int, ...]


def spot_key(spot: Spot, *others: object) -> SpotKey:
    """Return the names of a spot, with whatever else the answer depends on."""
    common = [
        ANSWERS,
        rules_content(spot.rules),
        spot.objective,
        spot.foul_cost,
        spot.fantasyland_worth,
        spot.fantasyland,
        sorted(spot.hidden),
        others,
    ]
    own = [*spot.board.masks, CardSet.from_cards(spot.cards).mask, spot.dead.mask]
    asked = [*own, *_theirs(spot, spot.opponents)]
    masks, order = min(_canonical_forms(spot, own))
    return SpotKey(hash_of([*common, masks]), hash_of([*common, asked]), order)


def rules_content(rules: RuleSet) -> dict[str, object]:
    """Return everything of a rule set that can matter to an answer: not what it is called."""
    return rules.model_dump(mode="json", exclude={"name", "summary"})


def _theirs(spot: Spot, boards: Sequence[PlayerArrangement]) -> list[int]:
    """Return the opponents' masks; alone against the deck only what lies open counts."""
    if spot.objective == "solo":
        return [spot.opponents_open.mask]
    return [mask for board in boards for mask in board.masks]


def _canonical_forms(spot: Spot, own: Sequence[int]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the masks in canonical suits, and the order of suits, for every way to name opponents and jokers."""
    forms = []
    for boards in permutations(spot.opponents):
        masks = [*own, *_theirs(spot, boards)]
        for named in (masks, [_swap_jokers(mask) for mask in masks]):
            order = _IDENTITY if spot.rules.order.suits_break_ties else canonical_order(*named)
            forms.append((tuple(permute_suits(mask, order) for mask in named), order))
    return forms


def _swap_jokers(mask: int) -> int:
    jokers = mask >> _FIRST_JOKER
    return mask & ((1 << _FIRST_JOKER) - 1) | (jokers >> 1 | (jokers & 1) << 1) << _FIRST_JOKER


def hash_of(data: object) -> str:
    """Return the name of plain data, the same in every process."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def in_suits(answer: Answer, order: Sequence[int]) -> Answer:
    """Return an answer with every card of ``suit`` in the suit ``order[suit]``."""
    actions = tuple(_action_in_suits(action, order) for action in answer.actions)
    line = tuple(_CARD.sub(lambda match: _card_in_suits(match[0], order), text) for text in answer.line)
    return answer.model_copy(update={"actions": actions, "best": actions[0], "line": line})


def _action_in_suits(action: ActionAnswer, order: Sequence[int]) -> ActionAnswer:
    rows = {}
    for row in ("top", "middle", "back", "discards"):
        cards = [_card_in_suits(name, order) for name in getattr(action, row)]
        rows[row] = tuple(sorted(cards, key=lambda name: (-_rank(name), -SUITS.find(name[1]))))
    return action.model_copy(update=rows)


def _card_in_suits(name: str, order: Sequence[int]) -> str:
    """Return a card's name with its suit changed; a joker has none."""
    return name if name == "Jk" else name[0] + SUITS[order[SUITS.index(name[1])]]


def _rank(name: str) -> int:
    return -1 if name == "Jk" else RANKS.index(name[0])
