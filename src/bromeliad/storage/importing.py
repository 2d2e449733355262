"""Importing hand histories: every line is played again, games are told apart, and what is known is passed over."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, func, insert, select

from bromeliad.core.domain import now
from bromeliad.errors import BromeliadError
from bromeliad.games.ofc.play.history import parse_record
from bromeliad.games.ofc.play.replay import verify
from bromeliad.storage.bulk import insert_many
from bromeliad.storage.games import insert_game
from bromeliad.storage.rows import HandRows, digest, rows_of
from bromeliad.storage.schema import decisions, hands, seats

__all__ = ["Imported", "Importer", "ReadHand", "insert_hands", "read_hand"]


class Imported(NamedTuple):
    """What became of one line.

    ``hand_id`` is None where there is a problem; ``is_new`` is false for a hand that the store had before.
    """

    line: int
    hand_id: int | None
    is_new: bool = False
    problem: BromeliadError | None = None


class ReadHand(NamedTuple):
    """One line: a hand, or what is wrong with it."""

    line: int
    hand: HandRows | BromeliadError


def read_hand(number: int, line: str) -> ReadHand:
    """Read a line and play its hand again."""
    try:
        record = parse_record(line)
        return ReadHand(number, rows_of(record, verify(record), line))
    except BromeliadError as error:
        return ReadHand(number, error)


def insert_hands(connection: Connection, rows: Sequence[tuple[int, HandRows]]) -> list[int]:
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


class Importer:
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

    def put(self, connection: Connection, read: Sequence[ReadHand]) -> list[Imported]:
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
        ids = iter(insert_hands(connection, fresh))
        return [item._replace(hand_id=next(ids)) if item.is_new else item for item in done]

    def _known(self, connection: Connection, read: Sequence[ReadHand]) -> dict[str, list[tuple[int, int]]]:
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
