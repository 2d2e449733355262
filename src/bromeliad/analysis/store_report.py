"""The report on a store: its hands, and what it knows of them besides."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from bromeliad.analysis.ev_anomalies import ev_anomalies
from bromeliad.analysis.luck import LuckResults
from bromeliad.analysis.report import OnBatch, Report, make_report
from bromeliad.analysis.scan import Scan
from bromeliad.analysis.sources import Sourced
from bromeliad.analysis.stored import LuckKeeper, SeatCheck, Wanted, ev_losses, ev_trend, from_store, known_luck
from bromeliad.storage.store import Store

__all__ = ["report_on_store"]

Watched = Callable[[Iterable[Sourced], int], Iterator[Sourced]]
"""Passes hands on, of so many in all, and shows how far that is."""


def report_on_store(
    store: Store,
    game_id: int | None = None,
    *,
    players: Sequence[str] = (),
    rules: str | None = None,
    luck: bool = False,
    listeners: Sequence[OnBatch] = (),
    watched: Watched = lambda hands, total: iter(hands),
    cancelled: Callable[[], bool] = lambda: False,
) -> Report:
    """Return what a store, or one of its games, tells.

    Parameters
    ----------
    luck
        Measure the luck of hands that it is not known of, and keep it in the store.
    """
    scan = Scan(rules)
    total = store.games.get(game_id).hands if game_id is not None else store.hands.count()
    with LuckKeeper(store) as keeper:
        adjusted = LuckResults(known_luck(store), keeper.keep if luck else None, cancelled)
        found = make_report(
            str(store),
            watched(from_store(store, game_id), total),
            players=players,
            listeners=[SeatCheck(store, scan).add, adjusted.add, *listeners],
            cancelled=cancelled,
            scan=scan,
        )
    wanted = Wanted(players, rules, game_id)
    for item in ev_anomalies(store, wanted):
        scan.keep(item)
    return found.model_copy(
        update={
            "adjusted": tuple(adjusted.results([player.player for player in found.players])),
            "ev_losses": tuple(ev_losses(store, wanted)),
            "ev_trend": tuple(ev_trend(store, wanted)),
            "anomalies": dict(scan.found),
            "anomaly_list": tuple(scan.anomalies),
        }
    )
