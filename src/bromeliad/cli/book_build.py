"""``bromeliad book build`` and ``merge``."""

import json
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import argument, command, json_option, objective_options, option
from bromeliad.cli.batch import long_batch_options, open_batch
from bromeliad.core.files import writing
from bromeliad.errors import InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.games.ofc.book.file import BookHeader

EXIT_INTERRUPTED = 130
SIMULATIONS, PLAYOUTS = 3000, 2000


@command(
    "build",
    help="""Find the best placements of every first deal for a rule set, and write them into a book.

A quick search names candidates; these are played out against the same cards as long as that may change the choice. A
run that is stopped or killed is kept: the same command goes on with it and comes to the same book.""",
)
@objective_options
@option(
    "--simulations",
    type=click.IntRange(min=100),
    default=SIMULATIONS,
    show_default=True,
    help="Of the quick search of a hand.",
)
@option(
    "--playouts",
    type=click.IntRange(min=0, max=600_000),
    default=PLAYOUTS,
    show_default=True,
    help="Of all candidates of a hand together, at most: hands that are clear take few or none.",
)
@option("--hands", type=click.IntRange(min=1), help="Only so many random hands; all by default.")
@option("--part", metavar="I/N", help="Only this part of the hands, for other machines to do the others: 2/5.")
@option(
    "--seed", type=click.IntRange(min=0, max=2**31 - 1), default=1, show_default=True, help="Seed of all randomness."
)
@long_batch_options
@option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of the book; by default one in the user's data directory, where solve finds it.",
)
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
    from bromeliad.evaluation.book.build import KERNELS, BookPlan, build_book, check_start, provenance
    from bromeliad.evaluation.book.search import Diligence
    from bromeliad.games.ofc.book.shelf import books_directory
    from bromeliad.solving.request import read_request

    request = read_request({"objective": "solo", **{name: value for name, value in given.items() if value is not None}})
    start = request.to_spot()
    check_start(start)
    plan = BookPlan(seed, Diligence(simulations, playouts), hands, _part(part))
    output = output or books_directory() / f"{_plain(start.rules.name)}-{seed}{_share(hands, part)}.book"
    _check_output(output)
    prepare(KERNELS)
    about = {**provenance(start, plan), "output": str(output.absolute())}
    text = tr("building, Ctrl-C keeps what is done")
    with progress_bar(text) as progress, open_batch("book-build", about, cluster, workers, progress) as batch:
        header = build_book(start, plan, output, batch, progress.report, progress.is_cancelled)
    if as_json:
        data = header.model_dump(mode="json") if header else None
        click.echo(json.dumps({"output": str(output), "finished": header is not None, "book": data}))
    elif header is None:
        click.echo(tr("Stopped; the same command goes on with what is done."))
    else:
        click.echo(_written(header, output))
    return 0 if header else EXIT_INTERRUPTED


def _share(hands: int | None, part: str | None) -> str:
    """Return what is added to the name of a book that is not whole."""
    return (f"-hands-{hands}" if hands else "") + (f"-part-{part.replace('/', '-of-')}" if part else "")


def _check_output(path: Path) -> None:
    """Raise if a book cannot be written there: before hours of work, not after them."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=path.parent).close()


def _part(text: str | None) -> tuple[int, int]:
    """Read ``2/5``."""
    number, _, parts = (text or "1/1").partition("/")
    if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts) <= 100_000):
        raise InputError("--part is written I/N, such as 2/5 for the second of five: not {text}", text=text)
    return int(number), int(parts)


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter == "-" else "_" for letter in name)


def _written(header: "BookHeader", output: Path) -> str:
    size = f"{output.stat().st_size / 1e6:.2f}"
    return tr("{hands} hands, {size} MB, written to {path}.", hands=f"{header.hands:,}", size=size, path=output)


@command(
    "merge",
    help="""Put books together: parts of one book, or books of the same hands with other seeds, which are pooled.

All must be of the same rules and objective. What is pooled is surer than each book by itself: the playouts add up.""",
)
@argument("books", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path))
@option("--output", required=True, type=click.Path(dir_okay=False, path_type=Path), help="File of the merged book.")
@json_option
def merge(books: tuple[Path, ...], output: Path, as_json: bool) -> None:
    """Merge books."""
    from bromeliad.evaluation.book.merge import merge_books
    from bromeliad.games.ofc.book.file import open_book

    header = merge_books([open_book(path) for path in books], output)
    if as_json:
        click.echo(json.dumps({"output": str(output), "book": header.model_dump(mode="json")}))
    else:
        click.echo(_written(header, output))
