"""What a stored answer is known by: the position up to suits, the rules by content, and the objective."""

import hashlib
import json
from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

from bromeliad.core.cards import CardSet
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.hands.canonical import canonical_order, permute_suits
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.spot import Spot

__all__ = ["ANSWERS", "SpotKey", "spot_key"]

ANSWERS = 1
"""Raised when the solver gives other answers to the same questions: those that are stored are not found any more."""

_FIRST_JOKER = 52
_IDENTITY = (0, 1, 2, 3)


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
