"""Reports: everything that some hands tell about their players, in one pass."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from pydantic import BaseModel, ConfigDict

from bromeliad.analysis.anomalies import Anomaly
from bromeliad.analysis.intervals import Mean
from bromeliad.analysis.patterns import CardPattern, Patterns, RowPattern
from bromeliad.analysis.scan import Batch, Scan
from bromeliad.analysis.sources import Sourced
from bromeliad.analysis.statistics import HandTypes, PlayerIds, PlayerResults, Statistics
from bromeliad.analysis.trends import Bins, TrendPoint
from bromeliad.errors import InputError
from bromeliad.logs import log_event

OnBatch = Callable[[Batch], None]
"""Told every batch of hands, for what only some reports need."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True)


class EvLoss(_Model):
    """What a player's reviewed decisions of one street lost; ``street`` is null in fantasyland."""

    player: str
    street: int | None
    exact: int
    loss: Mean


class AdjustedResult(_Model):
    """A player's points a hand with and without the luck of the deal, over the hands whose luck is known.

    Points count reaching fantasyland with its worth, and a fantasyland hand less it.
    """

    player: str
    hands: int
    raw: Mean
    adjusted: Mean


class Report(_Model):
    """What hands tell; lists that need a store or more work are empty without it."""

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
    anomalies: dict[str, int] = {}
    anomaly_list: tuple[Anomaly, ...] = ()
    complete: bool = True  # false if it was cut short


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
    """Read hands and return what they tell.

    Parameters
    ----------
    players, rules
        Only these players, and hands by rules of this name.
    listeners
        Told every batch of hands.
    cancelled
        Asked now and then; once true, the report is of the hands before.
    scan
        What reads and checks the hands; other anomalies may be noted there.
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
            "{file}: no hand in it was played by these rules; there are: {names}",
            file=source,
            names=", ".join(sorted(scan.others)[:20]),
        )
    if not scan.hands and not scan.found:
        raise InputError("{file}: there is no hand in it", file=source)
    for player in players:
        if player not in ids.seen:
            names = ", ".join(sorted(ids.seen)[:20])
            raise InputError("there is no player {name}; players: {names}", name=player, names=names)
