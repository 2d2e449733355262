"""One hand of an opening book: candidates by a quick search, then playouts as long as they may change the choice.

The quick search plays one street and asks the learned evaluation, so its means scatter little but are off by what that
evaluation is off. How far has been measured (:class:`Calibration`): in the mean, for all placements of a hand alike,
and for each by itself, the more the lower it ranks. Its means are the guess, the playouts the evidence, and what a book
states is what follows from both. Playouts of different placements meet the same cards, so a lead is known better than
the values themselves.
"""

import json
import math
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import CardSet
from bromeliad.errors import BookError
from bromeliad.evaluation.play import rollouts
from bromeliad.games.ofc.book.file import ENTRIES
from bromeliad.games.ofc.book.first_deals import symmetric_codes
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.search_spot import default_params, search_spot
from bromeliad.games.ofc.spot import Spot, parse_spot
from bromeliad.games.ofc.values.weights import find_weights
from bromeliad.search import Searcher

__all__ = [
    "Calibration",
    "Candidate",
    "Diligence",
    "Weighed",
    "covariance_of_means",
    "find_candidates",
    "hand_seed",
    "play_out",
    "question_of",
    "settle",
    "start_of",
]

Floats = NDArray[np.float64]
_MEMORY = 16.0  # megabytes of a search
_STEP = 100  # playouts of a placement before the next look; twice as many after the first
_USUAL = 200  # playouts that the usual spread counts for
_TINY = 1e-12
_REACH = 6.0  # a rival whose expected gain is less than this part of the limit gets no more playouts


class Diligence(NamedTuple):
    """How much work goes into a hand."""

    simulations: int  # of the quick search
    playouts: int  # at most, of all its candidates together; 0 for none
    gain: float = 0.005  # settled once more playouts are not expected to gain more, in points


class Calibration(NamedTuple):
    """How far the means of the quick search are off from playouts, as measured."""

    bias: float
    common: float  # standard deviation of what all placements of a hand share
    own: tuple[float, ...]  # and of what each has for itself, by its rank in the quick search
    spread: float  # standard deviation of a playout, over all hands
    beside: float  # standard error that no number of playouts takes away


class Candidate(NamedTuple):
    """A placement that the quick search names; it stands for all that the hand's symmetries make of it."""

    code: int
    guess: float
    visits: int  # simulations behind the guess


class Weighed(NamedTuple):
    """Candidates in the light of their playouts, best first."""

    codes: tuple[int, ...]
    guesses: Floats
    ev: Floats
    stderr: Floats
    visits: NDArray[np.int64]  # simulations and playouts


def question_of(start: Spot) -> dict[str, Any]:
    """Return rules and objective as plain data, with the learned evaluation that answers depend on."""
    found = find_weights(start.rules, start.foul_cost, start.fantasyland_worth)
    return {
        "rules": start.rules.model_dump(mode="json"),
        "foul_cost": start.foul_cost,
        "worth": [list(pair) for pair in start.fantasyland_worth],
        "weights": found[1].sha256 if found else "",
    }


def start_of(question: dict[str, Any]) -> Spot:
    """Return the spot before the first deal that plain data describes, made once a process."""
    return _start_of(json.dumps(question, sort_keys=True))


@lru_cache(maxsize=4)
def _start_of(text: str) -> Spot:
    question = json.loads(text)
    rules = RuleSet.model_validate(question["rules"])
    worth = {int(cards): float(points) for cards, points in question["worth"]}
    start = parse_spot(rules, objective="solo", foul_cost=question["foul_cost"], fantasyland_worth=worth)
    if question_of(start)["weights"] != question["weights"]:
        raise BookError("this worker has other learned weights than the machine that asks: install the same everywhere")
    return start


@lru_cache(maxsize=1)
def _searcher() -> Searcher:
    return Searcher()


def hand_seed(seed: int, mask: int) -> int:
    """Return the seed of a hand: of the command's seed and the hand, whoever works on it and when."""
    return int(np.random.SeedSequence([seed, mask]).generate_state(1, np.uint64)[0] >> np.uint64(2))


