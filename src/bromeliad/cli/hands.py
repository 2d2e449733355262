"""``bromeliad hands show | convert | check``; the other commands are in :mod:`.hands_store`."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import NUMBER, Group, argument, complain, json_option, option, print_json, stored_number
from bromeliad.cli.options import store_option
from bromeliad.errors import InputError
from bromeliad.i18n import one_line, tr

if TYPE_CHECKING:
    from bromeliad.games.ofc.play.history import HandRecord

_COMMANDS = {
    "import": ("bromeliad.cli.hands_store:import_hands", "Import hand histories into the store."),
    "export": ("bromeliad.cli.hands_store:export_hands", "Export the hands of the store."),
    "list": ("bromeliad.cli.hands_store:list_games", "List the games in the store."),
}

hands = Group(
    "hands", lazy=_COMMANDS, help="Show and check hand histories; import them into the store and export them."
)
_FEW = 100  # fewer hands are replayed faster without kernels, which take time to load
_STORED = re.compile(r"(\d+)(?:/(\d+))?")


@hands.command(
    "show",
    help="""Print the hands of a file, or of a game in the store: the cards, placements, final boards and points.

Name a stored game by its number in hands list, and one of its hands as GAME/HAND.""",
    short_help="Print the hands of a file or of a game.",
)
@argument("file", metavar="FILE|GAME|GAME/HAND")
@option("--hand", "number", type=NUMBER, help="Only the hand with this number.")
@store_option(help="The store; by default in your data directory.")
@json_option
def show(file: str, number: int | None, store: str | None, as_json: bool) -> int:
    """Print hands, and on standard error the lines that cannot be read."""
    from bromeliad.errors import BromeliadError
    from bromeliad.games.ofc.play.history import read_records

    stored = _STORED.fullmatch(file)
    records = _stored(store, stored, number) if stored and not Path(file).exists() else read_records(file)
    code, shown = 0, 0
    for line, record in records:
        if isinstance(record, BromeliadError):
            code = 2
            complain(tr("line {line}: {problem}", line=line, problem=record.render(tr)))
        elif number is None or record.hand == number:
            shown += 1
            click.echo(record.to_line()) if as_json else _print(record)
    if not shown and not code:
        raise InputError("{file} has no such hand", file=file)
    return code


@hands.command(
    "convert",
    help="Print hands that were written as plain text (deal: …, place: …) as hand histories, one line per hand.",
    short_help="Print plain-text hands as hand histories.",
)
@argument("file", metavar="FILE")
def convert(file: str) -> int:
    """Print the hands of a text file as lines of JSON."""
    from bromeliad.core.files import reading
    from bromeliad.games.ofc.play.plain_text import read_plain_text

    with reading(file):
        text = Path(file).read_bytes().decode("utf-8", "replace")
    for record in read_plain_text(text):
        click.echo(record.to_line())
    return 0


def _stored(place: str | None, name: "re.Match[str]", number: int | None) -> "Iterator[tuple[int, HandRecord]]":
    """Yield the hands of a game in the store, or the one asked for."""
    from bromeliad.storage.store import open_store

    with open_store(place) as store:
        game = store.games.get(stored_number(name[1])).id
        one = stored_number(name[2]) if name[2] else number
        found = store.hands.stream(game_id=game) if one is None else [store.hands.get(game, one)]
        for hand in found:
            yield hand.number, hand.record


@hands.command(
    "check",
    help="Replay every hand of a file and check it against the rules; problems are reported by line.",
    short_help="Replay and check every hand of a file.",
)
@argument("file")
@json_option
def check(file: str, as_json: bool) -> int:
    """Check a file; the exit code is 2 if there are problems."""
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.core.jit import interpreted
    from bromeliad.errors import BromeliadError
    from bromeliad.games.ofc.play.history import read_records
    from bromeliad.games.ofc.play.replay import check as check_record

    count, wrong = 0, []
    with ExitStack() as few:
        few.enter_context(interpreted())
        for line, record in read_records(file):
            count += 1
            if count == _FEW:
                few.close()
                prepare(["bromeliad.games.ofc.rules.scoring"])
            problems = [record] if isinstance(record, BromeliadError) else check_record(record)
            for problem in problems:
                text = one_line(problem.render(tr))
                wrong.append({"line": line, "problem": text})
                complain(tr("line {line}: {problem}", line=line, problem=text))
    if not count:
        raise InputError("{file} has no hands", file=file)
    if as_json:
        print_json({"ok": not wrong, "hands": count, "problems": wrong})
    elif not wrong:
        click.echo(tr("{file}: {count} hands, no problems", file=file, count=count))
    return 2 if wrong else 0


def _print(record: "HandRecord") -> None:
    from rich.console import Console
    from rich.text import Text

    from bromeliad.cli.boards import board_text
    from bromeliad.cli.table import plain_table
    from bromeliad.games.ofc.play.history import ScoreEvent, ShowdownEvent

    console = Console()
    rules = record.rules if isinstance(record.rules, str) else str(record.rules.get("name", ""))
    console.print(Text(tr("Hand {number}, {rules} rules", number=record.hand, rules=one_line(rules)), style="bold"))
    columns = (tr("seat"), tr("dealt"), tr("top / middle / back"), tr("discard"))
    console.print(plain_table(columns, _turns(record), left=range(len(columns))))
    for event in record.events:
        if isinstance(event, ShowdownEvent):
            for seat, board in enumerate(event.boards, start=1):
                console.print(f"{seat} {_name(record, seat)}:", board_text(board))
        elif isinstance(event, ScoreEvent):
            for seat, points in enumerate(event.points, start=1):
                console.print(f"{seat} {_name(record, seat)}: {points:+d}", markup=False)


def _turns(record: "HandRecord") -> list[list[Any]]:
    """Return a row per turn: the seat, and the cards dealt, placed and discarded."""
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
    return rows


def _name(record: "HandRecord", seat: int) -> str:
    from rich.markup import escape

    return escape(record.players[seat - 1].name) if seat <= len(record.players) else ""
