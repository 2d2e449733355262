"""``bromeliad report``."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import NUMBER, argument, command, json_option, option
from bromeliad.cli.options import store_option
from bromeliad.errors import InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.analysis.export import SeatTable
    from bromeliad.analysis.report import Report
    from bromeliad.analysis.sources import Sourced
    from bromeliad.cli.progress import ProgressBar


@command(
    "report",
    help="""Report on played hands: results, hand types, patterns and trends of the players, and anomalies.

FILE is a file of hand histories; without one, the report is on the store. Shares have 95 % intervals, means have
standard errors. Every hand is checked against the rules; anomalies suggest a bug or a broken log.""",
)
@argument("files", nargs=-1, metavar="[FILE]...")
@store_option(help="The store to report on if no file is given; by default in your data directory.")
@option("--game", type=NUMBER, help="Only this game of the store.")
@option("--player", "players", multiple=True, help="Only this player. May be given several times.")
@option("--rules", metavar="NAME", help="Only hands under rules of this name.")
@option(
    "--luck", is_flag=True, help="Also show results without the luck of the deal; takes some milliseconds per hand."
)
@option("--html", metavar="FILE", help="Write the report as an HTML page that works offline.")
@option("--csv", metavar="FILE", help="Write a CSV file with one row per seat and hand.")
@option("--parquet", metavar="FILE", help="Write the same rows as a Parquet file.")
@json_option
def report(
    files: tuple[str, ...],
    store: str | None,
    game: int | None,
    html: str | None,
    csv: str | None,
    parquet: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Report on files, or on a store."""
    from bromeliad.analysis.export import SeatTable

    if files and (store or game):
        raise InputError("give either files or a store, not both")
    _check_outputs(html, csv, parquet)
    table = SeatTable() if csv or parquet else None
    found = _of_files(files, table, **options) if files else _of_store(store, game, table, **options)
    if html is not None:
        from bromeliad.analysis.report_page import write_report

        write_report(html, found)
    if table is not None:
        table.write(csv, parquet)
    if as_json:
        click.echo(found.model_dump_json())
    else:
        _print(found)


def _check_outputs(html: str | None, csv: str | None, parquet: str | None) -> None:
    """Raise InputError, before any work, if an output cannot be written."""
    from bromeliad.analysis.export import check_tables
    from bromeliad.analysis.pages import check_writable
    from bromeliad.analysis.plots import check_plots

    if html is not None:
        check_plots()
    if csv or parquet:
        check_tables()
    for path in filter(None, (html, csv, parquet)):
        check_writable(path)


@contextmanager
def _ready(luck: bool) -> "Iterator[ProgressBar]":
    """Make the kernels ready and show a progress bar."""
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.cli.progress import progress_bar

    for_luck = ("bromeliad.games.ofc.fantasyland.solve", "bromeliad.games.ofc.luck.decisions")
    prepare(("bromeliad.analysis.scan", *(for_luck if luck else ())))
    with progress_bar(tr("reading hands, Ctrl-C for a report on those read so far")) as progress:
        yield progress


def _of_files(
    files: tuple[str, ...], table: "SeatTable | None", players: tuple[str, ...], rules: str | None, luck: bool
) -> "Report":
    from bromeliad.analysis.luck import LuckResults
    from bromeliad.analysis.report import make_report
    from bromeliad.analysis.sources import count_lines, from_files

    with _ready(luck) as progress:
        adjusted = LuckResults(None, (lambda sourced, luck: None) if luck else None, progress.cancel)
        found = make_report(
            ", ".join(files),
            _with_progress(from_files(files), sum(map(count_lines, files)), progress),
            players=players,
            rules=rules,
            listeners=[adjusted.add, *([table.add] if table else [])],
            cancelled=progress.cancel,
        )
    results = adjusted.results([player.player for player in found.players])
    return found.model_copy(update={"adjusted": tuple(results)})


def _of_store(
    place: str | None,
    game: int | None,
    table: "SeatTable | None",
    players: tuple[str, ...],
    rules: str | None,
    luck: bool,
) -> "Report":
    from bromeliad.analysis.store_report import report_on_store
    from bromeliad.storage import open_store

    with open_store(place) as store, _ready(luck) as progress:
        if game is not None:
            store.games.get(game)
        return report_on_store(
            store,
            game,
            players=players,
            rules=rules,
            luck=luck,
            listeners=[table.add] if table else [],
            watched=lambda hands, total: _with_progress(hands, total, progress),
            cancelled=progress.cancel,
        )


def _with_progress(hands: "Iterable[Sourced]", total: int, progress: "ProgressBar") -> "Iterator[Sourced]":
    """Yield the hands and update the progress bar."""
    for number, sourced in enumerate(hands, start=1):
        yield sourced
        if number % 100 == 0:
            progress.report(number / max(total, 1))


def _print(found: "Report") -> None:
    from rich.console import Console
    from rich.text import Text

    from bromeliad.analysis.report_page import report_note, report_tables
    from bromeliad.cli.table import print_table

    console = Console()
    console.print(Text(report_note(found), style="bold"))
    console.print()
    for table in report_tables(found):
        print_table(console, table)
    if not found.anomalies:
        console.print(Text(tr("No anomalies.")))
