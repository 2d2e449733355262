"""``bromeliad book build`` and ``merge``."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import EXIT_INTERRUPTED, argument, command, file_name, json_option, option, print_json
from bromeliad.cli.batch import long_batch_options, open_batch
from bromeliad.cli.options import FILE, objective_options, seed_option, solo_request
from bromeliad.core.files import writing
from bromeliad.errors import InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.games.ofc.book.file import BookHeader


@command(
    "build",
    help="""Find the best placements of every first deal under a rule set, and write them to a book.

A quick search picks candidates. These are then played out with the same cards for as long as that may change the
choice. If the run is stopped or killed, the same command resumes it and produces the same book.""",
)
@objective_options
@option(
    "--simulations",
    type=click.IntRange(min=100),
    default=3000,
    show_default=True,
    help="Simulations of the quick search, per hand.",
)
@option(
    "--playouts",
    type=click.IntRange(min=0, max=600_000),
    default=2000,
    show_default=True,
    help="Most playouts per hand, for all candidates together; clear hands take few or none.",
)
@option("--hands", type=click.IntRange(min=1), help="Number of random hands; all hands by default.")
@option(
    "--part", metavar="I/N", help="Only part I of N, for example 2/5, so that other machines can build the other parts."
)
@partial(seed_option, most=2**31 - 1)
@long_batch_options
@option("--output", type=FILE, help="File of the book; by default in your data directory, where solve finds it.")
@json_option
def build(
    simulations: int,
    playouts: int,
    hands: int | None,
    part: str | None,
    seed: int,
    cluster: str,
    workers: int | None,
    output: Path | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Build a book, with a progress bar."""
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.cli.progress import progress_bar
    from bromeliad.evaluation.book.build import BookPlan, build_book, check_start, provenance
    from bromeliad.evaluation.book.search import KERNELS, Diligence
    from bromeliad.games.ofc.book.shelf import books_directory

    start = solo_request(given).to_spot()
    check_start(start)
    plan = BookPlan(seed, Diligence(simulations, playouts), hands, _part(part))
    output = output or books_directory() / f"{file_name(start.rules.name)}-{seed}{_share(hands, part)}.book"
    _check_output(output)
    prepare(KERNELS)
    about = {**provenance(start, plan), "output": str(output.absolute())}
    text = tr("building, Ctrl-C stops and keeps the work done")
    with progress_bar(text) as progress, open_batch("book-build", about, cluster, workers, progress) as batch:
        header = build_book(start, plan, output, batch, progress.report, progress.cancel)
    if as_json:
        data = header.model_dump(mode="json") if header else None
        print_json({"output": str(output), "finished": header is not None, "book": data})
    elif header is None:
        click.echo(tr("Stopped; run the same command again to continue."))
    else:
        click.echo(_written(header, output))
    return 0 if header else EXIT_INTERRUPTED


def _share(hands: int | None, part: str | None) -> str:
    """Return the suffix of the file name of a partial book."""
    return (f"-hands-{hands}" if hands else "") + (f"-part-{part.replace('/', '-of-')}" if part else "")


def _check_output(path: Path) -> None:
    """Raise InputError, before hours of work, if a book cannot be written there."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=path.parent).close()


def _part(text: str | None) -> tuple[int, int]:
    """Return the part and the number of parts from a text such as ``2/5``; None is the whole book."""
    number, _, parts = (text or "1/1").partition("/")
    if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts) <= 100_000):
        raise InputError("--part must be I/N, for example 2/5 for the second of five parts: not {text}", text=text)
    return int(number), int(parts)


def _written(header: "BookHeader", output: Path) -> str:
    size = f"{output.stat().st_size / 1e6:.2f}"
    return tr("{hands} hands, {size} MB, written to {path}.", hands=f"{header.hands:,}", size=size, path=output)


@command(
    "merge",
    help="""Merge books: parts of one book, or books of the same hands built with different seeds, which are pooled.

All books must have the same rules and objective. Pooling adds up the playouts, so the result is more precise than each
book.""",
)
@argument("books", nargs=-1, required=True, type=FILE)
@option("--output", required=True, type=FILE, help="File of the merged book.")
@json_option
def merge(books: tuple[Path, ...], output: Path, as_json: bool) -> None:
    """Merge books."""
    from bromeliad.evaluation.book.merge import merge_books
    from bromeliad.games.ofc.book.file import open_book

    header = merge_books([open_book(path) for path in books], output)
    if as_json:
        print_json({"output": str(output), "book": header.model_dump(mode="json")})
    else:
        click.echo(_written(header, output))
