"""``bromeliad book show | stats | explore | verify``; ``build`` and ``merge`` are in :mod:`.book_build`."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import Group, command, json_option, option, print_json
from bromeliad.cli.batch import long_batch_options, open_batch
from bromeliad.cli.options import FILE, objective_options, seed_option, solo_request
from bromeliad.errors import BookError, InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.analysis.openings import Explored
    from bromeliad.evaluation.book.stats import BookStats
    from bromeliad.games.ofc.book.file import Book, BookHeader
    from bromeliad.games.ofc.spot import Spot

_SHAPES = 10  # most shapes of placements in a table
_LISTED = 20  # most deals in a table by default
FIGURES = ("ev", "lead", "stderr", "foul", "fantasyland", "royalties", "share")
_COMMANDS = {
    "build": ("bromeliad.cli.book_build:build", "Find the best placements of every first deal."),
    "merge": ("bromeliad.cli.book_build:merge", "Merge parts of a book, or pool books of the same hands."),
    "verify": ("bromeliad.cli.book:verify", "Compare a book with fresh searches ten times as long."),
    "show": ("bromeliad.cli.book:show", "Show what a book knows about a first deal."),
    "explore": ("bromeliad.cli.book:explore", "List first deals by kind, suits, ranks, shape and value."),
    "stats": ("bromeliad.cli.book:stats", "Show what first deals are worth on average, and by kind."),
}
book = Group("book", help="The opening book: the best placements of every first deal.", lazy=_COMMANDS)
_book_option = option(
    "--book",
    "path",
    metavar="FILE",
    type=FILE,
    help="The book; by default the one that solve uses for these rules.",
)


def _chosen_book(path: Path | None, given: dict[str, Any], hand: int | None = None) -> "tuple[Book, Spot]":
    """Return a book and the spot before the first deal.

    Without ``path``, take the first book that fits, preferably one that knows ``hand``.

    Raises
    ------
    BookError
        If no book fits, or the book at ``path`` is for other rules or another objective.
    """
    from bromeliad.games.ofc.book.file import open_book
    from bromeliad.games.ofc.book.shelf import find_books, is_of

    start = solo_request(given).to_spot()
    books = (open_book(path),) if path else find_books(start.rules, start.foul_cost, start.fantasyland_worth)
    if not books:
        raise BookError(
            "there is no opening book for {rules} with this objective: build one with `bromeliad book build`",
            rules=start.rules.name,
        )
    book = next((book for book in books if hand is not None and book.find(hand)), books[0])
    if not is_of(book.header, start.rules, start.foul_cost, start.fantasyland_worth):
        raise BookError(
            "{path} is a book for {rules}, foul cost {cost}, worth {worth}: give matching --rules, --foul-cost and"
            " --fantasyland-worth",
            path=book.path,
            rules=book.header.rules,
            cost=f"{book.header.foul_cost:g}",
            worth=_worth(book.header),
        )
    return book, start


def _worth(header: "BookHeader") -> str:
    return ",".join(f"{cards}={points:g}" for cards, points in sorted(header.fantasyland_worth.items()))


@command("show", help="Show what a book knows about a first deal, and how the book was made.")
@option("--cards", required=True, help="The five cards of the first deal.")
@objective_options
@_book_option
@json_option
def show(cards: str, path: Path | None, as_json: bool, **given: Any) -> None:
    """Show the entries of a hand."""
    from bromeliad.core.cards import CardSet
    from bromeliad.solving.entries import book_actions

    spot = solo_request({"cards": cards, **given}).to_spot()
    hand = CardSet.from_cards(spot.cards).mask
    book, _ = _chosen_book(path, given, hand)
    entries = book.find(hand) if spot.cards else ()
    if not entries:
        raise BookError("{path} does not know this hand: {cards}", path=book.path, cards=cards[:40] or "-")
    known = book_actions(spot, entries)[: len(entries)]
    if as_json:
        print_json({"book": _as_data(book), "actions": [action.model_dump(mode="json") for action in known]})
        return
    from rich.console import Console

    from bromeliad.cli.table import placements_table

    console = Console()
    console.print(placements_table(known, "solo", console.width))
    console.print(_about(book), style="dim", highlight=False)


def _as_data(book: "Book") -> dict[str, Any]:
    return {"path": str(book.path), **book.header.model_dump(mode="json")}


def _about(book: "Book") -> str:
    return tr(
        "{path}: {rules}, foul cost {cost}, worth {worth}, {hands} hands, seeds {seeds}",
        path=book.path,
        rules=book.header.rules,
        cost=f"{book.header.foul_cost:g}",
        worth=_worth(book.header),
        hands=f"{book.header.hands:,}",
        seeds=", ".join(str(run.seed) for run in book.header.runs),
    )


@command(
    "stats",
    help="Show what first deals are worth according to a book: on average, by kind of hand, by shape of placement.",
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
        print_json({"book": _as_data(book), **result.to_json()})
        return
    from rich.console import Console

    from bromeliad.cli.table import plain_table

    console = Console()
    console.print(_about(book), style="dim", highlight=False)
    console.print(_in_words(result), highlight=False)
    for title, kinds in (
        (tr("hand"), result.kinds),
        (tr("cards of one suit"), result.suits),
        (tr("top-middle-back"), result.shapes[:_SHAPES]),
    ):
        rows = [(tr(k.name), f"{100 * k.share:.2f}", f"{k.value:.3f}", f"{k.stderr:.3f}") for k in kinds]
        console.print(plain_table((title, tr("share %"), tr("EV"), "±"), rows, left=(0,)))


def _in_words(result: "BookStats") -> str:
    few = "" if result.complete else tr("The book is incomplete: these figures are for the hands that it has.") + "\n"
    line = few + tr(
        "A first deal is worth {value} ± {stderr} points, {lead} more than with the second-best placement.",
        value=f"{result.value:.3f}",
        stderr=f"{result.stderr:.3f}",
        lead=f"{result.lead:.3f}",
    )
    return line + "\n" + tr(
        "The value of a best placement is known to ± {stderr}, from {visits} simulations and playouts per hand.",
        stderr=f"{result.mean_stderr:.3f}",
        visits=f"{result.visits:,.0f}",
    )  # fmt: skip


@command(
    "explore",
    help="""List first deals of a book by conditions, with their best placement and means over all of them.

