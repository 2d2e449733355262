"""The calibration of a book's quick searches: their errors, measured on some hands by many playouts."""

from typing import Any

import numpy as np

from bromeliad.core.jit import Floats
from bromeliad.evaluation.book.search import Calibration, covariance_of_means, find_candidates, hand_seed, start_of
from bromeliad.evaluation.calibration import SHARE, Z95
from bromeliad.evaluation.play import rollouts
from bromeliad.games.ofc.book.file import BookRun
from bromeliad.games.ofc.book.first_deals import opening_hands
from bromeliad.games.ofc.search_spot import error_model
from bromeliad.games.ofc.spot import Spot

MOST, FEWEST = 240, 8  # hands
PLAYOUTS = 3000  # per candidate of a hand
_STREAM = 1 << 20  # separates the seeds of calibrations from those of the book
_LEAST = 0.03  # the least standard error of a guess
_WIDEST = 2.0  # the largest factor of errors


def calibration_items(
    start: Spot, question: dict[str, Any], seed: int, simulations: int, hands: int | None
) -> list[tuple[str, Any]]:
    """Return the work items: random deals, fewer for a book of few ``hands``."""
    count = MOST if hands is None else _calibrated(hands)
    openings = opening_hands(start.rules.jokers.count)
    shares = openings.weights / openings.weights.sum()
    masks = np.random.default_rng([seed, _STREAM]).choice(openings.masks, count, replace=False, p=shares)
    common = {"question": question, "seed": seed + _STREAM, "simulations": simulations}
    return [(str(mask), {**common, "mask": int(mask)}) for mask in masks]


def _calibrated(hands: int) -> int:
    """Return the number of hands in the calibration of a book of ``hands`` hands."""
    return min(max(hands, FEWEST), MOST)


def bias_error(run: BookRun) -> float:
    """Return the standard error of a run's measured bias, which all its hands share."""
    apart = float(np.mean(np.square(run.own))) / len(run.own)
    return float(np.sqrt((run.common**2 + apart) / _calibrated(run.hands)))


def measure_guesses(item: dict[str, Any]) -> dict[str, Any]:
    """Return the excess of a hand's guesses over their playouts, and the covariance of its sampling errors."""
    mask = item["mask"]
    seed = hand_seed(item["seed"], mask)
    spot, candidates = find_candidates(start_of(item["question"]), mask, seed, item["simulations"])
    state = spot.to_search_state()
    values = [rollouts(state, candidate.code, PLAYOUTS, seed + 1) for candidate in candidates]
    return {
        "mask": mask,
        "excess": [candidate.guess - float(value.mean()) for candidate, value in zip(candidates, values, strict=True)],
        "noise": covariance_of_means(values).tolist(),
    }


def fit_calibration(start: Spot, measured: list[dict[str, Any]]) -> Calibration:
    """Return the errors of guesses without the noise of the playouts.

    Variances come from moments, by rank, and are widened until 95 % of their 95 % intervals hold, because the errors
    are not quite normal.
    """
    hands = sorted(measured, key=lambda found: int(found["mask"]))
    ranks = max(len(found["excess"]) for found in hands)
    excess, noise = np.full((len(hands), ranks), np.nan), np.full((len(hands), ranks, ranks), np.nan)
    for i, found in enumerate(hands):
        count = len(found["excess"])
        excess[i, :count], noise[i, :count, :count] = found["excess"], found["noise"]
    bias = float(np.nanmean(excess))
    products = np.nanmean((excess - bias)[:, :, None] * (excess - bias)[:, None, :] - noise, axis=0)
    own_noise = np.diagonal(noise, axis1=1, axis2=2)
    variances = np.maximum(np.diag(products), _LEAST**2)
    apart = ~np.eye(ranks, dtype=bool)
    common = min(max(float(products[apart].mean()) if ranks > 1 else 0.0, 0.0), 0.9 * float(variances.min()))
    wider = _widened(excess - bias, variances, own_noise)
    return Calibration(
        bias=bias,
        common=wider * common**0.5,
        own=tuple(wider * float(variance - common) ** 0.5 for variance in variances),
        spread=float(np.sqrt(PLAYOUTS * np.nanmean(own_noise))),
        beside=error_model(start).beside,
    )


def _widened(off: Floats, variances: Floats, noise: Floats) -> float:
    """Return the least factor, at least 1, with which 95 % of the intervals hold."""
    known = np.isfinite(off)
    for factor in np.arange(1.0, _WIDEST, 0.01):
        held = np.abs(off) <= Z95 * np.sqrt(factor**2 * variances + noise)
        if held[known].mean() >= SHARE:
            return float(factor)
    return _WIDEST
