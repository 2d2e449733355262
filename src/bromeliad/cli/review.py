"""``bromeliad review``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.cells import cell_len

from bromeliad.cli.base import argument, command, complain, json_option, option, stored_number
from bromeliad.cli.options import seed_option, store_option
from bromeliad.errors import InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from bromeliad.analysis.decisions import Decisions
    from bromeliad.analysis.review import DecisionReview, Placement, Review
    from bromeliad.solving.answer import ActionAnswer


@command(
    "review",
    help="""Review played hands: what each decision lost, the biggest mistakes first, what was better and why.

Give a file of hand histories, or the number of a game in the store; losses are then saved in the store. A decision is
judged by what its player knew: their own cards and discards, and the open boards. Values are exact where the time
allows, otherwise from a search.""",
)
@argument("source", metavar="FILE|GAME")
@store_option(help="The store that has the game; by default in your data directory.")
@option("--player", "players", multiple=True, help="Only the decisions of this player. May be given several times.")
@option(
    "--objective",
    type=click.Choice(("solo", "versus")),
    help="How to judge: versus (the default) takes the opponents into account, solo does not.",
)
@option("--time", "seconds", type=float, metavar="SECONDS", help="Search time per decision; 1 second by default.")
@option("--simulations", type=int, help="Limit simulations instead of time (reproducible).")
@option("--threads", type=int, help="Threads to search with; all cores by default.")
@seed_option
@option(
    "--top",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="K",
    help="Show the K biggest mistakes; --json always has all.",
)
@option("--html", metavar="FILE", help="Write the review as an HTML page that works offline.")
@json_option
def review(
    source: str,
    store: str | None,
    players: tuple[str, ...],
    top: int,
    html: str | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Review the decisions of a file, or of a game."""
    from rich.console import Console

    from bromeliad.analysis.pages import check_writable
    from bromeliad.analysis.review_page import write_review

    if html is not None:
        check_writable(html)
    if source.isdecimal() and not Path(source).exists():
        found, code = _of_game(stored_number(source), store, players, options)
    elif store is not None:
        raise InputError("{source}: with --store, give the number of a game", source=source)
    else:
        found, code = _of_file(source, players, options)
    if html is not None:
        write_review(html, found, top)
    if as_json:
        click.echo(found.model_dump_json())
    else:
        _print(Console(), found, top)
    return code


def _of_file(source: str, players: tuple[str, ...], options: dict[str, Any]) -> "tuple[Review, int]":
    from bromeliad.analysis.decisions import read_decisions
    from bromeliad.analysis.sources import from_files

    read = read_decisions(source, from_files([source]), players)
    return _judge(source, read, options), _complain(read)


def _of_game(game: int, place: str | None, players: tuple[str, ...], options: dict[str, Any]) -> "tuple[Review, int]":
    """Review a game of the store, which also supplies answers and keeps the losses."""
    from bromeliad.analysis.decisions import read_decisions
    from bromeliad.analysis.stored import ReviewKeeper, from_store
    from bromeliad.storage import open_store
    from bromeliad.storage.cached import solve_stored

    with open_store(place) as store:
        store.games.get(game)
        source = tr("game {number} of {store}", number=game, store=str(store))
        read = read_decisions(source, from_store(store, game), players)
        answers = {"answers": lambda planned, cancel: solve_stored(planned, store, cancel=cancel)}
        return _judge(source, read, options | answers, on_review=ReviewKeeper(store).keep), _complain(read)


def _complain(read: "Decisions") -> int:
    """Report hands that cannot be replayed, and return the exit code."""
    for sourced, problem in read.problems:
        complain(tr("line {line}: {problem}", line=sourced.line, problem=problem.render(tr)))
    return 2 if read.problems else 0


def _judge(source: str, read: "Decisions", options: dict[str, Any], **listeners: Any) -> "Review":
    from bromeliad.analysis.decision_judge import Judges
    from bromeliad.analysis.review import review as judge
    from bromeliad.analysis.review import summarise
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.cli.progress import progress_bar
    from bromeliad.playing.strategies import STRATEGY_KERNELS

    prepare(STRATEGY_KERNELS)
    with (
        progress_bar(tr("reviewing, Ctrl-C for the review so far")) as progress,
        Judges(cancel=progress.cancel, **options) as judges,
    ):
        reviewed = judge(read.decisions, judges, progress.report, progress.cancel, **listeners)
    return summarise(source, read.hands, len(read.decisions), reviewed)


def _print(console: "Console", found: "Review", top: int) -> None:
    from rich.text import Text

    from bromeliad.analysis.review_page import review_note, sums_table
    from bromeliad.cli.table import print_table

    for number, item in enumerate(found.mistakes[:top], start=1):
        _print_mistake(console, number, item)
    print_table(console, sums_table(found))
    console.print(Text(review_note(found), style="dim"))


def _print_mistake(console: "Console", number: int, item: "DecisionReview") -> None:
    """Print one mistake: the position, what was played, what was better, and why."""
    from rich.text import Text

    from bromeliad.analysis.review_page import error_words, reasons, where_words
    from bromeliad.cli.boards import board_text, cards_text

    lost = tr("lost {points} ({error})", points=f"{item.ev_loss:.2f}", error=error_words(item))
    console.print(Text.assemble((f"{number}. {lost}", "bold"), f"  {where_words(item)}, {item.player}"))
    lines = [(tr("board"), board_text(item.board)), (tr("cards"), cards_text(item.cards))]
    lines += [(tr("opponent"), board_text(board)) for board in item.opponents]
    lines += [(tr("played"), _placement(item.placed)), (tr("better"), _placement(item.best))]
    if why := reasons(item):
        lines.append((tr("why"), Text(", ".join(why))))
    width = max(cell_len(name) for name, _ in lines)
    for name, text in lines:
        console.print(Text.assemble("   ", (name + " " * (width - cell_len(name)), "dim"), "  ", text))
    console.print()


def _placement(placed: "Placement | ActionAnswer") -> "Text":
    from rich.text import Text

    from bromeliad.cli.boards import board_text, cards_text

    rows = " / ".join(" ".join(row) or "-" for row in (placed.top, placed.middle, placed.back))
    text = board_text(rows)
    return Text.assemble(text, " (", cards_text(" ".join(placed.discards)), ")") if placed.discards else text
