"""The opening book for pineapple: its accuracy, its speed, and the value of first deals."""

import time
from functools import partial

import numpy as np

from bromeliad.bench.measuring import timed
from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.cluster import Batch
from bromeliad.errors import BookError
from bromeliad.evaluation.book.search import find_candidates
from bromeliad.evaluation.book.stats import Kind, book_stats
from bromeliad.evaluation.book.verify import PLAYOUTS, TIMES, TRUSTED, Verified, verify_book
from bromeliad.evaluation.play import rollouts
from bromeliad.evaluation.results import Estimate
from bromeliad.games.ofc.book.file import Book, open_book
from bromeliad.games.ofc.book.first_deals import opening_hands
from bromeliad.games.ofc.book.shelf import find_books
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import Spot, parse_spot

_LOOK_UPS = 2000
_SHAPES = 8
_GUESSED = 400  # simulations that find the best two placements of a first deal


@bench("book", minutes=10, batches=True)
def book_bench(quick: bool, seed: int, batch: Batch) -> list[Section]:
    """Measure the first book that fits pineapple, solo; the user's books come before the shipped one."""
    start = parse_spot(preset("pineapple"), objective="solo")
    books = find_books(start.rules, start.foul_cost, start.fantasyland_worth)
    if not books:
        raise BookError(
            "there is no opening book for {rules} with this objective: build one with `bromeliad book build`",
            rules=start.rules.name,
        )
    book = books[0]
    result = verify_book(book, start, 2 if quick else 200, seed, batch)
    playouts = luck_section(start, 2 if quick else 60, 20 if quick else 300, seed)
    return [verified_section(book, result), playouts, _speed_section(book, seed), _value_section(book)]


def verified_section(book: Book, result: Verified) -> Section:
    """Return the comparison of a book with fresh searches as a table."""
    rows = [
        _verified_row("regret against the search's choice, points", result.regret),
        _verified_row("regret against the best placement of either, points", result.regret_best),
        _verified_row("agreement with the search, %", result.agreement, 100),
        _verified_row("95 % intervals that contain the search's EV, %", result.coverage_search, 100),
        _verified_row("95 % intervals that contain the playouts' mean, %", result.coverage_playouts, 100),
        _verified_row("EV of the book's choice − the search's EV of it, points", result.difference),
        ("standard error of the book's choice, as stated, points", result.stderr, ""),
    ]
    header = book.header
    notes = [
        f"{book.path.name}: {header.rules}, solo, foul cost {header.foul_cost:g}, worth {header.fantasyland_worth},"
        f" {header.hands:,} hands, seeds {', '.join(str(run.seed) for run in header.runs)}.",
        f"{result.hands} random hands, drawn as often as they are dealt, seed {result.seed}. Each is searched anew with"
        f" {result.simulations:,} simulations on one thread, without early stop: on average {TIMES} times the"
        " simulations and playouts that the book may spend per hand."
        f" Each choice is valued by {PLAYOUTS:,} paired playouts with cards that neither has seen.",
        "Coverage is over all placements in the book (for the search, those with"
        f" {TRUSTED} visits or more); the error of the reference widens the intervals. ± is one standard error over"
        " hands.",
    ]
    return Section("The opening book against fresh searches", ("figure", "mean", "±"), rows, notes)


def _verified_row(name: str, estimate: Estimate, scale: float = 1.0) -> tuple[object, ...]:
    return name, scale * estimate.value, scale * estimate.stderr


def luck_section(start: Spot, deals: int, playouts: int, seed: int) -> Section:
    """Return the variance per second of playouts with and without the luck of the deals."""
    openings = opening_hands(start.rules.jokers.count)
    share = openings.weights / openings.weights.sum()
    masks = np.random.default_rng(seed).choice(openings.masks, deals, p=share).tolist()
    found = np.array([_scatter(start, mask, playouts, seed) for mask in masks]).mean(axis=0)  # [estimator, figure]
    rows: list[tuple[object, ...]] = []
    for name, (value, lead, seconds) in zip(("plain playouts", "without luck"), found, strict=True):
        gains = (found[0, :2] / (value, lead) * found[0, 2] / seconds).tolist()
        rows.append((name, float(value), float(lead), 1e6 * float(seconds), *gains))
    gained = "gain per second, value", "gain per second, lead"
    columns = ("playouts", "variance of a value", "of a lead", "µs each", *gained)
    notes = [
        f"{deals} first deals, their two best placements by a search of {_GUESSED} simulations, {playouts} playouts"
        f" each, seed {seed}; processor time of one thread. Without luck: the luck of each deal by learned values is"
        " taken off.",
        "lead: the difference between the two placements on the same cards. gain: variance × time of plain playouts,"
        " as a multiple of the other's.",
    ]
    return Section("Playouts of first deals, with and without luck", columns, rows, notes)


def _scatter(start: Spot, mask: int, playouts: int, seed: int) -> list[tuple[float, float, float]]:
    """Return (variance of a value, of a lead, seconds per playout) with and without luck."""
    spot, candidates = find_candidates(start, mask, seed, _GUESSED)
    state, found = spot.to_search_state(), []
    for without_luck in (False, True):
        begin = time.process_time()
        values = [rollouts(state, item.code, playouts, seed, without_luck=without_luck) for item in candidates[:2]]
        seconds = (time.process_time() - begin) / (playouts * len(values))
        found.append((float(values[0].var(ddof=1)), float((values[0] - values[-1]).var(ddof=1)), seconds))
    return found


def _speed_section(book: Book, seed: int) -> Section:
    hands = np.random.default_rng(seed).choice(opening_hands(book.header.jokers).masks, _LOOK_UPS).tolist()
    opened = timed(lambda: open_book(book.path)).seconds
    fresh = open_book(book.path)
    took = [1000 * timed(partial(fresh.find, hand)).seconds for hand in hands]
    rows = [
        ("size of the file, MB", book.path.stat().st_size / 1e6),
        ("opening it, ms", 1000 * opened),
        ("look-up, median, ms", float(np.median(took))),
        ("look-up, 99th percentile, ms", float(np.quantile(took, 0.99))),
    ]
    notes = [f"{_LOOK_UPS:,} random hands up to suits, each answered in its own suits; one process."]
    return Section("Looking a first deal up", ("figure", "value"), rows, notes)


def _value_section(book: Book) -> Section:
    found = book_stats(book)
    rows: list[tuple[object, ...]] = [("all", 100.0, found.value, found.stderr)]
    rows += [_row(kind.name, kind) for kind in found.kinds]
    rows += [_row(f"at most {kind.name} of a suit", kind) for kind in found.suits]
    rows += [_row(f"best placed {kind.name}", kind) for kind in found.shapes[:_SHAPES]]
    notes = [
        f"{found.hands:,} hands up to suits represent {found.deals:,} deals; means are weighted by how often each is"
        " dealt. ± combines the errors stated in the book with the error that all hands share: the mean bias of guesses"
        " was measured on a few hundred hands. Placements are numbers of cards in top-middle-back.",
        f"On average the best placement is worth {found.lead:.3f} more than the second, and its value is known to ±"
        f" {found.mean_stderr:.3f}, from {found.visits:,.0f} simulations and playouts.",
    ]
    return Section("What first deals are worth", ("first deals", "share %", "EV", "±"), rows, notes)


def _row(name: str, kind: Kind) -> tuple[object, ...]:
    return name, 100 * kind.share, kind.value, kind.stderr
