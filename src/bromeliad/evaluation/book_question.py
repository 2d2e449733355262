"""What a book is asked about, as plain data that any worker understands."""

import json
from functools import lru_cache
from typing import Any

from bromeliad.errors import BookError
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.spot import Spot, parse_spot
from bromeliad.games.ofc.values.weights import find_weights

__all__ = ["question_of", "start_of"]


def question_of(start: Spot) -> dict[str, Any]:
    """Return rules and objective as plain data, with the learned evaluation that answers depend on."""
    found = find_weights(start.rules, start.foul_cost, start.fantasyland_worth)
    return {
        "rules": start.rules.model_dump(mode="json"),
        "foul_cost": start.foul_cost,
        "worth": [list(pair) for pair in start.fantasyland_worth],
        "weights": found[1].sha256 if found else "",
    }


def start_of(question: dict[str, Any]) -> Spot:
    """Return the spot before the first deal that plain data describes, made once a process."""
    return _start_of(json.dumps(question, sort_keys=True))


@lru_cache(maxsize=4)
def _start_of(text: str) -> Spot:
    question = json.loads(text)
    rules = RuleSet.model_validate(question["rules"])
    worth = {int(cards): float(points) for cards, points in question["worth"]}
    start = parse_spot(rules, objective="solo", foul_cost=question["foul_cost"], fantasyland_worth=worth)
    if question_of(start)["weights"] != question["weights"]:
        raise BookError("this worker has other learned weights than the machine that asks: install the same everywhere")
    return start
