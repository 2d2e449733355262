"""``bromeliad book``: the opening book. ``show``, ``stats`` and ``verify``; :mod:`.book_build` has the others."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import Group, command, json_option, objective_options, option
from bromeliad.cli.batch import long_batch_options, open_batch
from bromeliad.errors import BookError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.evaluation.book.stats import BookStats, Kind
    from bromeliad.games.ofc.book.file import Book, BookHeader
    from bromeliad.games.ofc.spot import Spot

_SHAPES = 10  # of placements in a table
_VERIFIED = 200  # hands
_COMMANDS = {
    "build": ("bromeliad.cli.book_build:build", "Find the best placements of every first deal; can be resumed."),
    "merge": ("bromeliad.cli.book_build:merge", "Put parts of a book together, or pool books of the same hands."),
    "verify": ("bromeliad.cli.book:verify", "Compare a book with fresh searches that are ten times longer."),
    "show": ("bromeliad.cli.book:show", "Say what a book knows of a hand."),
    "stats": ("bromeliad.cli.book:stats", "Say what first deals are worth, all together and by kind."),
}
book = Group(
    "book", help="The opening book: the best placements of every first deal, built, checked and read.", lazy=_COMMANDS
)


def _book_option(function: Any) -> Any:
    """Decorate a command with ``--book``."""
    return option(
        "--book",
        "path",
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        help="The book; by default the one that solve uses for these rules.",
    )(function)


def _chosen_book(path: Path | None, given: dict[str, Any], hand: int | None = None) -> "tuple[Book, Spot]":
    """Return the book that a command is about, and the spot before the first deal of its rules.

    Of several books the first is meant, or the first that knows a ``hand``.

    Raises
    ------
    BookError
        If there is none, or the file is of other rules or another objective.
    """
    from bromeliad.games.ofc.book.file import open_book
    from bromeliad.games.ofc.book.shelf import find_books, is_of
    from bromeliad.solving.request import read_request

    request = read_request({"objective": "solo", **{name: value for name, value in given.items() if value is not None}})
    start = request.to_spot()
    books = (open_book(path),) if path else find_books(start.rules, start.foul_cost, start.fantasyland_worth)
    if not books:
        raise BookError(
            "there is no opening book for {rules} with this objective: make one with `bromeliad book build`",
            rules=start.rules.name,
        )
    book = next((book for book in books if hand is not None and book.find(hand)), books[0])
    if not is_of(book.header, start.rules, start.foul_cost, start.fantasyland_worth):
        raise BookError(
            "{path} is a book of {rules}, foul cost {cost}, worth {worth}: give --rules, --foul-cost and"
            " --fantasyland-worth like that",
            path=book.path,
            rules=book.header.rules,
            cost=f"{book.header.foul_cost:g}",
            worth=_worth(book.header),
        )
    return book, start


def _worth(header: "BookHeader") -> str:
    return ",".join(f"{cards}={points:g}" for cards, points in sorted(header.fantasyland_worth.items()))


@command("show", help="Say what a book knows of a first deal, and where the book comes from.")
@option("--cards", required=True, help="The five cards of the first deal.")
@objective_options
@_book_option
@json_option
def show(cards: str, path: Path | None, as_json: bool, **given: Any) -> None:
    """Show the entries of a hand."""
    from bromeliad.core.cards import CardSet
    from bromeliad.solving.entries import book_actions
    from bromeliad.solving.request import read_request

    data = {name: value for name, value in given.items() if value is not None}
    spot = read_request({"objective": "solo", "cards": cards, **data}).to_spot()
    hand = CardSet.from_cards(spot.cards).mask
    book, _ = _chosen_book(path, given, hand)
    entries = book.find(hand) if spot.cards else ()
    if not entries:
        raise BookError("{path} does not know this hand: {cards}", path=book.path, cards=cards[:40] or "-")
    known = book_actions(spot, entries)[: len(entries)]
    if as_json:
        actions = [action.model_dump(mode="json") for action in known]
        header = book.header.model_dump(mode="json")
        click.echo(json.dumps({"book": {"path": str(book.path), **header}, "actions": actions}, ensure_ascii=False))
        return
    from rich.console import Console

    from bromeliad.cli.table import placements_table

    console = Console()
    console.print(placements_table(known, "solo", console.width))
    console.print(_about(book), style="dim", highlight=False)


def _about(book: "Book") -> str:
    seeds = ", ".join(str(run.seed) for run in book.header.runs)
    return tr(
        "{path}: {rules}, foul cost {cost}, worth {worth}, {hands} hands, seeds {seeds}",
        path=book.path,
        rules=book.header.rules,
        cost=f"{book.header.foul_cost:g}",
        worth=_worth(book.header),
        hands=f"{book.header.hands:,}",
        seeds=seeds,
    )


@command(
    "stats",
    help="Say what first deals are worth by a book: all together, by kind of hand, by shape of placement.",
)
@objective_options
@_book_option
@json_option
def stats(path: Path | None, as_json: bool, **given: Any) -> None:
    """Show the figures of a book."""
    from bromeliad.evaluation.book.stats import book_stats

    book, _ = _chosen_book(path, given)
    book.check()
    result = book_stats(book)
    if as_json:
        header = book.header.model_dump(mode="json")
        click.echo(json.dumps({"book": {"path": str(book.path), **header}, **result.to_json()}, ensure_ascii=False))
        return
    from rich.console import Console

    console = Console()
    console.print(_about(book), style="dim", highlight=False)
    console.print(_in_words(result), highlight=False)
    for title, kinds in (
        (tr("hand"), result.kinds),
        (tr("cards of a suit"), result.suits),
        (tr("top-middle-back"), result.shapes[:_SHAPES]),
    ):
        console.print(_table(title, kinds))


def _in_words(result: "BookStats") -> str:
    few = "" if result.complete else tr("The book lacks hands: these are the figures of those that it has.") + "\n"
    line = few + tr(
        "A first deal is worth {value} ± {stderr} points, {lead} more than by the second-best placement.",
        value=f"{result.value:.3f}",
        stderr=f"{result.stderr:.3f}",
        lead=f"{result.lead:.3f}",
    )
    return line + "\n" + tr(
        "A best placement is known to ± {stderr}, by {visits} simulations and playouts a hand.",
        stderr=f"{result.mean_stderr:.3f}",
        visits=f"{result.visits:,.0f}",
    )  # fmt: skip


def _table(title: str, kinds: "Any") -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(title)
    for name in (tr("share %"), tr("EV"), "±"):
        table.add_column(name, justify="right")
    kind: Kind
    for kind in kinds:
        table.add_row(tr(kind.name), f"{100 * kind.share:.2f}", f"{kind.value:.3f}", f"{kind.stderr:.3f}")
    return table


@command(
    "verify",
    help="""Compare a book with fresh searches that are ten times longer, on random hands as often as they are dealt.

