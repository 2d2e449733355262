"""Verifying a book: its choices and errors against new searches that are ten times longer."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bromeliad.cluster import Batch
from bromeliad.core.cards import CardSet
from bromeliad.errors import BookError
from bromeliad.evaluation.book.search import KERNELS, hand_seed, question_of, start_of
from bromeliad.evaluation.calibration import Z95
from bromeliad.evaluation.play import rollouts
from bromeliad.evaluation.regret import best_of_halves
from bromeliad.evaluation.results import Estimate, PlainResult, mean_and_error
from bromeliad.games.ofc.book.file import ENTRIES, Book, unpack_code
from bromeliad.games.ofc.book.first_deals import opening_hands, symmetric_codes
from bromeliad.games.ofc.search_spot import default_params, error_model, search_spot
from bromeliad.games.ofc.spot import Spot
from bromeliad.search import ActionStatistics

TIMES = 10  # simulations of the new search per simulation and playout of the book
PLAYOUTS = 6000  # paired playouts per compared placement, with other cards than those of the book and the search
_STREAM = 1 << 21  # separates the seeds of verifications from those of books
TRUSTED = 100  # visits that a placement needs for its EV to be compared


@dataclass(frozen=True)
class Verified(PlainResult):
    """The result of a verification: means over hands as they are dealt."""

    hands: int
    seed: int
    simulations: int  # of a new search
    regret: Estimate  # loss of the book's choice against the search's, in points, by independent playouts
    regret_best: Estimate  # against the best placement of both, picked on one half of the playouts, valued on the other
    agreement: Estimate  # share of hands with the same choice, up to symmetry
    coverage_search: Estimate  # share of the book's 95 % intervals that contain the search's EV, given its error
    coverage_playouts: Estimate  # the same for the mean of the playouts
    difference: Estimate  # EV of the best placement, book − search: shows a bias
    stderr: float  # mean of the standard errors that the book states for its choices


def verify_book(
    book: Book,
    start: Spot,
    hands: int,
    seed: int,
    batch: Batch,
    on_progress: Callable[[float], None] = lambda share: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Verified:
    """Compare random hands of a book, drawn as they are dealt, with new searches; fewer if cancelled."""
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
    """Return the indices of random records, drawn as hands are dealt, none twice."""
    openings = opening_hands(book.header.jokers)
    weights = openings.weights[np.searchsorted(openings.masks, book.records["hand"])]
    rng = np.random.default_rng([seed, _STREAM])
    count = min(hands, len(weights))
    return [int(i) for i in rng.choice(len(weights), count, replace=False, p=weights / weights.sum())]


def _items(book: Book, start: Spot, chosen: list[int], seed: int, simulations: int) -> Iterator[tuple[str, Any]]:
    question = question_of(start)
    for i in chosen:
        entries = [entry for entry in book.records["entries"][i] if not math.isnan(entry["ev"])]
        hand = int(book.records["hand"][i])
        item = {"question": question, "hand": hand, "seed": seed + _STREAM, "simulations": simulations}
        item["codes"] = [unpack_code(int(entry["code"])) for entry in entries]
        item["evs"] = [float(entry["ev"]) for entry in entries]
        item["errors"] = [float(entry["stderr"]) for entry in entries]
        yield str(hand), item


def verify_hand(item: dict[str, Any]) -> dict[str, Any]:
    """Compare one hand of a book with a new search and new playouts."""
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
    means, errors = values.mean(axis=1), values.std(axis=1, ddof=1) / math.sqrt(PLAYOUTS)
    best = best_of_halves(values.reshape(len(named), 2, -1).mean(axis=2))
    theirs = next(iter(searched))
    widths = [math.hypot(error, float(errors[i])) for i, error in enumerate(item["errors"])]
    return {
        "hand": hand,
        "regret": float(means[named.index(theirs)] - means[0]),
        "regret_best": best - float(means[0]),
        "agrees": theirs == codes[0],
        "by_search": float(np.mean(by_search)) if by_search else None,
        "by_playouts": float(np.mean([abs(ev - means[i]) <= Z95 * widths[i] for i, ev in enumerate(item["evs"])])),
        "difference": item["evs"][0] - searched[codes[0]].mean if codes[0] in searched else None,
        "stderr": item["errors"][0],
    }


def _search(start: Spot, hand: int, seed: int, simulations: int) -> tuple[Spot, dict[int, ActionStatistics]]:
    """Return the spot and the results of a long search, best first, with one of several symmetric placements."""
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
        return mean_and_error(np.array(values)) if values else Estimate(math.nan, math.nan)

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
