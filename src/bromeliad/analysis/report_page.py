"""A report as tables and as a page."""

from collections.abc import Sequence
from pathlib import Path

from bromeliad.analysis.anomalies import KINDS
from bromeliad.analysis.intervals import Mean, Share
from bromeliad.analysis.pages import Row, Table, write_page
from bromeliad.analysis.plots import plots
from bromeliad.analysis.report import Report
from bromeliad.analysis.review_page import street_words
from bromeliad.games.ofc.hands.automaton import CATEGORIES
from bromeliad.games.ofc.rules.rule_set import Row as BoardRow
from bromeliad.i18n import tr

SHOWN = 4  # players in a table, those with most hands first; the JSON has all
_GROUPS = (("A",), ("K",), ("Q",), ("J", "T"), ("9", "8", "7", "6"), ("5", "4", "3", "2"), ("Jk",))


def write_report(path: str | Path, report: Report) -> None:
    """Write a page with the tables and plots of a report."""
    write_page(
        path,
        "report.html",
        title=tr("Report"),
        note=report_note(report),
        plots=plots(report),
        tables=report_tables(report),
    )


def report_note(report: Report) -> str:
    """Return the source of the report, its number of hands, and whether it was cut short."""
    text = tr("{source}: {hands} hands", source=report.source, hands=f"{report.hands:,}")
    return text if report.complete else f"{text}, {tr('cut short')}"


def report_tables(report: Report) -> list[Table]:
    """Return the tables of a report that have rows."""
    types = (_hand_types(report, row.value) for row in BoardRow)
    tables = (_results(report), _adjusted(report), _ev_losses(report), *types, _rows(report), _cards(report))
    return [table for table in (*tables, _anomalies(report)) if table.rows]


def _names(report: Report) -> list[str]:
    return [player.player for player in report.players[:SHOWN]]


def _mean(value: Mean, digits: int = 2, sign: str = "") -> str:
    if value.mean is None:
        return "–"
    text = f"{value.mean:{sign}.{digits}f}"
    return text if value.stderr is None else f"{text} ± {value.stderr:.{digits}f}"


def _share(value: Share) -> str:
    if value.share is None or value.low is None or value.high is None:
        return "–"
    return f"{100 * value.share:.1f} ({100 * value.low:.1f}–{100 * value.high:.1f})"


def _by_player(report: Report, title: str, cells: dict[str, list[str]], note: str) -> Table:
    """Return a table with a column per player."""
    rows = tuple(Row((name, *values)) for name, values in cells.items())
    return Table(title, ("", *_names(report)), rows, note=note)


def _results(report: Report) -> Table:
    shown = report.players[:SHOWN]
    cells = {
        tr("hands"): [f"{item.hands:,}" for item in shown],
        tr("points per hand"): [_mean(item.points, sign="+") for item in shown],
        tr("royalties per hand"): [_mean(item.royalties) for item in shown],
        tr("foul %"): [_share(item.foul) for item in shown],
        tr("FL entry %"): [_share(item.entry) for item in shown],
        tr("FL stay %"): [_share(item.stay) for item in shown],
        tr("scoop %"): [_share(item.scoop) for item in shown],
        tr("scooped %"): [_share(item.scooped) for item in shown],
    }
    how = tr("± is one standard error, brackets are 95 % intervals (Wilson).")
    note = f"{how} {tr('FL entry is a share of normal hands, FL stay of fantasyland hands.')}"
    return _by_player(report, tr("Results"), cells if shown else {}, note)


def _adjusted(report: Report) -> Table:
    columns = (tr("player"), tr("hands"), tr("points per hand"), tr("without luck"))
    rows = [
        Row((item.player, f"{item.hands:,}", _mean(item.raw, 3, "+"), _mean(item.adjusted, 3, "+")))
        for item in report.adjusted
        if item.player in _names(report)
    ]
    note = tr("Points include the worth of reaching fantasyland, minus that of the fantasyland being played.")
    return Table(tr("Results without the luck of the deal"), columns, tuple(rows), note=note)


def _ev_losses(report: Report) -> Table:
    columns = (tr("player"), tr("street"), tr("decisions"), tr("exact"), tr("EV lost per decision"))
    rows = [
        Row((item.player, street_words(item.street), f"{item.loss.count:,}", f"{item.exact:,}", _mean(item.loss, 3)))
        for item in report.ev_losses
        if item.player in _names(report)
    ]
    note = tr("For reviewed decisions (bromeliad review GAME).")
    return Table(tr("EV lost"), columns, tuple(rows), texts=2, note=note)


def _hand_types(report: Report, row: str) -> Table:
    mine = [item for item in report.hand_types if item.row == row][:SHOWN]
    totals = [max(sum(item.counts.values()), 1) for item in mine]
    cells = {
        tr(kind): [f"{100 * item.counts[kind] / total:.1f}" for item, total in zip(mine, totals, strict=True)]
        for kind in CATEGORIES
        if any(item.counts[kind] for item in mine)
    }
    note = tr("Percent of hands that did not foul.")
    return _by_player(report, f"{tr('Hand types')}: {tr(row)}", cells, note)


def _rows(report: Report) -> Table:
    rows = []
    for name in _names(report):
        mine = [item for item in report.rows if item.player == name]
        for street in sorted({item.street for item in mine})[:-1]:
            rows.append(Row((name, str(street), *(_share(item.full) for item in mine if item.street == street))))
    columns = (tr("player"), tr("street"), tr("top"), tr("middle"), tr("back"))
    note = tr("Percent of hands in which the row is full after the street, with the 95 % interval.")
    return Table(tr("How early rows are filled"), columns, tuple(rows), texts=2, note=note)


def _cards(report: Report) -> Table:
    """Return where the cards of each street go, for all players together."""
    counts: dict[tuple[int | None, str], dict[str, int]] = {}
    for item in report.cards:
        sums = counts.setdefault((item.street, item.place), dict.fromkeys(item.counts, 0))
        for rank, count in item.counts.items():
            sums[rank] += count
    rows = [_place_row(street, place, counts) for street, place in counts]
    columns = (tr("street"), tr("place"), *("–".join((group[0], group[-1])[: len(group)]) for group in _GROUPS))
    note = tr("Percent of the cards of these ranks that were dealt on the street; all players together.")
    return Table(tr("Where cards go"), columns, tuple(rows), texts=2, note=note)


def _place_row(street: int | None, place: str, counts: dict[tuple[int | None, str], dict[str, int]]) -> Row:
    cells = []
    for group in _GROUPS:
        dealt = sum(_sum(sums, group) for (other, _), sums in counts.items() if other == street)
        cells.append(f"{100 * _sum(counts[street, place], group) / dealt:.0f}" if dealt else "–")
    return Row((street_words(street), tr(place), *cells))


def _sum(counts: dict[str, int], group: Sequence[str]) -> int:
    return sum(counts[rank] for rank in group)


def _anomalies(report: Report) -> Table:
    rows = [
        Row((kind, f"{count:,}", _examples(report, kind), tr(KINDS[kind])))
        for kind, count in sorted(report.anomalies.items())
    ]
    columns = (tr("kind"), tr("number"), tr("first at"), tr("meaning"))
    note = tr("Signs of a bug or a broken log; the tables above leave out impossible hands.")
    return Table(tr("Anomalies"), columns, tuple(rows), texts=4, note=note)


def _examples(report: Report, kind: str) -> str:
    found = [item for item in report.anomaly_list if item.kind == kind]
    return "; ".join(f"{item.source}:{item.line} {item.detail}"[:90] for item in found[:2])
