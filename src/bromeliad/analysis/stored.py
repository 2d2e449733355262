"""The parts of a report that come from a store: hands, reviewed decisions, and measured luck."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Select, bindparam, case, func, select, update

from bromeliad.analysis.intervals import mean_of
from bromeliad.analysis.report import EvLoss
from bromeliad.analysis.review import DecisionReview
from bromeliad.analysis.scan import Batch, Scan
from bromeliad.analysis.sources import Sourced
from bromeliad.analysis.trends import MOST, TrendPoint
from bromeliad.games.ofc.rules.scoring import Scored
from bromeliad.storage.decisions import Review
from bromeliad.storage.repository import matching
from bromeliad.storage.schema import decisions, hands, seats
from bromeliad.storage.store import Store

_AT_ONCE = 400  # seats per transaction of luck
_COMPARED = (Scored.ROYALTIES, Scored.FOUL, Scored.NEXT_CARDS)  # results that are stored for each seat


def from_store(store: Store, game_id: int | None = None) -> Iterator[Sourced]:
    """Yield the hands of a store, or of one of its games."""
    for hand in store.hands.stream(game_id=game_id):
        yield Sourced(str(store), hand.id, hand.line)


# --- reviewed decisions -------------------------------------------------------------------------------------------


class Wanted(NamedTuple):
    """The hands and decisions of a store to report on; by default all."""

    players: Sequence[str] = ()
    rules: str | None = None
    game_id: int | None = None

    def hands(self, query: Select[Any]) -> Select[Any]:
        """Return a query over hands, limited to the wanted ones."""
        return matching(query, {hands.c.rules: self.rules, hands.c.game_id: self.game_id})

    def reviewed(self, query: Select[Any]) -> Select[Any]:
        """Return a query over decisions, limited to the wanted ones that have a review."""
        query = query.where(decisions.c.ev_loss.is_not(None))
        if self.players:
            query = query.where(decisions.c.player.in_(self.players))
        if self.rules is not None or self.game_id is not None:
            query = self.hands(query.join(hands, hands.c.id == decisions.c.hand_id))
        return query


def _loss_sums() -> list[ColumnElement[Any]]:
    loss = decisions.c.ev_loss
    return [func.count(), func.sum(loss), func.sum(loss * loss)]


def ev_losses(store: Store, wanted: Wanted) -> list[EvLoss]:
    """Return the losses of reviewed decisions by player and street."""
    place = decisions.c.player, decisions.c.street
    exact = func.sum(case((decisions.c.exact, 1), else_=0))
    query = wanted.reviewed(select(*place, exact, *_loss_sums())).group_by(*place)
    with store.reading() as connection:
        rows = sorted(connection.execute(query), key=lambda row: (row[0], row[1] is None, row[1]))
    return [
        EvLoss(player=player, street=street, exact=int(count), loss=mean_of(*sums))
        for player, street, count, *sums in rows
    ]


def ev_trend(store: Store, wanted: Wanted) -> list[TrendPoint]:
    """Return the losses of reviewed decisions over stretches of hands, numbered by their ids in the store."""
    number = decisions.c.hand_id
    ends = wanted.reviewed(select(func.min(number), func.max(number)))
    with store.reading() as connection:
        first, last = connection.execute(ends).one()
        if first is None:
            return []
        width = max(-(-(last - first + 1) // MOST), 1)
        stretch = (number - first) // width
        query = wanted.reviewed(select(decisions.c.player, stretch, *_loss_sums()))
        rows = connection.execute(query.group_by(decisions.c.player, stretch)).all()
    return [
        TrendPoint(player=player, first=first + at * width, last=first + at * width + width - 1, mean=mean_of(*sums))
        for player, at, *sums in sorted(rows, key=lambda row: (row[0], row[1]))
    ]


class ReviewKeeper:
    """Stores reviews as they come."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._numbers: dict[int, list[int]] = {}  # decision ids of the current hand

    def keep(self, judged: DecisionReview) -> None:
        """Store the review of a decision."""
        if judged.line not in self._numbers:
            self._numbers = {judged.line: [row.id for row in self._store.decisions.stream(hand_id=judged.line)]}
        row = Review(
            decision_id=self._numbers[judged.line][judged.decision],
            ev=judged.ev,
            best_ev=judged.best_ev,
            ev_loss=judged.ev_loss,
            stderr=judged.stderr,
            exact=judged.exact,
            better=judged.best.model_dump(mode="json", include={"top", "middle", "back", "discards"}),
            method=judged.method,
        )
        self._store.decisions.review([row])


# --- luck ---------------------------------------------------------------------------------------------------------


def known_luck(store: Store) -> dict[int, NDArray[np.float64]]:
    """Return the luck by seat of every hand whose luck is stored, under the hand's id."""
    query = select(seats.c.hand_id, seats.c.luck).order_by(seats.c.hand_id, seats.c.seat)
    found: dict[int, list[float | None]] = defaultdict(list)
    with store.reading() as connection:
        for number, luck in connection.execution_options(yield_per=10_000).execute(query):
            found[number].append(luck)
    return {number: np.array(luck, float) for number, luck in found.items() if None not in luck}


class LuckKeeper:
    """Stores measured luck, many hands at once; the end of the ``with`` block stores the rest."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[dict[str, object]] = []

    def keep(self, sourced: Sourced, luck: NDArray[np.float64]) -> None:
        """Add the luck of a hand by seat, and store it together with that of other hands."""
        for seat, value in enumerate(luck.tolist(), start=1):
            self._waiting.append({"hand": sourced.line, "at": seat, "luck": value})
        if len(self._waiting) >= _AT_ONCE:
            self._write()

    def _write(self) -> None:
        """Store the luck kept so far."""
        if not self._waiting:
            return
        change = update(seats).where(seats.c.hand_id == bindparam("hand"), seats.c.seat == bindparam("at"))
        with self._store.writing() as connection:
            connection.execute(change, self._waiting)
        self._waiting.clear()

    def __enter__(self) -> "LuckKeeper":
        return self

    def __exit__(self, *error: object) -> None:
        self._write()


# --- seats --------------------------------------------------------------------------------------------------------


class SeatCheck:
    """Compares stored seats with their hands, and notes differences as anomalies."""

    def __init__(self, store: Store, scan: Scan) -> None:
        self._store = store
        self._scan = scan

    def add(self, batch: Batch) -> None:
        """Compare the seats of a batch."""
        columns = seats.c.points, seats.c.royalties, seats.c.fouled, seats.c.next_fantasyland, seats.c.player
        numbers = [sourced.line for sourced in batch.sourced]
        query = select(seats.c.hand_id, seats.c.seat, *columns).where(seats.c.hand_id.in_(numbers))
        with self._store.reading() as connection:
            stored = {(row[0], row[1]): tuple(row[2:]) for row in connection.execute(query)}
        scored = batch.results.scored
        results = np.stack([batch.results.points, *(scored[:, :, at] for at in _COMPARED)], axis=2).tolist()
        for sourced, hand, rows in zip(batch.sourced, batch.hands, results, strict=True):
            for seat, (row, name) in enumerate(zip(rows, hand.players, strict=True), start=1):
                there = stored.get((sourced.line, seat))
                if there != (*row, name):
                    self._scan.note("stored seat", sourced, None, f"seat {seat}: {there}")
