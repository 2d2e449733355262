"""Hand histories in the store: their lines, what they tell of seats and decisions, and how files are imported."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, insert, select

from bromeliad.core.domain import now
from bromeliad.errors import BromeliadError, StoreError
from bromeliad.games.ofc.play.history import HandRecord, parse_record, read_lines
from bromeliad.games.ofc.play.replay import verify
from bromeliad.storage.decisions import batches
from bromeliad.storage.games import insert_game
from bromeliad.storage.repository import Repository, insert_many
from bromeliad.storage.rows import HandRows, digest, rows_of
from bromeliad.storage.schema import decisions, hands, seats

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


class Imported(NamedTuple):
    """What became of one line.

    ``hand_id`` is None where there is a problem; ``is_new`` is false for a hand that the store had before.
    """

    line: int
    hand_id: int | None
    is_new: bool = False
    problem: BromeliadError | None = None


class Hands(Repository):
    """The hands of a store."""

    def add(self, game_id: int, rows: Iterable[HandRows]) -> list[int]:
        """Add finished hands to a game, all or none, and return their numbers in the store."""
        with self._store.writing() as connection:
            return _insert_hands(connection, [(game_id, item) for item in rows])

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
        importer = _Importer(label, self._newest())
        for batch in batches(lines, _AT_ONCE):
            read = [_read_hand(number, line) for number, line in batch]
            with self._store.writing() as connection:
                done = importer.put(connection, read)
            yield from done
            if cancelled():
                return

    def _newest(self) -> int:
        with self._store.reading() as connection:
            return connection.scalar(select(func.max(hands.c.id))) or 0


class _ReadHand(NamedTuple):
    """One line: a hand, or what is wrong with it."""

    line: int
    hand: HandRows | BromeliadError


def _read_hand(number: int, line: str) -> _ReadHand:
    """Read a line and play its hand again."""
    try:
        record = parse_record(line)
        return _ReadHand(number, rows_of(record, verify(record), line))
    except BromeliadError as error:
        return _ReadHand(number, error)


def _insert_hands(connection: Connection, rows: Sequence[tuple[int, HandRows]]) -> list[int]:
    """Add hands, each with the number of its game, within somebody's transaction; return their numbers."""
    if not rows:
        return []
    moment = now()
    values = [
        {
            "game_id": game_id,
            "number": hand.number,
            "rules": hand.rules,
            "line": hand.line,
            "digest": digest(hand.line),
            "played_at": moment,
        }
        for game_id, hand in rows
    ]
    fresh = insert(hands).returning(hands.c.id, sort_by_parameter_order=True)
    ids = [int(found) for found in connection.scalars(fresh, values)]
    for table, name in ((seats, "seats"), (decisions, "decisions")):
        children = [
            {"hand_id": hand_id, **child}
            for hand_id, (_, hand) in zip(ids, rows, strict=True)
            for child in getattr(hand, name)
        ]
        insert_many(connection, table, children)
    return ids


class _Importer:
    """Puts read hands into games of the store.

    Parameters
    ----------
    label
        Of the games: where the hands come from.
    newest
        The newest hand before the import began: hands up to it are known. Lines that come several times are passed
        over as often as the store had them.
    """

    def __init__(self, label: str, newest: int) -> None:
        self._label = label
        self._before = newest
        self._game: int | None = None
        self._kind: tuple[object, ...] = ()  # rules and players of the game
        self._reached = 0  # number of its last hand
        self._met: Counter[str] = Counter()  # how often known lines came, by their digests

    def put(self, connection: Connection, read: Sequence[_ReadHand]) -> list[Imported]:
        """Put hands into the store within somebody's transaction, and say what became of each line."""
        known = self._known(connection, read)
        fresh: list[tuple[int, HandRows]] = []
        done: list[Imported] = []
        for line, hand in read:
            if isinstance(hand, BromeliadError):
                done.append(Imported(line, None, problem=hand))
                continue
            name = digest(hand.line)
            copies = known.get(name, [])
            if self._met[name] == len(copies):  # a line that comes twice is two hands
                fresh.append((self._game_for(connection, hand), hand))
                done.append(Imported(line, None, is_new=True))
            else:
                hand_id, game_id = copies[self._met[name]]
                self._met[name] += 1
                self._rejoin(connection, hand, game_id)
                done.append(Imported(line, hand_id))
        ids = iter(_insert_hands(connection, fresh))
        return [item._replace(hand_id=next(ids)) if item.is_new else item for item in done]

    def _known(self, connection: Connection, read: Sequence[_ReadHand]) -> dict[str, list[tuple[int, int]]]:
        """Return the numbers and the games of the hands that the store had before, by the digests of their lines."""
        digests = [digest(item.hand.line) for item in read if isinstance(item.hand, HandRows)]
        query = select(hands.c.digest, hands.c.id, hands.c.game_id)
        query = query.where(hands.c.digest.in_(digests), hands.c.id <= self._before).order_by(hands.c.id)
        found: dict[str, list[tuple[int, int]]] = {}
        for name, hand_id, game_id in connection.execute(query):
            found.setdefault(name, []).append((hand_id, game_id))
        return found

    def _game_for(self, connection: Connection, hand: HandRows) -> int:
        """Return the game of a new hand: the present one, unless the hand cannot follow in it."""
        kind = hand.rules, *sorted(hand.players)
        if self._game is None or kind != self._kind or hand.number <= self._reached:
            self._game = insert_game(connection, hand.rules, "import", self._label)
            self._kind = kind
        self._reached = hand.number
        return self._game

    def _rejoin(self, connection: Connection, hand: HandRows, game_id: int) -> None:
        """Go on in the game of a hand that was imported before."""
        if game_id != self._game:
            self._game, self._kind = game_id, (hand.rules, *sorted(hand.players))
            query = select(func.max(hands.c.number)).where(hands.c.game_id == game_id)
            self._reached = connection.scalar(query) or 0
