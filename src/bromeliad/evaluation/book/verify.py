"""Whether a book is right: its choices and errors against fresh searches that are ten times longer."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bromeliad.cluster import Batch
from bromeliad.core.cards import CardSet
from bromeliad.errors import BookError
from bromeliad.evaluation.book.search import hand_seed, question_of, start_of
from bromeliad.evaluation.calibration import Z95
from bromeliad.evaluation.play import rollouts
from bromeliad.evaluation.results import Estimate, PlainResult
from bromeliad.games.ofc.book.file import ENTRIES, Book, unpack_code
from bromeliad.games.ofc.book.first_deals import opening_hands, symmetric_codes
from bromeliad.games.ofc.search_spot import default_params, error_model, search_spot
from bromeliad.games.ofc.spot import Spot
from bromeliad.search import ActionStatistics

__all__ = ["KERNELS", "PLAYOUTS", "TIMES", "TRUSTED", "Verified", "verify_book"]

KERNELS = ("bromeliad.games.ofc.search_spot",)

TIMES = 10
"""How much longer the fresh search is: simulations to all that the book spent on a hand."""

PLAYOUTS = 6000
"""Paired playouts of each placement that are compared, with cards that neither the book nor the search has seen."""

_STREAM = 1 << 21  # seeds of verifications are not those of books
TRUSTED = 100  # visits of a placement that the search must have for its EV to be compared


@dataclass(frozen=True)
class Verified(PlainResult):
    """What was found: means over hands as they are dealt.

    Attributes
    ----------
    regret
        What the book's choice loses to the search's, by playouts that neither has seen; in points.
    regret_best
        The same to the best of all placements that either names; it is picked on one half of the playouts and valued on
        the other, both ways.
    agreement
        Share of hands where both choose the same, up to symmetry.
    coverage_search
        Share of the book's 95 % intervals that contain the search's EV; the search's own error widens them.
    coverage_playouts
        The same for the mean of the playouts.
    difference
        Book − search, of the best placement's EV: a bias shows here.
    stderr
        Mean of the standard errors that the book states for its choices.
    """

    hands: int
    seed: int
    simulations: int  # of a fresh search
    regret: Estimate
    regret_best: Estimate
    agreement: Estimate
    coverage_search: Estimate
    coverage_playouts: Estimate
    difference: Estimate
    stderr: float


def verify_book(
    book: Book,
    start: Spot,
    hands: int,
    seed: int,
    batch: Batch,
    on_progress: Callable[[float], None] = lambda share: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Verified:
    """Compare random hands of a book, as often as they are dealt, with fresh searches; fewer if it is cancelled."""
    book.check()
    runs = book.header.runs
    simulations = TIMES * round(sum((run.simulations + run.playouts) * run.hands for run in runs) / book.header.hands)
    chosen = _choose(book, hands, seed)
    found: list[dict[str, Any]] = []
    items = _items(book, start, chosen, seed, simulations)
    for _, result in batch.unordered(verify_hand, items, KERNELS, cancelled):
        found.append(result)
        on_progress(len(found) / len(chosen))
    if len(found) < 2:
        raise BookError("stopped before two hands were compared")
    found.sort(key=lambda result: int(result["hand"]))
    return _summary(found, seed, simulations)


def _choose(book: Book, hands: int, seed: int) -> list[int]:
    """Return the places of random records: hands are drawn as often as they are dealt, none twice."""
    openings = opening_hands(book.header.jokers)
    weights = openings.weights[np.searchsorted(openings.masks, book.records["hand"])]
    rng = np.random.default_rng([seed, _STREAM])
    count = min(hands, len(weights))
    return [int(i) for i in rng.choice(len(weights), count, replace=False, p=weights / weights.sum())]


def _items(book: Book, start: Spot, chosen: list[int], seed: int, simulations: int) -> Iterator[tuple[str, Any]]:
    question = question_of(start)
    for i in chosen:
        entries = [item for item in book.records["entries"][i] if not math.isnan(item["ev"])]
        hand = int(book.records["hand"][i])
        yield (
            str(hand),
            {
                "question": question,
                "hand": hand,
                "seed": seed + _STREAM,
                "simulations": simulations,
                "codes": [unpack_code(int(item["code"])) for item in entries],
                "evs": [float(item["ev"]) for item in entries],
                "errors": [float(item["stderr"]) for item in entries],
            },
        )


def verify_hand(item: dict[str, Any]) -> dict[str, Any]:
    """Compare one hand of a book with a fresh search and fresh playouts."""
    hand, codes = item["hand"], item["codes"]
    spot, searched = _search(start_of(item["question"]), hand, item["seed"], item["simulations"])
    model = error_model(spot)
    by_search = []
    for code, ev, error in zip(codes, item["evs"], item["errors"], strict=True):
        known = searched.get(code)
        if known is not None and known.visits >= TRUSTED:
            width = math.hypot(error, model.stated(known.error, known.visits))
            by_search.append(abs(ev - known.mean) <= Z95 * width)
    named = list(dict.fromkeys([*codes, *list(searched)[:ENTRIES]]))
    state, seed = spot.to_search_state(), hand_seed(item["seed"] + 1, hand)
    values = np.array([rollouts(state, code, PLAYOUTS, seed) for code in named])
    halves = values.reshape(len(named), 2, -1).mean(axis=2)
    means, errors = values.mean(axis=1), values.std(axis=1, ddof=1) / math.sqrt(PLAYOUTS)
    best = (halves[halves[:, 0].argmax(), 1] + halves[halves[:, 1].argmax(), 0]) / 2.0
    theirs = next(iter(searched))
    widths = [math.hypot(error, float(errors[i])) for i, error in enumerate(item["errors"])]
    return {
        "hand": hand,
        "regret": float(means[named.index(theirs)] - means[0]),
        "regret_best": float(best - means[0]),
        "agrees": theirs == codes[0],
        "by_search": float(np.mean(by_search)) if by_search else None,
        "by_playouts": float(np.mean([abs(ev - means[i]) <= Z95 * widths[i] for i, ev in enumerate(item["evs"])])),
        "difference": item["evs"][0] - searched[codes[0]].mean if codes[0] in searched else None,
        "stderr": item["errors"][0],
    }


def _search(start: Spot, hand: int, seed: int, simulations: int) -> tuple[Spot, dict[int, ActionStatistics]]:
    """Return the spot and what a long search says, best first, one placement for all that are symmetric."""
    spot = replace(start, cards=tuple(CardSet(hand)))
    params = default_params(simulations=simulations, seed=hand_seed(seed, hand), early_stop="never", memory_mb=16.0)
    found: dict[int, ActionStatistics] = {}
    for action in search_spot(spot, params).actions:
        if action.visits:
            found.setdefault(symmetric_codes(hand, action.action)[0], action)
    return spot, found


def _summary(found: list[dict[str, Any]], seed: int, simulations: int) -> Verified:
    def mean(name: str) -> Estimate:
        values = [float(result[name]) for result in found if result[name] is not None]
        error = float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan
        return Estimate(float(np.mean(values)) if values else math.nan, error)

    return Verified(
        hands=len(found),
        seed=seed,
        simulations=simulations,
        regret=mean("regret"),
        regret_best=mean("regret_best"),
        agreement=mean("agrees"),
        coverage_search=mean("by_search"),
        coverage_playouts=mean("by_playouts"),
        difference=mean("difference"),
        stderr=float(np.mean([result["stderr"] for result in found])),
    )
