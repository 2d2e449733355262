"""One hand of an opening book: candidates by a quick search, then playouts while they may change the choice.

The quick search plays one street and then uses the learned evaluation, so its means vary little but have the errors of
that evaluation. A :class:`Calibration` has measured these errors: their mean, the part that all placements of a hand
share, and each placement's own part, which grows with its rank. The means of the search are the prior, the playouts are
the evidence, and the book states the posterior. Playouts of different placements use the same cards, so differences are
known better than values.
"""

import json
import math
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import CardSet
from bromeliad.core.jit import Floats
from bromeliad.errors import BookError
from bromeliad.evaluation.play import rollouts
from bromeliad.games.ofc.book.file import ENTRIES
from bromeliad.games.ofc.book.first_deals import symmetric_codes
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.search_spot import default_params, search_spot
from bromeliad.games.ofc.spot import Spot, parse_spot
from bromeliad.games.ofc.values.weights import find_weights
from bromeliad.search import Searcher

KERNELS = ("bromeliad.games.ofc.search_spot", "bromeliad.evaluation.play")  # for searches and playouts
_MEMORY = 16.0  # megabytes per search
_STEP = 100  # playouts per placement in the first round; twice as many in later ones
_USUAL = 200  # playouts that the usual spread counts for
_TINY = 1e-12
_REACH = 6.0  # a rival whose expected gain is below the limit divided by this gets no more playouts


class Diligence(NamedTuple):
    """How much work to spend on a hand."""

    simulations: int  # of the quick search
    playouts: int  # of all candidates together, at most; 0 for none
    gain: float = 0.005  # a hand is settled once more playouts have at most this expected gain, in points


class Calibration(NamedTuple):
    """The measured errors of the quick search's means, compared with playouts."""

    bias: float
    common: float  # standard deviation of the error that all placements of a hand share
    own: tuple[float, ...]  # standard deviation of each placement's own error, by its rank in the quick search
    spread: float  # standard deviation of a playout, over all hands
    beside: float  # standard error that playouts do not reduce


class Candidate(NamedTuple):
    """A placement found by the quick search; it represents all symmetric ones."""

    code: int
    guess: float
    visits: int  # simulations of the guess


class Weighed(NamedTuple):
    """Candidates with their playouts, best first."""

    codes: tuple[int, ...]
    guesses: Floats
    ev: Floats
    stderr: Floats
    visits: NDArray[np.int64]  # simulations and playouts


def question_of(start: Spot) -> dict[str, Any]:
    """Return rules, objective and the hash of the learned evaluation as plain data."""
    found = find_weights(start.rules, start.foul_cost, start.fantasyland_worth)
    return {
        "rules": start.rules.model_dump(mode="json"),
        "foul_cost": start.foul_cost,
        "worth": [list(pair) for pair in start.fantasyland_worth],
        "weights": found[1].sha256 if found else "",
    }


def start_of(question: dict[str, Any]) -> Spot:
    """Return the spot before the first deal of a question, made once per process."""
    return _start_of(json.dumps(question, sort_keys=True))


@lru_cache(maxsize=4)
def _start_of(text: str) -> Spot:
    question = json.loads(text)
    rules = RuleSet.model_validate(question["rules"])
    worth = {int(cards): float(points) for cards, points in question["worth"]}
    start = parse_spot(rules, objective="solo", foul_cost=question["foul_cost"], fantasyland_worth=worth)
    if question_of(start)["weights"] != question["weights"]:
        raise BookError(
            "this worker has other learned weights than the machine that started the work: install the same on both"
        )
    return start


@cache
def _searcher() -> Searcher:
    return Searcher()


def hand_seed(seed: int, mask: int) -> int:
    """Return the seed of a hand, which depends only on the command's seed and the hand."""
    return int(np.random.SeedSequence([seed, mask]).generate_state(1, np.uint64)[0] >> np.uint64(2))


def find_candidates(start: Spot, mask: int, seed: int, simulations: int) -> tuple[Spot, list[Candidate]]:
    """Return the spot of a canonical hand and the best placements of the quick search, no two symmetric."""
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
    """Play out the best candidate and its rivals until more playouts gain too little; weigh guesses and playouts."""
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
    """Return the posterior means of guesses and playouts, and their covariance (all normal)."""
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
    """Return the covariance of the means of playouts; playouts with the same number used the same cards.

    Large payoffs are rare, so a few playouts without one have too small a mean and too small a variance. Therefore the
    usual ``spread`` of a playout, if given, counts as much as a fixed number of playouts.
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
    """Return the expected gain of each placement over the best one if the true values were known."""
    best = int(ev.argmax())
    gains = np.zeros(len(ev))
    for i in range(len(ev)):
        variance = covariance[i, i] + covariance[best, best] - 2.0 * covariance[i, best]
        error, lead = math.sqrt(max(variance, _TINY)), float(ev[i] - ev[best])
        z = lead / error
        density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        gains[i] = 0.0 if i == best else error * density + lead * 0.5 * math.erfc(-z / math.sqrt(2.0))
    return gains
