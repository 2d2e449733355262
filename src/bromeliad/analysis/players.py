"""Players as numbers, and sums by player that grow with them."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["PlayerIds", "Sums"]


class PlayerIds:
    """Numbers players in the order in which they appear; with ``only``, others have the number -1."""

    def __init__(self, only: Sequence[str] = ()) -> None:
        self._only = frozenset(only)
        self._numbers: dict[str, int] = {}
        self.seen: set[str] = set()

    @property
    def names(self) -> list[str]:
        """All players in their order."""
        return list(self._numbers)

    def number(self, name: str) -> int:
        """Return the number of a player, a new one if need be."""
        self.seen.add(name)
        if self._only and name not in self._only:
            return -1
        return self._numbers.setdefault(name, len(self._numbers))

    def numbers(self, hands: Iterable[Sequence[str]]) -> NDArray[np.int64]:
        """Return the numbers by [hand, seat]."""
        return np.array([[self.number(name) for name in names] for names in hands], np.int64)


class Sums:
    """Arrays of one shape, a player each, that are added to."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape
        self._sums = np.zeros((0, *shape))

    def add(self, players: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """Add values by [case, ...] to those of the players of the cases; players -1 count for nobody."""
        known = players >= 0
        self._make_room(players)
        np.add.at(self._sums, players[known], values[known])

    def count(self, players: NDArray[np.int64], *places: NDArray[np.int64] | int) -> None:
        """Add one at the places of each case."""
        known = players >= 0
        self._make_room(players)
        at = [place[known] if isinstance(place, np.ndarray) else place for place in places]
        where: Any = (players[known], *at)
        np.add.at(self._sums, where, 1.0)

    def put(self, player: int, place: int, values: NDArray[np.float64]) -> None:
        """Add values at one place of one player."""
        self._make_room(np.array([player]))
        self._sums[player, place] += values

    def of(self, player: int) -> NDArray[np.float64]:
        """Return the sums of a player."""
        if player >= len(self._sums):
            return np.zeros(self._shape)
        row: NDArray[np.float64] = self._sums[player]
        return row

    def _make_room(self, players: NDArray[np.int64]) -> None:
        needed = int(players.max(initial=-1)) + 1 - len(self._sums)
        if needed > 0:
            self._sums = np.concatenate([self._sums, np.zeros((needed, *self._shape))])
