"""Games: sequences of hands played together."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, delete, func, select

from bromeliad.core.domain import now
from bromeliad.errors import NotStoredError
from bromeliad.storage.json_columns import clean
from bromeliad.storage.repository import Repository, insert_one, matching
from bromeliad.storage.schema import games, hands


class StoredGame(NamedTuple):
    """A game and its number of hands."""

    id: int
    rules: str
    source: str
    label: str
    created_at: datetime
    hands: int


def insert_game(connection: Connection, rules: str, source: str, label: str) -> int:
    """Add a game within the caller's transaction, and return its id."""
    row = {"rules": rules, "source": source, "label": clean(label), "created_at": now()}
    return insert_one(connection, games, row)


class Games(Repository):
    """The games of a store."""

    def add(self, rules: str, source: str, label: str = "") -> int:
        """Add a game without hands, and return its id.

        Parameters
        ----------
        source
            The source of its hands: ``play``, ``match``, ``import`` or ``page``.
        label
            The name of a file, or of the players.
        """
        with self._store.writing() as connection:
            return insert_game(connection, rules, source, label)

    def get(self, game_id: int) -> StoredGame:
        """Return one game, or raise NotStoredError."""
        for game in self.list(game_id):
            return game
        raise NotStoredError("there is no game {number} in the store", number=game_id)

    def list(self, game_id: int | None = None) -> Iterator[StoredGame]:
        """Yield games, oldest first: all, or the one with this id."""
        query = (
            select(*games.c, func.count(hands.c.id).label("hands"))
            .join_from(games, hands, isouter=True)
            .group_by(games.c.id)
            .order_by(games.c.id)
        )
        for row in self._stream(matching(query, {games.c.id: game_id})):
            yield StoredGame(**row._mapping)

    def remove(self, game_id: int) -> None:
        """Remove a game with its hands, seats and decisions."""
        with self._store.writing() as connection:
            connection.execute(delete(games).where(games.c.id == game_id))
