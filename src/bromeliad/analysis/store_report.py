"""The report on a store: its hands, luck and reviews, and anomalies of reviewed decisions."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, select

from bromeliad.analysis.anomalies import Anomaly
from bromeliad.analysis.luck import LuckResults
from bromeliad.analysis.report import OnBatch, Report, make_report
from bromeliad.analysis.scan import Scan
from bromeliad.analysis.sources import Sourced
from bromeliad.analysis.stored import LuckKeeper, SeatCheck, Wanted, ev_losses, ev_trend, from_store, known_luck
from bromeliad.games.ofc.rules.files import preset, preset_names
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.rules.rule_tables import Flag, rule_tables
from bromeliad.storage.schema import decisions, hands
from bromeliad.storage.store import Store

_TOLERANCE = 1e-6  # points by which sums may differ

Watched = Callable[[Iterable[Sourced], int], Iterator[Sourced]]
"""Takes hands and their number, yields the hands, and shows the progress."""


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
    """Return the report on a store, or on one of its games.

    Parameters
    ----------
    luck
        Measure the luck of hands whose luck is unknown, and store it.
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


def largest_jump(rules: RuleSet) -> float:
    """Return the most points by which an EV may change between decisions of a seat: half of what a hand can pay.

    Each opponent pays at most the best royalties of each row, all rows with the scoop, and the worth of fantasyland.
    """
    tables = rule_tables(rules)
    royalties = float(tables.royalty.max(axis=1).sum())
    points = float(tables.flags[Flag.ROW_POINTS : Flag.ROW_POINTS + 3].sum() + tables.flags[Flag.SCOOP])
    worth = max(rules.objective.fantasyland_worth.values(), default=0.0)
    return 0.5 * (royalties + points + worth) * (rules.players.max - 1)


def ev_anomalies(store: Store, wanted: Wanted) -> Iterator[Anomaly]:
    """Yield anomalies of reviews: EVs above the best, losses that are not the difference of EVs, and jumps of EVs."""
    columns = decisions.c
    with store.reading() as connection:
        too_good = columns.ev > columns.best_ev + _TOLERANCE
        yield from _where(store, connection, "EV above best", too_good, wanted)
        no_difference = func.abs(columns.best_ev - columns.ev - columns.ev_loss) > _TOLERANCE
        yield from _where(store, connection, "EV loss", no_difference, wanted)
        yield from _jumps(store, connection, wanted)


def _where(
    store: Store, connection: Connection, kind: str, condition: ColumnElement[bool], wanted: Wanted
) -> Iterator[Anomaly]:
    columns = decisions.c
    query: Select[Any] = select(
        columns.hand_id, hands.c.number, columns.seat, columns.ev, columns.best_ev, columns.ev_loss
    )
    query = wanted.hands(query.join(hands, hands.c.id == columns.hand_id).where(condition))
    for hand, number, seat, ev, best, loss in connection.execute(query):
        detail = f"seat {seat}: EV {ev:.3f}, best {best:.3f}, loss {loss:.3f}"
        yield Anomaly(kind, str(store), hand, number, detail)


def _jumps(store: Store, connection: Connection, wanted: Wanted) -> Iterator[Anomaly]:
    columns = decisions.c
    before = func.lag(columns.ev).over(partition_by=(columns.hand_id, columns.seat), order_by=columns.id)
    jumps = (
        select(columns.hand_id, columns.seat, columns.street, before.label("before"), columns.best_ev)
        .where(columns.ev.is_not(None))
        .subquery()
    )
    for name, limit in _limits(connection):
        query = select(jumps, hands.c.number).join(hands, hands.c.id == jumps.c.hand_id)
        query = query.where(func.abs(jumps.c.best_ev - jumps.c.before) > limit, hands.c.rules == name)
        for hand, seat, street, first, then, number in connection.execute(wanted.hands(query)):
            detail = f"seat {seat}, street {street}: EV {first:.1f}, then {then:.1f}"
            yield Anomaly("EV jump", str(store), hand, number, detail)


def _limits(connection: Connection) -> list[tuple[str, float]]:
    """Return the presets among the rules of stored hands, with their largest jumps; other rules are not checked."""
    played = connection.scalars(select(hands.c.rules).distinct())
    return [(name, largest_jump(preset(name))) for name in played if name in preset_names()]
