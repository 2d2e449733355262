"""Decisions: every seat's placement on every street, and its review."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import bindparam, select, update

from bromeliad.storage.repository import Repository, matching
from bromeliad.storage.schema import decisions, hands

T = TypeVar("T")

BATCH = 10_000  # rows per transaction, and per read


class Review(NamedTuple):
    """The solver's review of a stored decision."""

    decision_id: int
    ev: float | None
    best_ev: float | None
    ev_loss: float | None
    stderr: float | None
    exact: bool
    better: Any  # the best placement, as plain data
    method: str


class StoredDecision(NamedTuple):
    """A decision, with cards and boards as text, and its review.

    ``street`` is None in fantasyland. The fields from ``ev`` on are None until the decision is reviewed.
    """

    id: int
    hand_id: int
    seat: int
    player: str
    street: int | None
    cards: str
    board: str
    placed: str
    discards: str
    ev: float | None
    best_ev: float | None
    ev_loss: float | None
    stderr: float | None
    exact: bool | None
    better: Any
    method: str | None


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of at most ``size`` items."""
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch


class Decisions(Repository):
    """The decisions of a store."""

    def review(self, reviews: Iterable[Review]) -> int:
        """Store reviews in place of earlier ones, one transaction per batch; return their number."""
        change = update(decisions).where(decisions.c.id == bindparam("decision_id"))
        count = 0
        for batch in batches(reviews, BATCH):
            with self._store.writing() as connection:
                connection.execute(change, [review._asdict() for review in batch])  # sets the columns of a review
            count += len(batch)
        return count

    def stream(
        self,
        *,
        game_id: int | None = None,
        hand_id: int | None = None,
        player: str | None = None,
        reviewed: bool | None = None,
    ) -> Iterator[StoredDecision]:
        """Yield decisions in the order in which they were made; only one batch is in memory at a time."""
        wanted = {decisions.c.hand_id: hand_id, decisions.c.player: player, decisions.c.method.is_not(None): reviewed}
        query = matching(select(*decisions.c).order_by(decisions.c.id), wanted)
        if game_id is not None:
            query = query.join(hands, hands.c.id == decisions.c.hand_id).where(hands.c.game_id == game_id)
        return map(StoredDecision._make, self._stream(query, BATCH))

    def count(self) -> int:
        """Return the number of decisions."""
        return self._count(decisions)