A condition is kind=pair, pair=K (rank of the highest pair), high=A (highest card), suited=3 (most cards of a suit),
connected=4 (most ranks within five in a row), shape=1-2-2 (cards in top, middle and back), or a figure with >= or <=:
ev, lead, stderr, foul, fantasyland, royalties, share. Values of the same field are alternatives; different fields must
all be met.""",
)
@option("--filter", "conditions", multiple=True, metavar="CONDITION", help="A condition; may be given several times.")
@option("--sort", type=click.Choice(FIGURES), default="ev", show_default=True, help="What to sort by.")
@option("--ascending", is_flag=True, help="The smallest first.")
@option("--top", type=click.IntRange(min=1), metavar="K", help="List only K deals; by default 20, in CSV all.")
@option("--csv", "as_csv", is_flag=True, help="Print the deals as CSV.")
@objective_options
@_book_option
@json_option
def explore(
    conditions: tuple[str, ...],
    sort: str,
    ascending: bool,
    top: int | None,
    as_csv: bool,
    path: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Explore a book."""
    from bromeliad.analysis import openings

    read = [openings.read_condition(text) for text in conditions]
    if as_csv and as_json:
        raise InputError("give --json or --csv, not both")
    book, _ = _chosen_book(path, given)
    limit = top or (None if as_csv else _LISTED)
    found = openings.explore(openings.read_openings(book), read, sort=sort, descending=not ascending, limit=limit)
    if as_json:
        print_json({"book": _as_data(book), **found.model_dump(mode="json")})
    elif as_csv:
        _print_csv(found)
    else:
        _print_openings(found)


def _print_csv(found: "Explored") -> None:
    import csv
    import sys

    from bromeliad.analysis.openings import Opening

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(Opening.model_fields)
    for item in found.openings:
        row = item.model_dump()
        writer.writerow(" ".join(value) if isinstance(value, tuple) else value for value in row.values())


def _print_openings(found: "Explored") -> None:
    from rich.console import Console

    from bromeliad.cli.table import plain_table

    def share(value: float | None) -> str:
        return "–" if value is None else f"{100 * value:.1f}"

    console = Console()
    console.print(
        tr(
            "{hands} first deals, {share} % of all: EV {ev}, lead {lead}, foul {foul} %, fantasyland {fantasyland} %",
            hands=f"{found.hands:,}",
            share=f"{100 * found.share:.2f}",
            ev="–" if found.ev is None else f"{found.ev:.3f}",
            lead="–" if found.lead is None else f"{found.lead:.3f}",
            foul=share(found.foul),
            fantasyland=share(found.fantasyland),
        ),
        highlight=False,
    )
    rows = [
        (
            item.cards,
            *(" ".join(row) or "-" for row in (item.top, item.middle, item.back)),
            f"{item.ev:.2f}",
            f"{item.stderr:.2f}",
            "–" if item.lead is None else f"{item.lead:.2f}",
            share(item.foul),
            share(item.fantasyland),
        )
        for item in found.openings
    ]
    heads = (tr("cards"), tr("top"), tr("middle"), tr("back"), tr("EV"), "±", tr("lead"), tr("foul %"), tr("FL %"))
    console.print(plain_table(heads, rows, left=(0, 1, 2, 3)))


@command(
    "verify",
    help="""Compare a book with fresh searches ten times as long, on random hands drawn as often as they are dealt.

Reports what the book's choices lose, how often the search agrees, and how often the book's 95 % intervals contain the
values of the search and of fresh playouts.""",
)
@objective_options
@_book_option
@option("--hands", type=click.IntRange(min=2), default=200, show_default=True, help="Hands to compare.")
@partial(seed_option, most=2**31 - 1)
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
    from bromeliad.evaluation.book.search import KERNELS
    from bromeliad.evaluation.book.verify import verify_book

    book, start = _chosen_book(path, given)
    prepare(KERNELS)
    text = tr("comparing, Ctrl-C for the figures so far")
    about = {"book": book.header.sha256, "hands": hands, "seed": seed}
    with progress_bar(text) as progress, open_batch("book-verify", about, cluster, workers, progress) as batch:
        result = verify_book(book, start, hands, seed, batch, progress.report, progress.cancel)
    if as_json:
        print_json({"book": str(book.path), **result.to_json()})
    else:
        print_section(verified_section(book, result))
