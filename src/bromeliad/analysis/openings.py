"""The opening explorer: the first deals of a book by kind, suits, ranks and shape, and means over a selection."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from bromeliad.analysis.intervals import Frozen
from bromeliad.core.cards import RANKS, CardSet, format_cards
from bromeliad.errors import InputError
from bromeliad.evaluation.book.stats import KINDS, kinds_of, longest_suits, shapes_of
from bromeliad.games.ofc.book.file import Book, open_book, pack_share, unpack_code
from bromeliad.games.ofc.book.first_deals import opening_hands
from bromeliad.games.ofc.hands.canonical import SUIT_BITS, SUIT_COUNT
from bromeliad.games.ofc.hands.placements import Action

FIGURES = ("ev", "lead", "stderr", "foul", "fantasyland", "royalties", "share")
"""Columns that deals can be sorted and filtered by."""

_CHOICES = {
    "kind": KINDS,
    "pair": tuple(RANKS),
    "high": tuple(RANKS),
    "second": tuple(RANKS),
    "suited": tuple("12345"),
    "connected": tuple("12345"),
}
"""The values that the other fields may have, except shape."""

_RANK_MASKS = np.array(
    [sum(1 << (suit * SUIT_BITS + rank) for suit in range(SUIT_COUNT)) for rank in range(len(RANKS))],
    np.int64,
)
_WINDOW = 5  # ranks that a straight spans
_CONDITION = re.compile(r"\s*([a-z]+)\s*(>=|<=|=)\s*(.+?)\s*")


class Opening(Frozen):
    """A first deal up to suits, and its best placement."""

    cards: str
    deals: int  # number of deals that it represents
    kind: str
    shape: str
    top: tuple[str, ...]
    middle: tuple[str, ...]
    back: tuple[str, ...]
    ev: float
    stderr: float
    lead: float | None  # over the second placement; null if the book has only one
    foul: float | None
    fantasyland: float | None
    royalties: float | None


class Cell(Frozen):
    """A cell of the heat map: deals by their two highest cards."""

    high: str
    second: str
    share: float
    ev: float


class Explored(Frozen):
    """Some first deals: their number, their means weighted by how often they are dealt, and one page of them."""

    hands: int
    deals: int
    share: float
    ev: float | None
    lead: float | None
    foul: float | None
    fantasyland: float | None
    royalties: float | None
    shapes: dict[str, float]  # share of each shape of the best placement
    cells: tuple[Cell, ...]
    openings: tuple[Opening, ...]


class Condition(NamedTuple):
    """A condition on deals: a field, how to compare, and a value."""

    field: str
    relation: str
    value: str


@dataclass(frozen=True)
class Openings:
    """All first deals of a book as columns."""

    book: Book
    weights: NDArray[np.int64]
    shapes: NDArray[np.str_]  # of the best placement
    traits: dict[str, NDArray[np.int64]]  # kinds and ranks are numbers
    figures: dict[str, NDArray[np.float64]]


def read_openings(book: Book) -> Openings:
    """Return the deals of a book as columns, cached for the last two files."""
    return _read(book.path, book.header.sha256)


@lru_cache(maxsize=2)
def _read(path: Path, sha256: str) -> Openings:
    book = open_book(path)
    openings = opening_hands(book.header.jokers)
    hands = np.asarray(book.records["hand"])
    weights = openings.weights[np.searchsorted(openings.masks, hands)]
    entries = np.asarray(book.records["entries"])
    best = entries[:, 0]
    counts = np.bitwise_count(hands[:, None] & _RANK_MASKS)
    shapes = np.empty(len(hands), "<U5")
    for name, which in shapes_of(best["code"]):
        shapes[which] = name
    values = best["ev"].astype(np.float64)
    figures = {
        "ev": values,
        "stderr": best["stderr"].astype(np.float64),
        "lead": values - entries["ev"][:, 1].astype(np.float64),
        "foul": _shares(best["foul"]),
        "fantasyland": _shares(best["fantasyland"]),
        "royalties": best["royalties"].astype(np.float64),
        "share": weights / weights.sum(),
    }
    traits = {
        "kind": kinds_of(hands),
        "suited": longest_suits(hands),
        "connected": _connected(counts),
        "pair": _highest(counts >= 2),  # -1 if the deal has none
        "high": _highest(counts >= 1),
        "second": _second(counts),
    }
    return Openings(book, weights, shapes, traits, figures)


def _shares(stored: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return stored probabilities, NaN for unknown ones."""
    return np.where(stored == pack_share(float("nan")), np.nan, stored / pack_share(1.0))