def find_candidates(start: Spot, mask: int, seed: int, simulations: int) -> tuple[Spot, list[Candidate]]:
    """Return the spot of a canonical hand and the best placements by the quick search, no two symmetric."""
    spot = replace(start, cards=tuple(CardSet(mask)))
    params = default_params(simulations=simulations, playout_depth=1, seed=seed, early_stop="never", memory_mb=_MEMORY)
    found: dict[int, Candidate] = {}
    for item in search_spot(spot, params, _searcher()).actions:
        if len(found) == ENTRIES or not item.visits:
            break
        first = symmetric_codes(mask, item.action)[0]
        found.setdefault(first, Candidate(first, item.mean, item.visits))
    return spot, list(found.values())


def play_out(spot: Spot, candidates: list[Candidate], seed: int, diligence: Diligence, by: Calibration) -> Weighed:
    """Play the best candidate and its rivals out until more is not worth it, and weigh guesses and playouts."""
    state = spot.to_search_state()
    values = [np.zeros(0) for _ in candidates]
    guesses = np.array([candidate.guess for candidate in candidates])
    ev, covariance = settle(guesses, values, by)
    step, spent = _STEP, 0
    while True:
        gains = _expected_gains(ev, covariance)
        going = [i for i in range(len(ev)) if gains[i] > diligence.gain / _REACH or i == int(ev.argmax())]
        if gains.sum() <= diligence.gain or len(going) < 2 or spent + step * len(going) > diligence.playouts:
            break
        for i in going:
            more = rollouts(state, candidates[i].code, step, seed, len(values[i]))
            values[i] = np.concatenate((values[i], more))
        spent += step * len(going)
        step = 2 * _STEP
        ev, covariance = settle(guesses, values, by)
    order = np.argsort(-ev, kind="stable")
    return Weighed(
        codes=tuple(candidates[i].code for i in order),
        guesses=guesses[order],
        ev=ev[order],
        stderr=np.sqrt(np.diag(covariance))[order],
        visits=np.array([candidates[i].visits + len(values[i]) for i in order]),
    )


def settle(guesses: Floats, values: list[Floats], by: Calibration) -> tuple[Floats, Floats]:
    """Return the values that guesses and playouts suggest together, and their covariance (all normal)."""
    count = len(values)
    prior = np.full((count, count), by.common**2) + np.diag(np.array(by.own[:count]) ** 2)
    expected = guesses - by.bias
    played = [i for i in range(count) if len(values[i])]
    if not played:
        return expected, prior
    means = np.array([values[i].mean() for i in played])
    noise = by.beside**2 + covariance_of_means([values[i] for i in played], by.spread)
    gain = prior[:, played] @ np.linalg.inv(prior[np.ix_(played, played)] + noise)
    return expected + gain @ (means - expected[played]), prior - gain @ prior[played]


def covariance_of_means(values: list[Floats], spread: float | None = None) -> Floats:
    """Return the covariance of the means of playouts; equal numbers of playouts met the same cards.

    Great payoffs are rare, so a few playouts without one have too small a mean and too small a variance at once. Hence
    the usual ``spread`` of a playout, if it is given, counts as some of each placement's own.
    """
    count = len(values)
    covariance = np.zeros((count, count))
    for i in range(count):
        for j in range(i + 1):
            both = min(len(values[i]), len(values[j]))
            a, b = values[i][:both], values[j][:both]
            shared = (float(a @ b) - both * float(a.mean()) * float(b.mean())) / (both - 1)
            covariance[i, j] = covariance[j, i] = shared / max(len(values[i]), len(values[j]))
    if spread is None:
        return covariance
    counts = np.array([len(value) for value in values])
    usual = (counts * counts * np.diag(covariance) + _USUAL * spread**2) / (counts + _USUAL) / counts
    scale = np.sqrt(usual / np.maximum(np.diag(covariance), _TINY))
    return covariance * np.outer(scale, scale)


def _expected_gains(ev: Floats, covariance: Floats) -> Floats:
    """Return for each placement what knowing the truth would gain on average by playing it instead of the best."""
    best = int(ev.argmax())
    gains = np.zeros(len(ev))
    for i in range(len(ev)):
        variance = covariance[i, i] + covariance[best, best] - 2.0 * covariance[i, best]
        error, lead = math.sqrt(max(variance, _TINY)), float(ev[i] - ev[best])
        z = lead / error
        density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        gains[i] = 0.0 if i == best else error * density + lead * 0.5 * math.erfc(-z / math.sqrt(2.0))
    return gains
