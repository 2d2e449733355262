"""Reports on hands and their players, in one pass: results, hand types, patterns of decisions, trends."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from bromeliad.analysis.anomalies import Anomaly
from bromeliad.analysis.intervals import Frozen, Mean, Share, share_of
from bromeliad.analysis.scan import Batch, Scan
from bromeliad.analysis.sources import Sourced
from bromeliad.analysis.statistics import HandTypes, PlayerIds, PlayerResults, Statistics, Sums
from bromeliad.analysis.trends import Bins, TrendPoint
from bromeliad.core.cards import DECK_SIZE, RANKS
from bromeliad.errors import InputError
from bromeliad.games.ofc.rules.rule_set import Row
from bromeliad.logs import log_event

OnBatch = Callable[[Batch], None]
"""Called with every batch of hands, for optional parts of reports."""

_STREETS = 6  # with fantasyland as street 0
_PLACES = (*(row.value for row in Row), "discard")
_NAMES = (*reversed(RANKS), "Jk")
_MASKS = np.array(
    [sum(1 << (13 * suit + RANKS.index(rank)) for suit in range(4)) for rank in reversed(RANKS)] + [3 << DECK_SIZE],
    np.int64,
)


class CardPattern(Frozen):
    """The cards that a player put in one place on one street; ``street`` is null in fantasyland."""

    player: str
    street: int | None
    place: str  # a row, or discard
    counts: dict[str, int]  # by rank, aces first


class RowPattern(Frozen):
    """How often a player's row was full after a street."""

    player: str
    street: int
    row: str
    full: Share


class EvLoss(Frozen):
    """The loss of a player's reviewed decisions on one street; ``street`` is null in fantasyland."""

    player: str
    street: int | None
    exact: int
    loss: Mean


class AdjustedResult(Frozen):
    """A player's points per hand with and without the luck of the deal, over the hands whose luck is known.

    Points include the worth of reaching fantasyland, minus the worth of the fantasyland that the hand is played in.
    """

    player: str
    hands: int
    raw: Mean
    adjusted: Mean


class Report(Frozen):
    """A report; parts that need a store, or more work, may be empty."""

    source: str
    hands: int
    players: tuple[PlayerResults, ...]
    hand_types: tuple[HandTypes, ...]
    cards: tuple[CardPattern, ...]
    rows: tuple[RowPattern, ...]
    trend: tuple[TrendPoint, ...]
    ev_losses: tuple[EvLoss, ...] = ()
    ev_trend: tuple[TrendPoint, ...] = ()
    adjusted: tuple[AdjustedResult, ...] = ()
    anomalies: dict[str, int] = Field(default_factory=dict)
    anomaly_list: tuple[Anomaly, ...] = ()
    complete: bool = True  # false if it was cancelled


class Patterns:
    """Counts cards and full rows by player."""

    def __init__(self, ids: PlayerIds) -> None:
        self._ids = ids
        self._cards = Sums((_STREETS, len(_PLACES), len(_NAMES)))
        self._full = Sums((_STREETS, len(Row) + 1))  # the last column counts decisions

    def add(self, batch: Batch, players: NDArray[np.int64]) -> None:
        """Add the decisions of a batch; ``players`` has the players' numbers by [hand, seat]."""
        turns = np.array([turn for hand in batch.hands for turn in hand.turns], np.int64)
        hands = np.repeat(np.arange(len(batch.hands)), [len(hand.turns) for hand in batch.hands])
        owners, streets = players[hands, turns[:, 0]], turns[:, 1]
        cards = np.bitwise_count(turns[:, 2:6, None] & _MASKS).astype(float)  # [turn, place, rank]
        full = np.ones((len(turns), len(Row) + 1))
        full[:, :-1] = turns[:, 6, None] >> np.arange(len(Row)) & 1
        for street in range(_STREETS):
            at = streets == street
            if at.any():
                self._add(owners[at], street, cards[at], full[at])

    def _add(
        self, owners: NDArray[np.int64], street: int, cards: NDArray[np.float64], full: NDArray[np.float64]
    ) -> None:
        """Add the decisions of one street, player by player: a batch has few players."""
        for owner in np.unique(owners[owners >= 0]):
            mine = owners == owner
            self._cards.put(int(owner), street, cards[mine].sum(axis=0))
            self._full.put(int(owner), street, full[mine].sum(axis=0))

    def cards(self) -> list[CardPattern]:
        """Return the cards by player, street and place."""
        found = []
        for name in self._ids.names:
            counts = self._cards.of(self._ids.number(name))
            for street in (*range(1, _STREETS), 0):
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
            for street in range(1, _STREETS):
                decisions = int(full[street, -1])
                for row, count in zip(Row, full[street], strict=False):
                    if decisions:
                        share = share_of(int(count), decisions)
                        found.append(RowPattern(player=name, street=street, row=row.value, full=share))
        return found


def make_report(
    source: str,
    hands: Iterable[Sourced],
    *,
    players: Sequence[str] = (),
    rules: str | None = None,
    listeners: Sequence[OnBatch] = (),
    cancelled: Callable[[], bool] = lambda: False,
    scan: Scan | None = None,
) -> Report:
    """Read hands and return the report on them.

    Parameters
    ----------
    players, rules
        Only these players, and only hands under the rules of this name.
    listeners
        Called with every batch of hands.
    cancelled
        Called after every batch; once it returns True, the report ends with the hands read so far.
    scan
        Reads and checks the hands, and replaces ``rules``; the caller may add anomalies to it.
    """
    scan = scan or Scan(rules)
    ids = PlayerIds(players)
    statistics, patterns = Statistics(ids), Patterns(ids)
    bins: dict[int, Bins] = defaultdict(Bins)
    complete = True
    for batch in scan.run(hands):
        numbers = ids.numbers(hand.players for hand in batch.hands)
        statistics.add(batch, numbers)
        patterns.add(batch, numbers)
        for player, points in zip(numbers.ravel().tolist(), batch.results.points.ravel().tolist(), strict=True):
            if player >= 0:
                bins[player].add(points)
        for listener in listeners:
            listener(batch)
        if cancelled():
            complete = False
            break
    _check(source, scan, ids, players)
    log_event("report finished", source=source, hands=scan.hands, anomalies=scan.found.total(), complete=complete)
    return Report(
        source=source,
        hands=scan.hands,
        players=tuple(statistics.results()),
        hand_types=tuple(statistics.hand_types()),
        cards=tuple(patterns.cards()),
        rows=tuple(patterns.rows()),
        trend=tuple(point for name in ids.names for point in bins[ids.number(name)].points(name)),
        anomalies=dict(scan.found),
        anomaly_list=tuple(scan.anomalies),
        complete=complete,
    )


def _check(source: str, scan: Scan, ids: PlayerIds, players: Sequence[str]) -> None:
    if not scan.hands and scan.others and not set(scan.found) - {"unreadable"}:
        raise InputError(
            "{file} has no hand under these rules; its rules: {names}",
            file=source,
            names=", ".join(sorted(scan.others)[:20]),
        )
    if not scan.hands and not scan.found:
        raise InputError("{file} has no hands", file=source)
    for player in players:
        if player not in ids.seen:
            names = ", ".join(sorted(ids.seen)[:20])
            raise InputError("there is no player {name}; players: {names}", name=player, names=names)