def _highest(there: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the highest rank present in each hand; -1 for none."""
    numbered: NDArray[np.int64] = there * np.arange(1, len(RANKS) + 1)
    highest: NDArray[np.int64] = numbered.max(axis=1) - 1
    return highest


def _second(counts: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the rank of the second-highest card, which may equal the highest rank; -1 for none."""
    is_highest = np.arange(len(RANKS)) == _highest(counts >= 1)[:, None]
    return _highest(counts - is_highest >= 1)


def _connected(counts: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the largest number of different ranks within five successive ranks."""
    there = counts >= 1
    there = np.concatenate([there[:, -1:], there], axis=1)  # an ace is low too
    most: NDArray[np.int64] = sliding_window_view(there, _WINDOW, axis=1).sum(axis=2).max(axis=1)
    return most


# --- conditions ---------------------------------------------------------------------------------------------------


def read_condition(text: str) -> Condition:
    """Return the condition that a text like ``kind=pair`` or ``lead>=1`` describes.

    Raises
    ------
    InputError
        If there is no such field, or its value is wrong.
    """
    found = _CONDITION.fullmatch(text)
    if found is None:
        raise InputError(
            "{text}: write a condition like kind=pair, pair=K, suited=3, connected=4, high=A, shape=1-2-2 or lead>=1",
            text=text[:40],
        )
    condition = Condition(*found.groups())
    _verify(condition)
    return condition


def _verify(condition: Condition) -> None:
    field, relation, value = condition
    if field in FIGURES:
        try:
            float(value)
        except ValueError:
            raise InputError("{field}: {value} is not a number", field=field, value=value[:20]) from None
        if relation == "=":
            raise InputError("{field}: write >= or <= before the number", field=field)
    elif field == "shape":
        if not re.fullmatch(r"[0-3]-[0-5]-[0-5]", value):
            raise InputError(
                "{field}: {value} is not a shape such as {example}", field=field, value=value[:20], example="1-2-2"
            )
    elif field not in _CHOICES:
        fields = ", ".join((*_CHOICES, "shape", *FIGURES))
        raise InputError("there is no field {field}; fields: {fields}", field=field[:20], fields=fields)
    elif value not in _CHOICES[field]:
        choices = ", ".join(_CHOICES[field])
        raise InputError("{field}: {value} is not one of {choices}", field=field, value=value[:20], choices=choices)


def _chosen(openings: Openings, conditions: Sequence[Condition]) -> NDArray[np.bool_]:
    """Return which deals meet the conditions: all of those on figures, and for any other field at least one of them."""
    which = np.ones(len(openings.weights), bool)
    for field in dict.fromkeys(condition.field for condition in conditions):
        same = [condition for condition in conditions if condition.field == field]
        met = [_meets(openings, condition) for condition in same]
        join = np.logical_and if field in FIGURES else np.logical_or
        which &= join.reduce(met)
    return which


def _meets(openings: Openings, condition: Condition) -> NDArray[np.bool_]:
    field, relation, value = condition
    met: NDArray[np.bool_]
    if field == "shape":
        met = openings.shapes == value
        return met
    column: NDArray[Any] = openings.figures[field] if field in FIGURES else openings.traits[field]
    number = _number(field, value)
    if relation == "=" or field == "kind":
        met = column == number
    else:
        met = column >= number if relation == ">=" else column <= number
    return met


def _number(field: str, value: str) -> float:
    """Return the value of a condition as a number, as in the column of its field."""
    if field == "kind":
        return KINDS.index(value)
    return RANKS.index(value) if field in ("pair", "high", "second") else float(value)


# --- exploring ----------------------------------------------------------------------------------------------------


def explore(
    openings: Openings,
    conditions: Sequence[Condition] = (),
    *,
    sort: str = "ev",
    descending: bool = True,
    limit: int | None = 50,
    offset: int = 0,
) -> Explored:
    """Return the deals that meet the conditions: their means, shapes and heat map, and one sorted page of them."""
    chosen = np.flatnonzero(_chosen(openings, conditions))
    weights = openings.weights[chosen]
    keys = np.nan_to_num(openings.figures[sort][chosen], nan=-np.inf)
    order = chosen[np.argsort(-keys if descending else keys, kind="stable")]
    page = order[offset:] if limit is None else order[offset : offset + limit]
    return Explored(
        hands=len(chosen),
        deals=int(weights.sum()),
        share=float(weights.sum() / openings.weights.sum()),
        **{name: _mean(openings.figures[name][chosen], weights) for name in ("ev", "foul", "fantasyland", "royalties")},
        lead=_mean(np.nan_to_num(openings.figures["lead"][chosen]), weights),
        shapes=_shape_shares(openings.shapes[chosen], weights),
        cells=tuple(_cells(openings, chosen)),
        openings=tuple(_opening(openings, int(i)) for i in page),
    )


def _mean(values: NDArray[np.float64], weights: NDArray[np.int64]) -> float | None:
    """Return the weighted mean of the known values, or None."""
    known = ~np.isnan(values)
    return float(np.average(values[known], weights=weights[known])) if known.any() else None


def _shape_shares(shapes: NDArray[np.str_], weights: NDArray[np.int64]) -> dict[str, float]:
    names, place = np.unique(shapes, return_inverse=True)
    sums = np.bincount(place, weights, len(names)) / max(weights.sum(), 1)
    return {str(names[i]): float(sums[i]) for i in np.argsort(-sums)}


def _cells(openings: Openings, chosen: NDArray[np.int64]) -> list[Cell]:
    """Return the cells of the heat map that have deals."""
    ranks = len(RANKS)
    high, second = openings.traits["high"][chosen], openings.traits["second"][chosen]
    known = (high >= 0) & (second >= 0)
    place, weights = (high * ranks + second)[known], openings.weights[chosen][known]
    sums = np.bincount(place, weights, ranks * ranks)
    values = np.bincount(place, weights * openings.figures["ev"][chosen][known], ranks * ranks)
    return [
        Cell(
            high=RANKS[i // ranks],
            second=RANKS[i % ranks],
            share=float(sums[i] / openings.weights.sum()),
            ev=float(values[i] / sums[i]),
        )
        for i in np.flatnonzero(sums)
    ]


def _opening(openings: Openings, i: int) -> Opening:
    record = openings.book.records[i]
    cards = tuple(CardSet(int(record["hand"])))
    action = Action.from_code(cards, unpack_code(int(record["entries"][0]["code"]), len(cards)))
    figures = {name: _known(openings.figures[name][i]) for name in ("lead", "foul", "fantasyland", "royalties")}
    return Opening(
        cards=format_cards(sorted(cards, key=lambda card: (card.is_joker, card.rank), reverse=True)),
        deals=int(openings.weights[i]),
        kind=KINDS[openings.traits["kind"][i]],
        shape=str(openings.shapes[i]),
        top=tuple(map(str, action.top)),
        middle=tuple(map(str, action.middle)),
        back=tuple(map(str, action.back)),
        ev=float(openings.figures["ev"][i]),
        stderr=float(openings.figures["stderr"][i]),
        **figures,
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
