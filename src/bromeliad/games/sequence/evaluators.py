"""The founding document's three evaluators with their caches, for what people and interfaces ask about.

The search does not use them: its kernels value a move in less time than a cache is looked up in.
"""

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bromeliad.games.sequence.evaluate import card_worth, score_action
from bromeliad.games.sequence.rules import MOST_TEAMS
from bromeliad.games.sequence.state import LOCKED, MOVER, SEQUENCES, WEIGHTS, WINDOWS, SequenceState
from bromeliad.games.sequence.team_value import position_value
from bromeliad.search.cache import ACTION_ITEMS, STATE_ITEMS, LruCache

__all__ = ["Evaluators"]

_ITEM = 256  # bytes that an entry counts for


class Evaluators:
    """Values actions, cards and positions, and keeps the values: 10,000 of actions, 5,000 of each of the others.

    Parameters
    ----------
    actions, cards, states
        How many values of each kind are kept.
    """

    def __init__(self, actions: int = ACTION_ITEMS, cards: int = STATE_ITEMS, states: int = STATE_ITEMS) -> None:
        self._actions: LruCache[int] = LruCache(actions, size_of=lambda value: _ITEM)
        self._cards: LruCache[int] = LruCache(cards, size_of=lambda value: _ITEM)
        self._states: LruCache[float] = LruCache(states, size_of=lambda value: _ITEM)

    def action(self, state: SequenceState, action: int) -> int:
        """Return how good an action of the mover looks, in the document's points."""
        key = (_board(state), int(state.data[MOVER]), action)
        found = self._actions.get(key)
        if found is None:
            found = int(score_action(state.data, action))
            self._actions.put(key, found)
        return found

    def card(self, state: SequenceState, card: int, team: int) -> int:
        """Return what a card is worth to a team."""
        key = (_board(state), card, team)
        found = self._cards.get(key)
        if found is None:
            found = int(card_worth(state.data, card, team))
            self._cards.put(key, found)
        return found

    def state(self, state: SequenceState, team: int) -> float:
        """Return what a position is worth to a team, from -1 to 1."""
        key = (_everything(state), team)
        found = self._states.get(key)
        if found is None:
            found = float(position_value(state.data, team))
            self._states.put(key, found)
        return found

    def statistics(self) -> dict[str, dict[str, Any]]:
        """Return size, items and hit rate of each cache."""
        caches: dict[str, LruCache[Any]] = {"actions": self._actions, "cards": self._cards, "states": self._states}
        return {
            name: {"room": cache.max_items, "items": used.items, "hits": used.hits, "hit_rate": round(used.hit_rate, 4)}
            for name, cache in caches.items()
            for used in (cache.statistics(),)
        }


def _board(state: SequenceState) -> bytes:
    """Return what values of moves and cards depend on: the rules, finished sequences, chips and weights."""
    return _digest(state.data[:MOVER], state.data[SEQUENCES : LOCKED + 2 * MOST_TEAMS], state.data[WEIGHTS:])


def _everything(state: SequenceState) -> bytes:
    """Return what the value of a position depends on: hands and whose turn it is, too."""
    return _digest(state.data[:WINDOWS], state.data[WEIGHTS:])


def _digest(*parts: NDArray[np.int64]) -> bytes:
    return blake2b(b"".join(part.tobytes() for part in parts), digest_size=16).digest()
