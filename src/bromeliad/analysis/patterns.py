"""Patterns of decisions: where cards go by street, and how early rows are filled."""

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from bromeliad.analysis.intervals import Share, share_of
from bromeliad.analysis.scan import Batch
from bromeliad.analysis.statistics import PlayerIds, Sums
from bromeliad.core.cards import DECK_SIZE, RANKS
from bromeliad.games.ofc.rules.rule_set import Row

STREETS = 6
"""Streets that are told apart, fantasyland (0) among them."""

_PLACES = (*(row.value for row in Row), "discard")
_NAMES = (*reversed(RANKS), "Jk")
_MASKS = np.array(
    [sum(1 << (13 * suit + RANKS.index(rank)) for suit in range(4)) for rank in reversed(RANKS)] + [3 << DECK_SIZE],
    np.int64,
)


class CardPattern(BaseModel):
    """Where a player put cards on one street; ``street`` is null in fantasyland."""

    model_config = ConfigDict(frozen=True)

    player: str
    street: int | None
    place: str  # a row, or discard
    counts: dict[str, int]  # by rank, aces first


class RowPattern(BaseModel):
    """How often a row was full after a street."""

    model_config = ConfigDict(frozen=True)

    player: str
    street: int
    row: str
    full: Share


class Patterns:
    """Counts cards and full rows, player by player."""

    def __init__(self, ids: PlayerIds) -> None:
        self._ids = ids
        self._cards = Sums((STREETS, len(_PLACES), len(_NAMES)))
        self._full = Sums((STREETS, len(Row) + 1))  # the last column counts decisions

    def add(self, batch: Batch, players: NDArray[np.int64]) -> None:
        """Add the decisions of a batch; ``players`` has the number of the player by [hand, seat]."""
        turns = np.array([turn for hand in batch.hands for turn in hand.turns], np.int64)
        hands = np.repeat(np.arange(len(batch.hands)), [len(hand.turns) for hand in batch.hands])
        owners, streets = players[hands, turns[:, 0]], turns[:, 1]
        cards = np.bitwise_count(turns[:, 2:6, None] & _MASKS).astype(float)  # [turn, place, rank]
        full = np.ones((len(turns), len(Row) + 1))
        full[:, :-1] = turns[:, 6, None] >> np.arange(len(Row)) & 1
        for street in range(STREETS):
            at = streets == street
            if at.any():
                self._add(owners[at], street, cards[at], full[at])

    def _add(
        self, owners: NDArray[np.int64], street: int, cards: NDArray[np.float64], full: NDArray[np.float64]
    ) -> None:
        """Add the decisions of one street; the players of a batch are few, so each is summed by itself."""
        for owner in np.unique(owners[owners >= 0]):
            mine = owners == owner
            self._cards.put(int(owner), street, cards[mine].sum(axis=0))
            self._full.put(int(owner), street, full[mine].sum(axis=0))

    def cards(self) -> list[CardPattern]:
        """Return where cards went, by player, street and place."""
        found = []
        for name in self._ids.names:
            counts = self._cards.of(self._ids.number(name))
            for street in (*range(1, STREETS), 0):
                for place, row in zip(_PLACES, counts[street], strict=True):
                    if row.any():
                        by_rank = {rank: int(count) for rank, count in zip(_NAMES, row, strict=True)}
                        found.append(CardPattern(player=name, street=street or None, place=place, counts=by_rank))
        return found

    def rows(self) -> list[RowPattern]:
        """Return how often rows were full after each street."""
        found = []
        for name in self._ids.names:
            full = self._full.of(self._ids.number(name))
            for street in range(1, STREETS):
                decisions = int(full[street, -1])
                for row, count in zip(Row, full[street], strict=False):
                    if decisions:
                        share = share_of(int(count), decisions)
                        found.append(RowPattern(player=name, street=street, row=row.value, full=share))
        return found
