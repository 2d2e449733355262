"""Decisions: what every seat did on every street, and what a review says of it."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Select, bindparam, func, select, update

from bromeliad.storage.repository import Repository, insert_many
from bromeliad.storage.schema import decisions, hands

T = TypeVar("T")

BATCH = 10_000
"""Rows that are written in one transaction, and read at once."""


class Decision(NamedTuple):
    """A decision as it was made: cards and boards as text, ``street`` None in fantasyland."""

    hand_id: int
    seat: int
    player: str
    street: int | None
    cards: str
    board: str
    placed: str
    discards: str


class Review(NamedTuple):
    """What the solver says of a stored decision."""

    decision_id: int
    ev: float | None
    best_ev: float | None
    ev_loss: float | None
    stderr: float | None
    exact: bool
    better: Any  # the best placement, as plain data
    method: str


class StoredDecision(NamedTuple):
    """A decision with its number and its review, whose fields are None before there is one."""

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

    def add(self, rows: Iterable[Decision]) -> int:
        """Add decisions, a transaction a batch, and return how many; decisions of a hand are made in their order."""
        count = 0
        for batch in batches(rows, BATCH):
            with self._store.writing() as connection:
                insert_many(connection, decisions, [row._asdict() for row in batch])
            count += len(batch)
        return count

    def review(self, reviews: Iterable[Review]) -> int:
        """Note what reviews say, a transaction a batch, and return how many; an earlier review is replaced."""
        change = update(decisions).where(decisions.c.id == bindparam("decision_id"))
        change = change.values({name: bindparam(f"new_{name}") for name in Review._fields[1:]})
        count = 0
        for batch in batches(reviews, BATCH):
            rows = [
                {"decision_id": row.decision_id, **{f"new_{name}": value for name, value in row._asdict().items()}}
                for row in batch
            ]
            with self._store.writing() as connection:
                connection.execute(change, rows)
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
        """Yield decisions in the order in which they were made, few in memory at a time."""
        query: Select[Any] = select(*decisions.c).order_by(decisions.c.id)
        if game_id is not None:
            query = query.join(hands, hands.c.id == decisions.c.hand_id).where(hands.c.game_id == game_id)
        if hand_id is not None:
            query = query.where(decisions.c.hand_id == hand_id)
        if player is not None:
            query = query.where(decisions.c.player == player)
        if reviewed is not None:
            query = query.where(decisions.c.method.is_not(None) if reviewed else decisions.c.method.is_(None))
        for row in self._stream(query, BATCH):
            yield StoredDecision._make(row)

    def count(self) -> int:
        """Return how many there are."""
        with self._store.reading() as connection:
            return connection.scalar(select(func.count()).select_from(decisions)) or 0
