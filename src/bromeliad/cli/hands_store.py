"""``bromeliad hands import | export | list``."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import click

from bromeliad.cli.base import (
    EXIT_FAILURE,
    EXIT_INTERRUPTED,
    NUMBER,
    argument,
    command,
    complain,
    json_option,
    option,
    print_json,
)
from bromeliad.cli.options import store_option
from bromeliad.core.files import writing
from bromeliad.errors import InputError
from bromeliad.i18n import one_line, tr
from bromeliad.logs import log_event

if TYPE_CHECKING:
    from bromeliad.cli.progress import ProgressBar
    from bromeliad.storage.games import StoredGame
    from bromeliad.storage.store import Store

_store_option = store_option(help="The store; by default in your data directory.")


class _Tally(NamedTuple):
    """The result of importing one file."""

    file: str
    imported: int
    known: int
    problems: list[dict[str, Any]]


@command(
    "import",
    help="""Import hand histories into the store.

Every hand is replayed first. A hand that breaks the rules is refused and reported with its line; the others are
imported. Unknown fields are kept. Hands already in the store are skipped, so a file that has grown can be imported
again. A new game begins where the hand number does not increase or the players change.""",
)
@argument("files", nargs=-1, required=True, metavar="FILE...")
@_store_option
@json_option
def import_hands(files: tuple[str, ...], store: str | None, as_json: bool) -> int:
    """Import files; the exit code is 1 if a hand was refused."""
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.cli.progress import progress_bar
    from bromeliad.storage.store import open_store

    sizes = [_lines_of(file) for file in files]
    prepare(["bromeliad.games.ofc.rules.scoring"])
    tallies = []
    with open_store(store) as opened, progress_bar(tr("importing, Ctrl-C to stop")) as progress:
        before = 0
        for file, size in zip(files, sizes, strict=True):
            if not progress.cancel.cancelled:
                tallies.append(_import(opened, file, progress, (before, sum(sizes))))
            before += size
    _print_tallies(tallies, as_json)
    if progress.cancel.cancelled:
        return EXIT_INTERRUPTED
    return EXIT_FAILURE if any(tally.problems for tally in tallies) else 0


def _lines_of(file: str) -> int:
    """Return the number of non-empty lines; raise InputError, before anything is imported, if there are none."""
    from bromeliad.games.ofc.play.history import read_lines

    count = sum(1 for _ in read_lines(file))
    if not count:
        raise InputError("{file} has no hands", file=file)
    return count


def _import(store: "Store", file: str, progress: "ProgressBar", share: tuple[int, int]) -> _Tally:
    """Import one file and report problems; ``share`` is the number of lines in earlier files, and in all files."""
    before, total = share
    imported, known = 0, 0
    problems: list[dict[str, Any]] = []
    for number, item in enumerate(store.hands.import_file(file, progress.cancel), start=1):
        if item.problem is not None:
            text = one_line(item.problem.render(tr))
            problems.append({"line": item.line, "problem": text})
            complain(tr("{file}, line {line}: {problem}", file=file, line=item.line, problem=text))
        imported += item.is_new
        known += item.problem is None and not item.is_new
        progress.report((before + number) / total)
    log_event("hands imported", file=file, imported=imported, known=known, refused=len(problems))
    return _Tally(file, imported, known, problems)


def _print_tallies(tallies: list[_Tally], as_json: bool) -> None:
    if as_json:
        whole = {name: sum(getattr(tally, name) for tally in tallies) for name in ("imported", "known")}
        refused = sum(len(tally.problems) for tally in tallies)
        print_json({**whole, "refused": refused, "files": [tally._asdict() for tally in tallies]})
        return
    for tally in tallies:
        click.echo(
            tr(
                "{file}: {imported} hands imported, {known} already in the store, {refused} refused",
                file=tally.file,
                imported=tally.imported,
                known=tally.known,
                refused=len(tally.problems),
            )
        )


@command(
    "export",
    help="Export the hands of the store as hand histories, one per line, to a file or to standard output.",
)
@argument("file", default="-", metavar="[FILE]")
@option("--game", type=NUMBER, help="Only the game with this number; all by default.")
@_store_option
def export_hands(file: str, game: int | None, store: str | None) -> None:
    """Export hands."""
    from bromeliad.storage.store import open_store

    with open_store(store) as opened:
        if game is not None:
            opened.games.get(game)  # raises if there is none
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


@command("list", help="List the games in the store.")
@_store_option
@json_option
def list_games(store: str | None, as_json: bool) -> None:
    """List games."""
    from bromeliad.storage.store import open_store

    with open_store(store) as opened:
        found = list(opened.games.list())
        place = str(opened)
    if as_json:
        games = [{**game._asdict(), "created_at": game.created_at.isoformat()} for game in found]
        print_json({"games": games})
    elif not found:
        click.echo(tr("{place}: no games yet; play one or import hands", place=place))
    else:
        _print(found)


def _print(games: "list[StoredGame]") -> None:
    from rich.console import Console
    from rich.text import Text

    from bromeliad.cli.table import plain_table

    columns = (tr("game"), tr("hands"), tr("rules"), tr("source"), tr("when"), tr("name"))
    rows = []
    for game in games:
        when = game.created_at.astimezone().strftime("%Y-%m-%d %H:%M")
        rows.append([*map(Text, (str(game.id), str(game.hands), game.rules, game.source, when, game.label))])
    Console().print(plain_table(columns, rows, left=range(2, len(columns))))
