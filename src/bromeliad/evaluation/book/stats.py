"""Statistics of a book: the mean value of first deals, by kind of hand and by shape of the best placement."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE, RANKS
from bromeliad.evaluation.book.calibration import bias_error
from bromeliad.evaluation.results import PlainResult
from bromeliad.games.ofc.book.file import UNIT, Book
from bromeliad.games.ofc.book.first_deals import FIRST_DEAL, opening_hands
from bromeliad.games.ofc.hands.canonical import SUIT_BITS, SUIT_COUNT, SUIT_MASK

KINDS = ("high card", "pair", "two pair", "three of a kind", "full house", "four of a kind", "with a joker")
_JOKER = KINDS.index("with a joker")
_BY_SQUARES = {5: 0, 7: 1, 9: 2, 11: 3, 13: 4, 17: 5}  # kind by the sum of the squared counts of each rank


@dataclass(frozen=True)
class Kind:
    """Some first deals: their share and their value."""

    name: str
    share: float  # of all deals in the book
    value: float  # mean EV of the best placement
    stderr: float  # from the stated errors and the error of the measured bias, which all hands share


@dataclass(frozen=True)
class BookStats(PlainResult):
    """A book in figures; means are weighted by how often a hand is dealt."""

    hands: int
    deals: int
    complete: bool
    value: float
    stderr: float
    mean_stderr: float  # mean stated error of best placements
    visits: float  # mean simulations and playouts per hand
    lead: float  # mean EV of the best placement minus that of the second
    kinds: tuple[Kind, ...]  # by ranks
    suits: tuple[Kind, ...]  # by the most cards of a suit
    shapes: tuple[Kind, ...]  # by the best placement's cards in top, middle and back


def book_stats(book: Book) -> BookStats:
    """Return the figures of a book."""
    openings = opening_hands(book.header.jokers)
    hands = np.asarray(book.records["hand"])
    weights = openings.weights[np.searchsorted(openings.masks, hands)]
    entries = np.asarray(book.records["entries"])
    values = entries["ev"][:, 0].astype(np.float64)
    errors = entries["stderr"][:, 0].astype(np.float64)
    seconds = entries["ev"][:, 1].astype(np.float64)
    group = _Groups(weights, values, errors, _shared_error(book))
    whole = group.kind("", np.ones(len(hands), bool))
    kinds, suits = kinds_of(hands), longest_suits(hands)
    return BookStats(
        hands=len(hands),
        deals=int(weights.sum()),
        complete=len(hands) == len(openings.masks),
        value=whole.value,
        stderr=whole.stderr,
        mean_stderr=float(np.average(errors, weights=weights)),
        visits=float(np.average(entries["visits"].sum(axis=1, dtype=np.int64), weights=weights)) * UNIT,
        lead=float(np.average(np.nan_to_num(values - seconds), weights=weights)),
        kinds=group.kinds((name, kinds == i) for i, name in enumerate(KINDS)),
        suits=group.kinds((str(most), suits == most) for most in range(1, FIRST_DEAL + 1)),
        shapes=tuple(sorted(group.kinds(shapes_of(entries["code"][:, 0])), key=lambda kind: -kind.share)),
    )


def _shared_error(book: Book) -> float:
    """Return the error that all hands share, weighted over the runs by their hands."""
    runs = book.header.runs
    hands = sum(run.hands for run in runs)
    return sum(bias_error(run) * run.hands for run in runs) / hands


@dataclass(frozen=True)
class _Groups:
    weights: NDArray[np.int64]
    values: NDArray[np.float64]
    errors: NDArray[np.float64]
    shared: float

    def kind(self, name: str, which: NDArray[np.bool_]) -> Kind:
        """Return the figures of some hands."""
        weights = self.weights[which]
        total = float(weights.sum())
        apart = math.sqrt(float(np.sum((weights * self.errors[which]) ** 2))) / total
        error = math.hypot(apart, self.shared)
        return Kind(
            name, total / float(self.weights.sum()), float(np.average(self.values[which], weights=weights)), error
        )

    def kinds(self, groups: Any) -> tuple[Kind, ...]:
        """Return the figures of groups that have hands."""
        return tuple(self.kind(name, which) for name, which in groups if which.any())


def kinds_of(hands: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the kind of each hand by its ranks."""
    squares = np.zeros(len(hands), np.int64)
    for rank in range(len(RANKS)):
        count = sum((hands >> (suit * SUIT_BITS + rank) & 1 for suit in range(SUIT_COUNT)), np.zeros_like(hands))
        squares += count**2
    table = np.zeros(max(_BY_SQUARES) + 1, np.int64)
    for total, kind in _BY_SQUARES.items():
        table[total] = kind
    kinds: NDArray[np.int64] = np.where(hands >> DECK_SIZE > 0, _JOKER, table[squares])
    return kinds


def longest_suits(hands: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the most cards of a suit in each hand."""
    columns: list[NDArray[np.int64]] = [
        np.bitwise_count(hands >> (suit * SUIT_BITS) & SUIT_MASK) for suit in range(SUIT_COUNT)
    ]
    longest: NDArray[np.int64] = np.maximum.reduce(columns).astype(np.int64)
    return longest


def shapes_of(codes: NDArray[np.uint8]) -> list[tuple[str, NDArray[np.bool_]]]:
    """Return each shape of best placements, such as 0-2-3, and its hands."""
    digits = codes.astype(np.int64)[:, None] // 3 ** np.arange(FIRST_DEAL) % 3
    counts = [(digits == row).sum(axis=1) for row in range(3)]
    labels = 100 * counts[0] + 10 * counts[1] + counts[2]
    return [("-".join(f"{label:03d}"), labels == label) for label in np.unique(labels).tolist()]
