"""Hand histories in the store: lines, seats and decisions, and the import of files."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, Select, func, insert, select, update

from bromeliad.core.domain import now
from bromeliad.errors import BromeliadError, NotStoredError
from bromeliad.games.ofc.play.history import HandRecord, parse_record, read_lines
from bromeliad.games.ofc.play.replay import verify
from bromeliad.storage.decisions import batches
from bromeliad.storage.games import insert_game
from bromeliad.storage.json_columns import clean
from bromeliad.storage.repository import Repository, dialect_insert, insert_many, matching
from bromeliad.storage.rows import HandRows, digest, rows_of
from bromeliad.storage.schema import decisions, hands, notes, seats

_AT_ONCE = 100  # lines per transaction of an import


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
_ReadHand = tuple[int, HandRows | BromeliadError]  # the number of a line, and its hand or its error


class StoredSeat(NamedTuple):
    """The result of a hand for one seat.

    The types are categories of hands. They are None for a low middle row, and for rows that a foul makes void.
    """

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


class SeatLoss(NamedTuple):
    """The reviewed decisions of a seat in one hand, and the EV that they lost."""

    decisions: int
    ev_loss: float


class ListedHand(NamedTuple):
    """A hand as lists show it; ``losses`` has the seats with reviewed decisions."""

    hand: StoredHand
    seats: list[StoredSeat]
    losses: dict[int, SeatLoss]
    starred: bool
    note: str


HandOrder = Literal["newest", "ev_loss"]


class Imported(NamedTuple):
    """The result of importing one line."""

    line: int
    hand_id: int | None  # None if there is a problem
    is_new: bool = False  # False for a hand that was stored before
    problem: BromeliadError | None = None


class Hands(Repository):
    """The hands of a store."""

    def add(self, game_id: int, rows: Iterable[HandRows]) -> list[int]:
        """Add finished hands to a game, all or none, and return their ids."""
        with self._store.writing() as connection:
            return _insert_hands(connection, [(game_id, item) for item in rows])

    def add_record(self, game_id: int, record: HandRecord) -> int:
        """Replay a record, add its hand and return its id; raise the first error of a wrong record."""
        return self.add(game_id, [rows_of(record, verify(record))])[0]

    def get(self, game_id: int, number: int) -> StoredHand:
        """Return a hand by its game and its number in the game, or raise NotStoredError."""
        for hand in self.stream(game_id=game_id, number=number):
            return hand
        raise NotStoredError("there is no hand {number} in game {game} of the store", number=number, game=game_id)

    def find(self, hand_id: int) -> StoredHand:
        """Return a hand by its id, or raise NotStoredError."""
        row = self._first(select(*_COLUMNS).where(hands.c.id == hand_id))
        if row is None:
            raise _no_hand(hand_id)
        return StoredHand._make(row)

    def listed(
        self,
        limit: int,
        offset: int = 0,
        *,
        player: str | None = None,
        rules: str | None = None,
        starred: bool = False,
        order: HandOrder = "newest",
    ) -> list[ListedHand]:
        """Return hands with their seats, losses and notes: all, or those of a player, under some rules or with a star.

        With the order ``ev_loss``, the hands that lost the most EV come first, and hands without a review last. If a
        player is given, only that player's losses count.
        """
        query: Select[Any] = select(*_COLUMNS, func.coalesce(notes.c.starred, False), func.coalesce(notes.c.text, ""))
        query = matching(query.outerjoin(notes), {hands.c.rules: rules})
        if starred:
            query = query.where(notes.c.starred)
        if player is not None:
            query = query.where(hands.c.id.in_(select(seats.c.hand_id).where(seats.c.player == player)))
        if order == "ev_loss":
            loss = matching(select(func.sum(decisions.c.ev_loss)), {decisions.c.player: player})
            query = query.order_by(
                func.coalesce(loss.where(decisions.c.hand_id == hands.c.id).scalar_subquery(), -1).desc()
            )
        query = query.order_by(hands.c.id.desc()).limit(limit).offset(offset)
        with self._store.reading() as connection:
            found = [ListedHand(StoredHand(*row[:-2]), [], {}, *row[-2:]) for row in connection.execute(query)]
            by_id = {listed.hand.id: listed for listed in found}
            for row in connection.execute(select(*seats.c).where(seats.c.hand_id.in_(by_id)).order_by(seats.c.seat)):
                by_id[row.hand_id].seats.append(StoredSeat(*row))
            place = decisions.c.hand_id, decisions.c.seat
            losses = select(*place, func.count(), func.sum(decisions.c.ev_loss)).group_by(*place)
            losses = losses.where(decisions.c.hand_id.in_(by_id), decisions.c.ev_loss.is_not(None))
            for number, seat, *loss_of in connection.execute(losses):
                by_id[number].losses[seat] = SeatLoss(*loss_of)
        return found

    def note(self, hand_id: int, *, starred: bool | None = None, text: str | None = None) -> None:
        """Set the star or the note of a hand, or both; raise NotStoredError if there is no such hand."""
        given = {"starred": starred, "text": None if text is None else clean(text)}
        change = {name: value for name, value in given.items() if value is not None}
        with self._store.writing() as connection:
            if connection.scalar(select(hands.c.id).where(hands.c.id == hand_id)) is None:
                raise _no_hand(hand_id)
            fresh = dialect_insert(connection, notes).values(hand_id=hand_id, starred=False, text="")
            connection.execute(fresh.on_conflict_do_nothing())
            if change:
                connection.execute(update(notes).where(notes.c.hand_id == hand_id).values(change))

    def stream(self, *, game_id: int | None = None, number: int | None = None) -> Iterator[StoredHand]:
        """Yield hands, game by game, in the order in which they were played."""
        query = select(*_COLUMNS).order_by(hands.c.game_id, hands.c.id)
        wanted = {hands.c.game_id: game_id, hands.c.number: number}
        return map(StoredHand._make, self._stream(matching(query, wanted)))

    def seats(self, *, game_id: int | None = None, player: str | None = None) -> Iterator[StoredSeat]:
        """Yield the seats of finished hands, in the order of the hands."""
        query = matching(select(*seats.c).order_by(seats.c.hand_id, seats.c.seat), {seats.c.player: player})
        if game_id is not None:
            query = query.join(hands, hands.c.id == seats.c.hand_id).where(hands.c.game_id == game_id)
        return map(StoredSeat._make, self._stream(query))

    def count(self) -> int:
        """Return the number of hands."""
        return self._count(hands)

    def export_lines(self, game_id: int | None = None) -> Iterator[str]:
        """Yield the lines of hand histories, without line ends."""
        return (hand.line for hand in self.stream(game_id=game_id))

    def import_file(self, path: str | Path, cancelled: Callable[[], bool] = lambda: False) -> Iterator[Imported]:
        """Import a file, and yield the result of each line as soon as it is stored.

        Every hand is replayed; an impossible one is refused with the reason. Hands that were stored before are skipped.
        A new game begins if the hand's number does not rise, or players or rules change. Once ``cancelled`` returns
        True, no further transaction begins.
        """
        return self.import_lines(read_lines(path), Path(path).name, cancelled)

    def import_lines(
        self, lines: Iterable[tuple[int, str]], label: str = "", cancelled: Callable[[], bool] = lambda: False
    ) -> Iterator[Imported]:
        """Import numbered lines, as :meth:`import_file` does."""
        with self._store.reading() as connection:
            newest = connection.scalar(select(func.max(hands.c.id))) or 0
        importer = _Importer(label, newest)
        for batch in batches(lines, _AT_ONCE):
            read = [_read_hand(number, line) for number, line in batch]
            with self._store.writing() as connection:
                done = importer.put(connection, read)
            yield from done
            if cancelled():
                return


def _no_hand(hand_id: int) -> NotStoredError:
    return NotStoredError("there is no hand {number} in the store", number=hand_id)


def _read_hand(number: int, line: str) -> _ReadHand:
    """Read a line and replay its hand; return the hand or its error."""
    try:
        record = parse_record(line)
        return number, rows_of(record, verify(record), line)
    except BromeliadError as error:
        return number, error


def _insert_hands(connection: Connection, rows: Sequence[tuple[int, HandRows]]) -> list[int]:
    """Add hands, each with the id of its game, within the caller's transaction; return their ids."""
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
    """Puts imported hands into games of the store.

    Parameters
    ----------
    label
        Label of the new games.
    newest
        The id of the newest hand before the import. Hands up to it are known: a line is skipped as many times as it was
        stored before.
    """

    def __init__(self, label: str, newest: int) -> None:
        self._label = label
        self._before = newest
        self._game: int | None = None
        self._kind: tuple[object, ...] = ()  # rules and players of the game
        self._reached = 0  # the number of the game's last hand
        self._met: Counter[str] = Counter()  # by digest: how often a known line has been skipped

    def put(self, connection: Connection, read: Sequence[_ReadHand]) -> list[Imported]:
        """Store hands within the caller's transaction, and return the result of each line."""
        known = self._known(connection, read)
        fresh: list[tuple[int, HandRows]] = []
        done: list[Imported] = []
        for line, hand in read:
            if isinstance(hand, BromeliadError):
                done.append(Imported(line, None, problem=hand))
                continue
            name = digest(hand.line)
            copies = known.get(name, [])
            if self._met[name] == len(copies):  # two equal lines are two hands
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
        """Return the ids and games of the hands that were stored before the import, by the digests of their lines."""
        digests = [digest(hand.line) for _, hand in read if isinstance(hand, HandRows)]
        query = select(hands.c.digest, hands.c.id, hands.c.game_id)
        query = query.where(hands.c.digest.in_(digests), hands.c.id <= self._before).order_by(hands.c.id)
        found: dict[str, list[tuple[int, int]]] = {}
        for name, hand_id, game_id in connection.execute(query):
            found.setdefault(name, []).append((hand_id, game_id))
        return found

    def _game_for(self, connection: Connection, hand: HandRows) -> int:
        """Return the game of a new hand: the current one, unless the hand cannot continue it."""
        kind = hand.rules, *sorted(hand.players)
        if self._game is None or kind != self._kind or hand.number <= self._reached:
            self._game = insert_game(connection, hand.rules, "import", self._label)
            self._kind = kind
        self._reached = hand.number
        return self._game

    def _rejoin(self, connection: Connection, hand: HandRows, game_id: int) -> None:
        """Continue the game of a hand that was stored before."""
        if game_id != self._game:
            self._game, self._kind = game_id, (hand.rules, *sorted(hand.players))
            query = select(func.max(hands.c.number)).where(hands.c.game_id == game_id)
            self._reached = connection.scalar(query) or 0
