"""``bromeliad book verify``."""

import json
from pathlib import Path
from typing import Any

import click

from bromeliad.cli.base import command, json_option, option
from bromeliad.cli.batch import long_batch_options, open_batch
from bromeliad.cli.book_show import book_option, chosen_book, objective_options
from bromeliad.i18n import tr

__all__ = ["verify"]

HANDS = 200


@command(
    "verify",
    help="""Compare a book with fresh searches that are ten times longer, on random hands as often as they are dealt.

Tells what the book's choices lose, how often the search chooses the same, and how often the book's 95 % intervals hold
what the search and fresh playouts say.""",
)
@objective_options
@book_option
@option("--hands", type=click.IntRange(min=2), default=HANDS, show_default=True, help="Hands to compare.")
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
    from bromeliad.cli.bench import print_section
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.cli.progress import progress_bar
    from bromeliad.evaluation.book.verify import KERNELS, verify_book

    book, start = chosen_book(path, given)
    prepare(KERNELS)
    text = tr("comparing, Ctrl-C for the figures so far")
    about = {"book": book.header.sha256, "hands": hands, "seed": seed}
    with progress_bar(text) as watch, open_batch("book-verify", about, cluster, workers, watch) as batch:
        result = verify_book(book, start, hands, seed, batch, watch.report, watch.is_cancelled)
    if as_json:
        click.echo(json.dumps({"book": str(book.path), **result.to_json()}, ensure_ascii=False))
    else:
        print_section(verified_section(book, result))
