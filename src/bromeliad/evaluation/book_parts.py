"""What an EV of the book is made of, by the learned evaluation: it was learned in parts."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from bromeliad.core.game import score_actions
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.learned import Learned, learned_layout
from bromeliad.games.ofc.values.weights import find_weights, learned_for, read_weights

__all__ = ["learned_parts"]


def learned_parts(spot: Spot, codes: Sequence[int]) -> list[tuple[float, float, float]]:
    """Return (royalties, chance of a foul, chance of fantasyland) after each placement, NaN where not known."""
    parts = _learned(spot.rules, spot.foul_cost, spot.fantasyland_worth)
    if parts is None:
        return [(np.nan, np.nan, np.nan)] * len(codes)
    tables, worth = parts
    state, actions = spot.to_search_state(), np.array(codes, np.int64)
    scores = np.zeros((3, len(codes)))
    for learned, row in zip(tables, scores, strict=True):
        score_actions(state._replace(learned=learned), actions, len(codes), row)
    royalties, foul, fantasyland = scores[0], scores[1], scores[2] / worth
    return [(float(r), float(f), float(e)) for r, f, e in zip(royalties, foul, fantasyland, strict=True)]


@lru_cache(maxsize=2)
def _learned(
    rules: RuleSet, foul_cost: float, worth: tuple[tuple[int, float], ...]
) -> tuple[list[Learned], float] | None:
    """Return the evaluation of each part, and what a fantasyland was worth in training; NaN if sizes differ."""
    found = find_weights(rules, foul_cost, worth)
    if found is None:
        return None
    path, header = found
    size = learned_for(rules, foul_cost, worth).weights.size
    tables = []
    for part in read_weights(path).parts.T:
        weights = np.ascontiguousarray(part[:size])
        weights.setflags(write=False)
        tables.append(Learned(learned_layout(rules), weights))
    worths = list(header.fantasyland_worth.values())
    return tables, worths[0] if len(worths) == 1 and worths[0] > 0 else np.nan
