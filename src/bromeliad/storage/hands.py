"""Hand histories in the store: the lines as they are written to files, and what they tell of seats and decisions."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Select, func, select

from bromeliad.errors import StoreError
from bromeliad.games.ofc.play.history import HandRecord, parse_record, read_lines
from bromeliad.games.ofc.play.replay import verify
from bromeliad.storage.decisions import batches
from bromeliad.storage.importing import Imported, Importer, insert_hands, read_hand
from bromeliad.storage.repository import Repository
from bromeliad.storage.rows import HandRows, rows_of
from bromeliad.storage.schema import hands, seats

__all__ = ["Hands", "StoredHand", "StoredSeat"]

_AT_ONCE = 100  # lines that are imported in one transaction


class StoredHand(NamedTuple):
    """A hand and its line."""

    id: int
    game_id: int
    number: int
    rules: str
    line: str
    played_at: datetime

    @property
    def record(self) -> HandRecord:
        """The hand history."""
        return parse_record(self.line)


_COLUMNS = [hands.c[name] for name in StoredHand._fields]


class StoredSeat(NamedTuple):
    """How a hand ended for one seat; hand types are categories, None where a row has none."""

    hand_id: int
    seat: int
    player: str
    fantasyland: int
    points: int
    royalties: int
    fouled: bool
    next_fantasyland: int
    top_type: int | None
    middle_type: int | None
    back_type: int | None
    scoops: int
    scooped: int
    luck: float | None


class Hands(Repository):
    """The hands of a store."""

    def add(self, game_id: int, rows: Iterable[HandRows]) -> list[int]:
        """Add finished hands to a game, all or none, and return their numbers in the store."""
        with self._store.writing() as connection:
            return insert_hands(connection, [(game_id, item) for item in rows])

    def add_record(self, game_id: int, record: HandRecord) -> int:
        """Add one hand by its record, which is played again; raise what is wrong with it."""
        return self.add(game_id, [rows_of(record, verify(record))])[0]

    def get(self, game_id: int, number: int) -> StoredHand:
        """Return a hand by its game and its number there, or raise StoreError."""
        for hand in self.stream(game_id=game_id, number=number):
            return hand
        raise StoreError("there is no hand {number} in game {game} of the store", number=number, game=game_id)

    def find(self, hand_id: int) -> StoredHand:
        """Return a hand by its number in the store, or raise StoreError."""
        with self._store.reading() as connection:
            row = connection.execute(select(*_COLUMNS).where(hands.c.id == hand_id)).first()
        if row is None:
            raise StoreError("there is no hand {number} in the store", number=hand_id)
        return StoredHand(*row)

    def newest(
        self, limit: int, offset: int = 0, *, player: str | None = None, rules: str | None = None
    ) -> list[tuple[StoredHand, list[StoredSeat]]]:
        """Return hands with their seats, of a player or by rules of a name, those that were stored last first."""
        query = select(*_COLUMNS).order_by(hands.c.id.desc()).limit(limit).offset(offset)
        if player is not None:
            query = query.where(hands.c.id.in_(select(seats.c.hand_id).where(seats.c.player == player)))
        if rules is not None:
            query = query.where(hands.c.rules == rules)
        with self._store.reading() as connection:
            found = [StoredHand(*row) for row in connection.execute(query)]
            numbers = [hand.id for hand in found]
            rows = connection.execute(select(*seats.c).where(seats.c.hand_id.in_(numbers)).order_by(seats.c.seat))
            by_hand: dict[int, list[StoredSeat]] = {number: [] for number in numbers}
            for row in rows:
                by_hand[row.hand_id].append(StoredSeat(*row))
        return [(hand, by_hand[hand.id]) for hand in found]

    def stream(self, *, game_id: int | None = None, number: int | None = None) -> Iterator[StoredHand]:
        """Yield hands, game by game, in the order in which they were played."""
        query: Select[Any] = select(*_COLUMNS).order_by(hands.c.game_id, hands.c.id)
        if game_id is not None:
            query = query.where(hands.c.game_id == game_id)
        if number is not None:
            query = query.where(hands.c.number == number)
        for row in self._stream(query):
            yield StoredHand._make(row)

    def seats(self, *, game_id: int | None = None, player: str | None = None) -> Iterator[StoredSeat]:
        """Yield the seats of finished hands, in the order of the hands."""
        query: Select[Any] = select(*seats.c).order_by(seats.c.hand_id, seats.c.seat)
        if game_id is not None:
            query = query.join(hands, hands.c.id == seats.c.hand_id).where(hands.c.game_id == game_id)
        if player is not None:
            query = query.where(seats.c.player == player)
        for row in self._stream(query):
            yield StoredSeat._make(row)

    def count(self) -> int:
        """Return how many there are."""
        with self._store.reading() as connection:
            return connection.scalar(select(func.count()).select_from(hands)) or 0

    def export_lines(self, game_id: int | None = None) -> Iterator[str]:
        """Yield the lines of hand histories, without their line ends, as a file has them."""
        for hand in self.stream(game_id=game_id):
            yield hand.line

    def import_file(self, path: str | Path, cancelled: Callable[[], bool] = lambda: False) -> Iterator[Imported]:
        """Import a file, and yield what became of each line as soon as it is in the store.

        A hand is played again, and refused with the reason if it cannot be; hands that the store had before are passed
        over. A game ends where the number of the hand does not rise, or others play, or by other rules. Once
        ``cancelled`` is true, no further transaction is begun.
        """
        return self.import_lines(read_lines(path), Path(path).name, cancelled)

    def import_lines(
        self, lines: Iterable[tuple[int, str]], label: str = "", cancelled: Callable[[], bool] = lambda: False
    ) -> Iterator[Imported]:
        """Import lines with their numbers, as :meth:`import_file` does."""
        importer = Importer(label, self._newest())
        for batch in batches(lines, _AT_ONCE):
            read = [read_hand(number, line) for number, line in batch]
            with self._store.writing() as connection:
                done = importer.put(connection, read)
            yield from done
            if cancelled():
                return

    def _newest(self) -> int:
        with self._store.reading() as connection:
            return connection.scalar(select(func.max(hands.c.id))) or 0
