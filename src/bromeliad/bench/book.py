"""The opening book that ships: how right it is, how quickly it answers, what it says."""

import time

import numpy as np

from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.cluster import Batch
from bromeliad.errors import BookError
from bromeliad.evaluation.book.stats import Kind, book_stats
from bromeliad.evaluation.book.verify import PLAYOUTS, TIMES, TRUSTED, Verified, verify_book
from bromeliad.evaluation.results import Estimate
from bromeliad.games.ofc.book.file import Book, open_book
from bromeliad.games.ofc.book.first_deals import opening_hands
from bromeliad.games.ofc.book.shelf import find_books
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import parse_spot

__all__ = ["book_bench", "verified_section"]

HANDS = 200
_LOOK_UPS = 2000
_SHAPES = 8


@bench("book", minutes=10, batches=True)
def book_bench(quick: bool, seed: int, batch: Batch) -> list[Section]:
    """Measure the book for pineapple."""
    start = parse_spot(preset("pineapple"), objective="solo")
    books = find_books(start.rules, start.foul_cost, start.fantasyland_worth)
    if not books:
        raise BookError(
            "there is no opening book for {rules} with this objective: make one with `bromeliad book build`",
            rules=start.rules.name,
        )
    book = books[0]
    result = verify_book(book, start, 2 if quick else HANDS, seed, batch)
    return [verified_section(book, result), _speed_section(book, seed), _value_section(book)]


def verified_section(book: Book, result: Verified) -> Section:
    """Return the result as a table."""
    rows: list[tuple[object, ...]] = [
        _verified_row("regret against the search's choice, points", result.regret),
        _verified_row("regret against the best that either names, points", result.regret_best),
        _verified_row("agreement with the search, %", result.agreement, 100),
        _verified_row("95 % intervals that hold the search's EV, %", result.coverage_search, 100),
        _verified_row("95 % intervals that hold the playouts' mean, %", result.coverage_playouts, 100),
        _verified_row("EV of the book's choice − the search's EV of it, points", result.difference),
        ("standard error that the book states for its choice, points", result.stderr, ""),
    ]
    header = book.header
    notes = [
        f"{book.path.name}: {header.rules}, solo, foul cost {header.foul_cost:g}, worth {header.fantasyland_worth},"
        f" {header.hands:,} hands, seeds {', '.join(str(run.seed) for run in header.runs)}.",
        f"{result.hands} random hands, drawn as often as they are dealt, seed {result.seed}, each against a fresh"
        f" search of {result.simulations:,} simulations, one thread, without early stop: {TIMES} times all simulations"
        " and playouts that the book may spend on a hand, in the mean of its hands."
        f" Choices are valued by {PLAYOUTS:,} paired playouts each, with cards that neither has seen.",
        "Coverage is of all placements that the book holds (by the search: those with"
        f" {TRUSTED} visits or more); the error of the reference widens the intervals. ± is one standard error over"
        " hands.",
    ]
    return Section("The opening book against fresh searches", ("figure", "mean", "±"), rows, notes)


def _verified_row(name: str, estimate: Estimate, scale: float = 1.0) -> tuple[object, ...]:
    return name, scale * estimate.value, scale * estimate.stderr


def _speed_section(book: Book, seed: int) -> Section:
    hands = np.random.default_rng(seed).choice(opening_hands(book.header.jokers).masks, _LOOK_UPS).tolist()
    begin = time.perf_counter()
    fresh = open_book(book.path)
    opened = time.perf_counter() - begin
    took = []
    for hand in hands:
        begin = time.perf_counter()
        fresh.find(hand)
        took.append(1000 * (time.perf_counter() - begin))
    rows: list[tuple[object, ...]] = [
        ("size of the file, MB", book.path.stat().st_size / 1e6),
        ("opening it, ms", 1000 * opened),
        ("look-up, median, ms", float(np.median(took))),
        ("look-up, 99 of 100 within, ms", float(np.quantile(took, 0.99))),
    ]
    notes = [f"{_LOOK_UPS:,} random hands up to suits, each with its placements in its own suits; one process."]
    return Section("Looking a first deal up", ("figure", "value"), rows, notes)


def _value_section(book: Book) -> Section:
    found = book_stats(book)
    rows: list[tuple[object, ...]] = [("all", 100.0, found.value, found.stderr)]
    rows += [_row(kind.name, kind) for kind in found.kinds]
    rows += [_row(f"at most {kind.name} of a suit", kind) for kind in found.suits]
    rows += [_row(f"best placed {kind.name}", kind) for kind in found.shapes[:_SHAPES]]
    notes = [
        f"{found.hands:,} hands up to suits stand for {found.deals:,} deals; means go by how often each is dealt. ± is"
        " by the errors that the book states, and by what all hands share: the mean fault of guesses was measured on a"
        " few hundred hands. Placements are cards in top-middle-back.",
        f"The best placement is worth {found.lead:.3f} more than the second on average; a best placement is known to ±"
        f" {found.mean_stderr:.3f}, by {found.visits:,.0f} simulations and playouts of its placements.",
    ]
    return Section("What first deals are worth", ("first deals", "share %", "EV", "±"), rows, notes)


def _row(name: str, kind: Kind) -> tuple[object, ...]:
    return name, 100 * kind.share, kind.value, kind.stderr
