"""``bromeliad report``."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from bromeliad.cli.base import argument, command, json_option, option
from bromeliad.errors import InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.analysis.report import Report
    from bromeliad.analysis.sources import Sourced
    from bromeliad.cli.watch import Watch

__all__ = ["report"]


@command(
    "report",
    help="""Say what hands tell about their players: results, fouls, fantasyland, hand types, patterns, trends, anomalies.

FILE is a file of hand histories. Shares come with 95 % intervals, means with standard errors. Anomalies are what
suggests a bug or a broken log: each hand is checked against the rules.""",
)
@argument("files", nargs=-1, metavar="FILE...")
@option("--player", "players", multiple=True, help="Only this player. May be given several times.")
@option("--rules", metavar="NAME", help="Only hands by rules of this name.")
@option("--luck", is_flag=True, help="Take the luck of the deal off the results: some milliseconds a hand.")
@option("--html", metavar="FILE", help="Write a page that opens without a network.")
@option("--csv", metavar="FILE", help="Write a row for every seat of every hand.")
@option("--parquet", metavar="FILE", help="Write these rows as Parquet.")
@json_option
def report(
    files: tuple[str, ...],
    players: tuple[str, ...],
    rules: str | None,
    luck: bool,
    html: str | None,
    csv: str | None,
    parquet: str | None,
    as_json: bool,
) -> None:
    """Report on files."""
    _check_outputs(html, csv, parquet)
    found = _make(files, players, rules, luck, csv, parquet)
    if html is not None:
        from bromeliad.analysis.report_page import write_report

        write_report(html, found)
    if as_json:
        click.echo(found.model_dump_json())
    else:
        _print(found)


def _check_outputs(html: str | None, csv: str | None, parquet: str | None) -> None:
    """Raise what would go wrong after the work."""
    from bromeliad.analysis.export import check_tables
    from bromeliad.analysis.pages import check_writable
    from bromeliad.analysis.plots import check_plots

    if html is not None:
        check_plots()
    if csv or parquet:
        check_tables()
    for path in filter(None, (html, csv, parquet)):
        check_writable(path)


def _make(
    files: tuple[str, ...],
    players: tuple[str, ...],
    rules: str | None,
    luck: bool,
    csv: str | None,
    parquet: str | None,
) -> "Report":
    from bromeliad.analysis.export import SeatTable
    from bromeliad.analysis.luck import LuckResults
    from bromeliad.analysis.report import make_report
    from bromeliad.cli.kernels import prepare
    from bromeliad.cli.watch import progress_bar
    from bromeliad.games.ofc import luck as _luck  # noqa: F401 -- loading it registers its warm-up

    if not files:
        raise InputError("give files of hand histories")
    prepare(("analysis.scored", "ofc.luck") if luck else ("analysis.scored",))
    table = SeatTable()
    with progress_bar(tr("reading hands, Ctrl-C for the report so far")) as watch:
        adjusted = LuckResults(None, (lambda sourced, luck: None) if luck else None, watch.is_cancelled)
        listeners = [adjusted.add, *([table.add] if csv or parquet else [])]
        found = make_report(
            ", ".join(files),
            _watched(files, watch),
            players=players,
            rules=rules,
            listeners=listeners,
            cancelled=watch.is_cancelled,
        )
    if csv or parquet:
        table.write(csv, parquet)
    results = adjusted.results([player.player for player in found.players])
    return found.model_copy(update={"adjusted": tuple(results)})


def _watched(files: tuple[str, ...], watch: "Watch") -> "Iterator[Sourced]":
    """Yield the hands of files, and show how far that is."""
    from bromeliad.analysis.sources import count_lines, from_files

    total = sum(map(count_lines, files))
    for number, sourced in enumerate(from_files(files), start=1):
        yield sourced
        if number % 100 == 0:
            watch.report(number / max(total, 1))


def _print(found: "Report") -> None:
    from rich.console import Console
    from rich.text import Text

    from bromeliad.analysis.report_tables import report_note, report_tables
    from bromeliad.cli.tables import print_table

    console = Console()
    console.print(Text(report_note(found), style="bold"))
    console.print()
    for table in report_tables(found):
        print_table(console, table)
    if not found.anomalies:
        console.print(Text(tr("No anomalies.")))
