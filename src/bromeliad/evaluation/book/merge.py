"""Merging books: parts of one work, and books of the same hands, whose entries are pooled.

An entry combines a guess and playouts. Two books share the guess of a hand, so only the precision that their playouts
add to it may be summed.
"""

from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.jit import Floats
from bromeliad.errors import BookError
from bromeliad.games.ofc.book.file import MOST_VISITS, RECORD, Book, BookHeader, BookRun, round_up, write_book


class _Prior(NamedTuple):
    """The bias and the error of guesses, before any playout."""

    bias: float
    variances: Floats  # by the rank of a guess
    beside: float

    def precisions(self, entries: NDArray[Any]) -> Floats:
        """Return the precision of the guesses of some records."""
        guesses = np.where(np.isnan(entries["ev"]), -np.inf, entries["guess"])
        ranks = np.argsort(np.argsort(-guesses, axis=1, kind="stable"), axis=1, kind="stable")
        found: Floats = 1.0 / self.variances[np.minimum(ranks, len(self.variances) - 1)]
        return found


class _Content(NamedTuple):
    """The books merged so far."""

    runs: tuple[BookRun, ...]
    records: NDArray[Any]

    @property
    def prior(self) -> _Prior:
        """The error of the guesses, the largest of all runs; guesses have the bias of the first run."""
        ranks = range(min(len(run.own) for run in self.runs))
        variances = [max(run.common**2 + run.own[rank] ** 2 for run in self.runs) for rank in ranks]
        return _Prior(self.runs[0].bias, np.array(variances), max(run.beside for run in self.runs))


def merge_books(books: Sequence[Book], output: Path) -> BookHeader:
    """Merge books, in any order, and write the result.

    Raises
    ------
    BookError
        If the books differ in rules or objective, or the same playouts would count twice.
    """
    about = books[0].header
    for book in books:
        book.check()
        if _subject(book.header) != _subject(about):
            raise BookError(
                "{path} has other rules or another objective than {first}", path=book.path, first=books[0].path
            )
    contents = [_Content(book.header.runs, np.asarray(book.records)) for book in sorted(books, key=_rank)]
    whole = reduce(_merge, contents)
    return write_book(output, min((book.header for book in books), key=lambda header: header.rules), *whole)


def _rank(book: Book) -> tuple[object, ...]:
    """Return the sort key of a book: the seeds of its runs, its first hand, its hash."""
    first = int(book.records["hand"][0]) if len(book.records) else 0
    return [run.seed for run in book.header.runs], first, book.header.sha256


def _subject(header: BookHeader) -> tuple[object, ...]:
    return header.game, header.objective, header.foul_cost, sorted(header.fantasyland_worth.items()), header.jokers


def _merge(one: _Content, two: _Content) -> _Content:
    two = _with_bias(two, one.prior.bias)
    _, in_one, in_two = np.intersect1d(one.records["hand"], two.records["hand"], return_indices=True)
    again = {run.seed for run in one.runs} & {run.seed for run in two.runs}
    if len(in_one) and again:
        raise BookError(
            "the books share hands that were played out with the same seed {seed}: build one of them with another seed",
            seed=min(again),
        )
    if len(in_one) and len(one.runs) > 1 and len(two.runs) > 1:
        raise BookError(
            "both books are merged, and merged books do not record the run of each hand: merge the single books instead"
        )
    pooled = _pool(one, two, in_one, in_two)
    only_one, only_two = np.delete(one.records, in_one), np.delete(two.records, in_two)
    records = np.concatenate((only_one, only_two, pooled))
    return _Content(_all_runs(one.runs, two.runs), records[np.argsort(records["hand"], kind="stable")])


def _with_bias(content: _Content, bias: float) -> _Content:
    """Return the content with guesses of this bias."""
    records = content.records.copy()
    records["entries"]["guess"] += np.float16(bias - content.prior.bias)
    return _Content(content.runs, records)


def _all_runs(one: tuple[BookRun, ...], two: tuple[BookRun, ...]) -> tuple[BookRun, ...]:
    """Return the runs of both; parts of one run become one run with more hands."""
    runs: dict[str, BookRun] = {}
    for run in (*one, *two):
        key = run.model_copy(update={"hands": 0}).model_dump_json()
        hands = runs[key].hands if key in runs else 0
        runs[key] = run.model_copy(update={"hands": hands + run.hands})
    return tuple(runs.values())


def _pool(one: _Content, two: _Content, in_one: NDArray[np.intp], in_two: NDArray[np.intp]) -> NDArray[Any]:
    """Return the records of hands that both have, with the best of all their placements."""
    first, second = one.records[in_one], two.records[in_two]
    a, b = first["entries"].copy(), second["entries"].copy()
    before = one.prior.precisions(a), two.prior.precisions(b)
    beside = max(one.prior.beside, two.prior.beside)
    for i in range(a.shape[1]):
        for j in range(b.shape[1]):
            same = (a["code"][:, i] == b["code"][:, j]) & ~np.isnan(a["ev"][:, i]) & ~np.isnan(b["ev"][:, j])
            known = before[0][same, i], before[1][same, j]
            a[same, i] = _pooled_entries((a[same, i], b[same, j]), known, one.prior.bias, beside)
            b["ev"][same, j] = np.nan
    both = np.concatenate((a, b), axis=1)
    order = np.argsort(np.where(np.isnan(both["ev"]), np.inf, -both["ev"]), axis=1, kind="stable")
    records = np.zeros(len(first), RECORD)
    records["hand"] = first["hand"]
    records["entries"] = np.take_along_axis(both, order[:, : a.shape[1]], axis=1)
    return records


def _pooled_entries(
    entries: tuple[NDArray[Any], NDArray[Any]], known: tuple[Floats, Floats], bias: float, beside: float
) -> NDArray[Any]:
    """Return pooled entries of the same placements: the guess once, and the playouts of both.

    ``known`` is the precision of each guess, ``beside`` the standard error that playouts do not reduce.
    """
    a, b = entries
    guess = (a["guess"].astype(np.float64) + b["guess"]) / 2.0
    precision = np.minimum(*known)
    total = (guess - bias) * precision
    for item, before in zip(entries, known, strict=True):
        whole = 1.0 / item["stderr"].astype(np.float64) ** 2
        added = np.maximum(whole - before, 0.0)
        found = item["ev"] * whole - (item["guess"].astype(np.float64) - bias) * before
        total += np.where(added > 0.0, found, 0.0)
        precision = precision + added
    pooled = a.copy()
    pooled["ev"], pooled["guess"] = total / precision, guess
    pooled["stderr"] = round_up(np.maximum(1.0 / np.sqrt(precision), beside))
    pooled["visits"] = np.minimum(a["visits"].astype(np.int64) + b["visits"], MOST_VISITS)
    return pooled
