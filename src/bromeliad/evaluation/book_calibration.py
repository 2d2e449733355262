"""How far the quick searches of a book are off, measured on some hands by many playouts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bromeliad.evaluation.book_question import start_of
from bromeliad.evaluation.book_search import Calibration, covariance_of_means, find_candidates, hand_seed
from bromeliad.evaluation.play import rollouts
from bromeliad.games.ofc.openings import opening_hands
from bromeliad.games.ofc.searching import error_model
from bromeliad.games.ofc.spot import Spot

__all__ = ["calibration_items", "fit_calibration", "measure_guesses"]

MOST, FEWEST = 240, 8  # hands
PLAYOUTS = 3000
"""For each candidate of a hand."""

_STREAM = 1 << 20  # seeds of calibrations are not those of the book
_LEAST = 0.03  # no guess is taken to be better than this


def calibration_items(
    start: Spot, question: dict[str, Any], seed: int, simulations: int, hands: int | None
) -> list[tuple[str, Any]]:
    """Return the work items: hands as they are dealt, fewer for a book of few ``hands``."""
    count = MOST if hands is None else min(max(hands, FEWEST), MOST)
    openings = opening_hands(start.rules.jokers.count)
    shares = openings.weights / openings.weights.sum()
    masks = np.random.default_rng([seed, _STREAM]).choice(openings.masks, count, replace=False, p=shares)
    common = {"question": question, "seed": seed + _STREAM, "simulations": simulations}
    return [(str(mask), {**common, "mask": int(mask)}) for mask in masks]


def measure_guesses(item: dict[str, Any]) -> dict[str, Any]:
    """Return by how much the guesses of a hand exceed their playouts, and the covariance of that by sampling."""
    mask = item["mask"]
    seed = hand_seed(item["seed"], mask)
    spot, candidates = find_candidates(start_of(item["question"]), mask, seed, item["simulations"])
    state = spot.to_search_state()
    values = [rollouts(state, candidate.code, PLAYOUTS, seed + 1) for candidate in candidates]
    excess = [candidate.guess - float(value.mean()) for candidate, value in zip(candidates, values, strict=True)]
    return {"mask": mask, "excess": excess, "noise": covariance_of_means(values).tolist()}


def fit_calibration(start: Spot, measured: list[dict[str, Any]]) -> Calibration:
    """Return the moments of what guesses are off, the noise of the playouts taken out."""
    hands = sorted(measured, key=lambda found: found["mask"])
    means = np.array([np.mean(found["excess"]) for found in hands])
    within, own_share, noise = np.array([_moments(found) for found in hands]).T
    own = max(float(within.mean()), _LEAST**2)
    common = max(float(means.var(ddof=1) - own * own_share.mean() - noise.mean()), _LEAST**2)
    beside = error_model(start).beside
    return Calibration(float(means.mean()), common**0.5, own**0.5, beside)


def _moments(found: dict[str, Any]) -> tuple[float, float, float]:
    """Return (variance within a hand without noise, share of it in the hand's mean, noise of the hand's mean)."""
    excess: NDArray[np.float64] = np.array(found["excess"])
    noise = np.array(found["noise"])
    count = len(excess)
    apart = np.trace(noise) / count - (noise.sum() - np.trace(noise)) / max(count * (count - 1), 1)
    within = excess.var(ddof=1) - apart if count > 1 else 0.0
    return float(within), 1.0 / count, float(noise.mean())