Tells what the book's choices lose, how often the search chooses the same, and how often the book's 95 % intervals hold
what the search and fresh playouts say.""",
)
@objective_options
@_book_option
@option("--hands", type=click.IntRange(min=2), default=_VERIFIED, show_default=True, help="Hands to compare.")
@option(
    "--seed", type=click.IntRange(min=0, max=2**31 - 1), default=1, show_default=True, help="Seed of all randomness."
)
@long_batch_options
@json_option
def verify(
    path: Path | None, hands: int, seed: int, cluster: str, workers: int | None, as_json: bool, **given: Any
) -> None:
    """Verify a book, with a progress bar."""
    from bromeliad.bench.book import verified_section
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.cli.progress import progress_bar
    from bromeliad.cli.table import print_section
    from bromeliad.evaluation.book.verify import KERNELS, verify_book

    book, start = _chosen_book(path, given)
    prepare(KERNELS)
    text = tr("comparing, Ctrl-C for the figures so far")
    about = {"book": book.header.sha256, "hands": hands, "seed": seed}
    with progress_bar(text) as progress, open_batch("book-verify", about, cluster, workers, progress) as batch:
        result = verify_book(book, start, hands, seed, batch, progress.report, progress.is_cancelled)
    if as_json:
        click.echo(json.dumps({"book": str(book.path), **result.to_json()}, ensure_ascii=False))
    else:
        print_section(verified_section(book, result))
