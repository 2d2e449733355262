"""The choice of the opening book that answers a question."""

import os
from functools import lru_cache
from pathlib import Path

import platformdirs

from bromeliad.core.cards import CardSet
from bromeliad.errors import BookError
from bromeliad.games.ofc.book.file import Book, BookEntry, BookHeader, open_book
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.spot import Spot

_SHIPPED = Path(__file__).with_name("shipped")
_ENVIRONMENT = "BROMELIAD_BOOK"


def books_directory() -> Path:
    """Return the directory of the user's books, to which `bromeliad book build` writes."""
    return Path(platformdirs.user_data_dir("bromeliad", appauthor=False)) / "books"


def look_up(spot: Spot) -> tuple[BookEntry, ...]:
    """Return a book's entries for a spot, best first; none if no book has the spot.

    Books have only first deals without opponents or dead cards, each book for one set of rules and worths.
    """
    alone = spot.objective == "solo" and not spot.opponents and not spot.hidden and not spot.dead
    if not alone or spot.fantasyland or spot.street_index > 0 or not spot.cards:
        return ()
    books = find_books(spot.rules, spot.foul_cost, spot.fantasyland_worth)
    found = (book.find(CardSet.from_cards(spot.cards).mask) for book in books)
    return next(filter(None, found), ())


def find_books(rules: RuleSet, foul_cost: float, worth: tuple[tuple[int, float], ...]) -> tuple[Book, ...]:
    """Return the books for these rules, foul cost and worths, the user's books before the shipped ones.

    The first book that has a hand answers. If the environment variable BROMELIAD_BOOK is set, it names the only book to
    use; if it is empty, no book is used.
    """
    named = os.environ.get(_ENVIRONMENT)
    files = tuple((path, path.stat().st_mtime_ns if path.exists() else 0) for path in _files(named))
    return _find(rules, foul_cost, worth, files, named is not None)


@lru_cache(maxsize=8)
def _find(
    rules: RuleSet,
    foul_cost: float,
    worth: tuple[tuple[int, float], ...],
    files: tuple[tuple[Path, int], ...],
    only: bool,
) -> tuple[Book, ...]:
    """Return the books for these rules among ``files``, which include their times so that the cache notices changes."""
    found: list[Book] = []
    for path, _ in () if rules.order.suits_break_ties else files:
        try:
            book = open_book(path)
        except BookError:
            if only:
                raise
            continue  # a damaged book must not disable the others
        if is_of(book.header, rules, foul_cost, worth):
            found.append(book)
    return tuple(found)


def is_of(header: BookHeader, rules: RuleSet, foul_cost: float, worth: tuple[tuple[int, float], ...]) -> bool:
    """Return whether a book is for these rules, this foul cost and these worths."""
    about = header.game, header.foul_cost, header.fantasyland_worth
    return about == (rules.game_key, foul_cost, dict(worth))


def _files(named: str | None) -> list[Path]:
    if named is not None:
        return [Path(named)] if named else []
    return [*sorted(books_directory().glob("*.book")), *sorted(_SHIPPED.glob("*.book"))]
