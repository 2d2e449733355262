"""Keys of stored answers: the position up to suits, the content of the rules, the objective and the effort."""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import NamedTuple

from bromeliad import __version__
from bromeliad.core.cards import DECK_SIZE, RANKS, SUITS, CardSet
from bromeliad.games.ofc.hands.canonical import canonical_order, permute_suits
from bromeliad.games.ofc.spot import ObjectiveName, Spot
from bromeliad.games.ofc.values.weights import find_weights
from bromeliad.solving.answer import ActionAnswer, Answer
from bromeliad.solving.plan import Plan
from bromeliad.storage.results import Effort, Question

ANSWERS = 6  # increase when the solver's answers change, so that earlier ones are no longer found

_IDENTITY = (0, 1, 2, 3)
_CARD = re.compile(r"\b[2-9TJQKA][cdhs]\b")


class AskedQuestion(NamedTuple):
    """A question, the permutation that makes its suits canonical, and the name of its rules."""

    question: Question
    order: tuple[int, ...]
    rules: str


def question_of(plan: Plan) -> AskedQuestion:
    """Return the question of a plan with its keys."""
    request, spot = plan.request, plan.spot
    versus = spot.objective == "versus"
    others: list[object] = [request.discards if versus else None, plan.listed if spot.in_fantasyland else None]
    if versus and request.opponent_model:  # left out otherwise, because a further None would change every stored key
        others.append(request.opponent_model)
    names = spot_key(spot, *others)
    objectives: tuple[ObjectiveName, ...] = ("solo", "versus") if versus else ("solo",)
    weights = [_weights_of(spot, objective) for objective in objectives]
    effort = Effort(plan.budget.simulations, plan.budget.seconds, plan.threads, request.seed)
    engine = hash_of([__version__, weights, plan.policy, request.early_stop])
    run = hash_of([names.asked, request.memory, plan.policy, request.early_stop])
    return AskedQuestion(Question(names.key, run, effort, engine), names.order, spot.rules.name)


def _weights_of(spot: Spot, objective: ObjectiveName) -> str:
    """Return the hash of the learned weights that fit a spot; empty if none do."""
    found = find_weights(spot.rules, spot.foul_cost, spot.fantasyland_worth, objective)
    return found[1].sha256 if found else ""


class SpotKey(NamedTuple):
    """The keys of a position."""

    key: str  # the same for positions that differ only in suits, the order of opponents, or which joker is which
    asked: str  # differs between all positions
    order: tuple[int, ...]  # by suit: its suit in the canonical position


def spot_key(spot: Spot, *others: object) -> SpotKey:
    """Return the keys of a spot and of everything else that the answer depends on."""
    common = [
        ANSWERS,
        spot.rules.model_dump(mode="json", exclude={"name", "summary"}),
        spot.objective,
        spot.foul_cost,
        spot.fantasyland_worth,
        spot.fantasyland,
        sorted(spot.hidden),
        _hidden_before(spot),
        others,
    ]
    own = [*spot.board.masks, CardSet.from_cards(spot.cards).mask, spot.dead.mask]
    given = range(len(spot.opponents))
    asked = [*own, *_theirs(spot, given), *_order_of_play(spot, given)]
    masks, order = min(_canonical_forms(spot, own))
    return SpotKey(hash_of([*common, masks]), hash_of([*common, asked]), order)


def _hidden_before(spot: Spot) -> int | None:
    """Return how many opponents with hidden cards act before the player; None if unknown or irrelevant."""
    if spot.objective == "solo" or spot.seat is None or not spot.hidden:
        return None
    return spot.seat - 1 - sum(spot.acts_before)


def _theirs(spot: Spot, opponents: Iterable[int]) -> list[int]:
    """Return the opponents' masks; under the solo objective only their open cards count."""
    if spot.objective == "solo":
        return [spot.opponents_open.mask]
    return [mask for i in opponents for mask in spot.opponents[i].masks]


def _order_of_play(spot: Spot, opponents: Iterable[int]) -> tuple[int, ...]:
    """Return whether each opponent acts before the player; empty under the solo objective."""
    return () if spot.objective == "solo" else tuple(int(spot.acts_before[i]) for i in opponents)


def _canonical_forms(spot: Spot, own: Sequence[int]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the canonical masks with the order of play, and the suit order, by order of opponents and jokers."""
    forms = []
    for opponents in permutations(range(len(spot.opponents))):
        masks = [*own, *_theirs(spot, opponents)]
        for named in (masks, [_swap_jokers(mask) for mask in masks]):
            order = _IDENTITY if spot.rules.order.suits_break_ties else canonical_order(*named)
            recoloured = (permute_suits(mask, order) for mask in named)
            forms.append(((*recoloured, *_order_of_play(spot, opponents)), order))
    return forms


def _swap_jokers(mask: int) -> int:
    jokers = mask >> DECK_SIZE
    return mask & ((1 << DECK_SIZE) - 1) | (jokers >> 1 | (jokers & 1) << 1) << DECK_SIZE


def hash_of(data: object) -> str:
    """Return a hash of plain data that is the same in every process."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def in_suits(answer: Answer, order: Sequence[int]) -> Answer:
    """Return an answer with every ``suit`` replaced by ``order[suit]``."""
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
    """Return a card's name with its suit replaced; a joker has no suit."""
    return name if name == "Jk" else name[0] + SUITS[order[SUITS.index(name[1])]]


def _rank(name: str) -> int:
    return -1 if name == "Jk" else RANKS.index(name[0])
