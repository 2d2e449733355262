"""``bromeliad hands import | export | list``: hand histories into the store and out of it."""

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import click

from bromeliad.cli.base import NUMBER, argument, command, json_option, one_line, option
from bromeliad.cli.storing import store_option
from bromeliad.core.files import writing
from bromeliad.errors import InputError
from bromeliad.i18n import tr
from bromeliad.logs import log_event

if TYPE_CHECKING:
    from bromeliad.cli.progress import ProgressBar
    from bromeliad.storage.games import StoredGame
    from bromeliad.storage.store import Store

_PLACE = "The store; by default in your data directory."


class _Tally(NamedTuple):
    """What became of the lines of one file."""

    file: str
    imported: int
    known: int
    problems: list[dict[str, Any]]


@command(
    "import",
    help="""Read hand histories into the store.

Every hand is played again first: one that cannot be is refused, told by its line, and the rest is read all the same.
Fields that are not known are kept. Hands that the store has already are passed over, so a file that has grown can be
imported again. A game ends where the number of the hand does not rise, or others play.""",
    short_help="Read hand histories into the store.",
)
@argument("files", nargs=-1, required=True, metavar="FILE...")
@store_option(help=_PLACE)
@json_option
def import_hands(files: tuple[str, ...], store: str | None, as_json: bool) -> int:
    """Import files; the exit code is 1 if something was refused."""
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.cli.main import EXIT_FAILURE, EXIT_INTERRUPTED
    from bromeliad.cli.progress import progress_bar
    from bromeliad.storage.store import open_store

    sizes = [_lines_of(file) for file in files]
    prepare(["bromeliad.games.ofc.rules.scoring"])
    tallies = []
    with open_store(store) as opened, progress_bar(tr("importing, Ctrl-C to stop here")) as progress:
        before = 0
        for file, size in zip(files, sizes, strict=True):
            if not progress.is_cancelled():
                tallies.append(_import(opened, file, progress, (before, sum(sizes))))
            before += size
    _tell(tallies, as_json)
    if progress.is_cancelled():
        return EXIT_INTERRUPTED
    return EXIT_FAILURE if any(tally.problems for tally in tallies) else 0


def _lines_of(file: str) -> int:
    """Return how many lines a file has, or raise what is wrong before anything is imported."""
    from bromeliad.games.ofc.play.history import read_lines

    count = sum(1 for _ in read_lines(file))
    if not count:
        raise InputError("{file}: there is no hand in it", file=file)
    return count


def _import(store: "Store", file: str, progress: "ProgressBar", share: tuple[int, int]) -> _Tally:
    """Import one file, which has this share of all lines, and report problems as they are found."""
    before, total = share
    imported, known = 0, 0
    problems: list[dict[str, Any]] = []
    for number, item in enumerate(store.hands.import_file(file, progress.is_cancelled), start=1):
        if item.problem is not None:
            text = one_line(item.problem.render(tr))
            problems.append({"line": item.line, "problem": text})
            click.echo(
                "bromeliad: " + tr("{file}, line {line}: {problem}", file=file, line=item.line, problem=text), err=True
            )
        imported += item.is_new
        known += item.problem is None and not item.is_new
        progress.report((before + number) / total)
    log_event("hands imported", file=file, imported=imported, known=known, refused=len(problems))
    return _Tally(file, imported, known, problems)


def _tell(tallies: list[_Tally], as_json: bool) -> None:
    if as_json:
        whole = {name: sum(getattr(tally, name) for tally in tallies) for name in ("imported", "known")}
        refused = sum(len(tally.problems) for tally in tallies)
        files = [tally._asdict() for tally in tallies]
        click.echo(json.dumps({**whole, "refused": refused, "files": files}, ensure_ascii=False))
        return
    for tally in tallies:
        click.echo(
            tr(
                "{file}: {imported} hands imported, {known} known already, {refused} refused",
                file=tally.file,
                imported=tally.imported,
                known=tally.known,
                refused=len(tally.problems),
            )
        )


@command(
    "export",
    help="Write the hands of the store as hand histories, a line each: to a file, or to standard output.",
    short_help="Write the hands of the store to a file.",
)
@argument("file", default="-", metavar="[FILE]")
@option("--game", type=NUMBER, help="Only the game with this number; all by default.")
@store_option(help=_PLACE)
def export_hands(file: str, game: int | None, store: str | None) -> None:
    """Export hands."""
    from bromeliad.storage.store import open_store

    with open_store(store) as opened:
        if game is not None:
            opened.games.get(game)  # or it is told that there is none
        lines = opened.hands.export_lines(game)
        if file == "-":
            _write(sys.stdout.buffer, lines)
            return
        with writing(file), click.open_file(file, "wb", atomic=True) as output:
            count = _write(output, lines)
    click.echo(tr("{file}: {count} hands", file=file, count=count))


def _write(output: "BinaryIO | Any", lines: Iterator[str]) -> int:
    count = 0
    for line in lines:
        output.write(line.encode("utf-8") + b"\n")
        count += 1
    output.flush()
    return count


@command("list", help="List the games of the store.", short_help="List the games of the store.")
@store_option(help=_PLACE)
@json_option
def list_games(store: str | None, as_json: bool) -> None:
    """List games."""
    from bromeliad.storage.store import open_store

    with open_store(store) as opened:
        found = list(opened.games.list())
        place = str(opened)
    if as_json:
        games = [{**game._asdict(), "created_at": game.created_at.isoformat()} for game in found]
        click.echo(json.dumps({"games": games}, ensure_ascii=False))
    elif not found:
        click.echo(tr("{place}: no games yet; play one, or import hands", place=place))
    else:
        _print(found)


def _print(games: "list[StoredGame]") -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in (tr("game"), tr("hands"), tr("rules"), tr("source"), tr("when"), tr("what")):
        table.add_column(column, justify="right" if column in (tr("game"), tr("hands")) else "left")
    for game in games:
        when = game.created_at.astimezone().strftime("%Y-%m-%d %H:%M")
        cells = str(game.id), str(game.hands), game.rules, game.source, when, game.label
        table.add_row(*map(Text, cells))
    Console().print(table)
