"""``bromeliad hands``: its commands, ``show`` and ``check`` among them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import NUMBER, Group, argument, json_option, one_line, option, stored_number
from bromeliad.cli.base import Command as _Command
from bromeliad.cli.storing import store_option
from bromeliad.errors import InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.games.ofc.play.history import HandRecord

_COMMANDS = {
    "import": ("bromeliad.cli.hands_store:import_hands", "Read hand histories into the store."),
    "export": ("bromeliad.cli.hands_store:export_hands", "Write the hands of the store to a file."),
    "list": ("bromeliad.cli.hands_store:list_games", "List the games of the store."),
}

hands = Group("hands", lazy=_COMMANDS, help="Show and check hand histories; read them into the store and write them.")
_STORED = re.compile(r"(\d+)(?:/(\d+))?")


@hands.command(
    "show",
    cls=_Command,
    help="""Print the hands of a file, or of a game in the store: what every seat was dealt and did, the boards and the
score. A game is told by its number, as hands list shows it, one hand of it as GAME/HAND.""",
    short_help="Print the hands of a file or a game.",
)
@argument("file", metavar="FILE|GAME|GAME/HAND")
@option("--hand", "number", type=NUMBER, help="Only the hand with this number.")
@store_option(help="The store; by default in your data directory.")
@json_option
def show(file: str, number: int | None, store: str | None, as_json: bool) -> int:
    """Print hands; lines that are no hands are told on standard error."""
    from bromeliad.errors import BromeliadError
    from bromeliad.games.ofc.play.history import read_records

    stored = _STORED.fullmatch(file)
    records = _stored(store, stored, number) if stored and not Path(file).exists() else read_records(file)
    code, shown = 0, 0
    for line, record in records:
        if isinstance(record, BromeliadError):
            code = _complain(line, record)
        elif number is None or record.hand == number:
            shown += 1
            click.echo(record.to_line()) if as_json else _print(record)
    if not shown and not code:
        raise InputError("{file}: there is no such hand in it", file=file)
    return code


def _stored(place: str | None, name: "re.Match[str]", number: int | None) -> "Iterator[tuple[int, HandRecord]]":
    """Yield the hands of a game in the store, or the one that is meant."""
    from bromeliad.storage.store import open_store

    with open_store(place) as store:
        game = store.games.get(stored_number(name[1])).id
        one = stored_number(name[2]) if name[2] else number
        found = store.hands.stream(game_id=game) if one is None else [store.hands.get(game, one)]
        for hand in found:
            yield hand.number, hand.record


@hands.command(
    "check",
    cls=_Command,
    help="Play every hand of a file again; what is wrong is told by line, and the rest is checked all the same.",
    short_help="Play every hand of a file again.",
)
@argument("file")
@json_option
def check(file: str, as_json: bool) -> int:
    """Check a file; the exit code is 2 if something is wrong."""
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.errors import BromeliadError
    from bromeliad.games.ofc.play.history import read_records
    from bromeliad.games.ofc.play.replay import check as check_record

    prepare(["bromeliad.games.ofc.rules.scoring"])
    count, wrong = 0, []
    for line, record in read_records(file):
        count += 1
        problems = [record] if isinstance(record, BromeliadError) else check_record(record)
        for problem in problems:
            wrong.append({"line": line, "problem": one_line(problem.render(tr))})
            _complain(line, problem)
    if not count:
        raise InputError("{file}: there is no hand in it", file=file)
    if as_json:
        click.echo(json.dumps({"ok": not wrong, "hands": count, "problems": wrong}, ensure_ascii=False))
    elif not wrong:
        click.echo(tr("{file}: {count} hands, all right", file=file, count=count))
    return 2 if wrong else 0


def _complain(line: int, problem: Any) -> int:
    text = tr("line {line}: {problem}", line=line, problem=one_line(problem.render(tr)))
    click.echo(f"bromeliad: {text}", err=True)
    return 2


def _print(record: "HandRecord") -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from bromeliad.cli.boards import board_text
    from bromeliad.games.ofc.play.history import ScoreEvent, ShowdownEvent

    console = Console()
    rules = record.rules if isinstance(record.rules, str) else str(record.rules.get("name", ""))
    console.print(Text(tr("Hand {number}, {rules} rules", number=record.hand, rules=one_line(rules)), style="bold"))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in (tr("seat"), tr("dealt"), tr("top / middle / back"), tr("discard")):
        table.add_column(column)
    for row in _turns(record):
        table.add_row(*row)
    console.print(table)
    for event in record.events:
        if isinstance(event, ShowdownEvent):
            for seat, board in enumerate(event.boards, start=1):
                console.print(f"{seat} {_name(record, seat)}:", board_text(board))
        elif isinstance(event, ScoreEvent):
            for seat, points in enumerate(event.points, start=1):
                console.print(f"{seat} {_name(record, seat)}: {points:+d}", markup=False)


def _turns(record: "HandRecord") -> list[tuple[Any, ...]]:
    """Return a row for each turn: seat, cards dealt, placed and discarded."""
    from bromeliad.cli.boards import board_text, cards_text
    from bromeliad.games.ofc.play.history import DealEvent, DiscardEvent, PlaceEvent

    rows: list[list[Any]] = []
    for event in record.events:
        if isinstance(event, DealEvent):
            rows.append([f"{event.seat} {_name(record, event.seat)}", cards_text(event.cards), "", ""])
        elif isinstance(event, PlaceEvent) and rows:
            rows[-1][2] = board_text(event.board)
        elif isinstance(event, DiscardEvent) and rows:
            rows[-1][3] = cards_text(event.cards)
    return [tuple(row) for row in rows]


def _name(record: "HandRecord", seat: int) -> str:
    from rich.markup import escape

    return escape(record.players[seat - 1].name) if seat <= len(record.players) else ""
