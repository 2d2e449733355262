"""The error of searched values: the sampling error that a search states, and the errors beyond it.

Playouts are not optimal play, candidates that were dropped early were unlucky on average, and few simulations estimate
their own spread badly. These errors are measured street by street against references that share no random number with
the search: exact values on street 3, many better playouts on streets 1 and 2.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.cluster import Batch
from bromeliad.evaluation.play import rollouts
from bromeliad.evaluation.regret import KERNELS, Case, make_cases
from bromeliad.evaluation.results import mean_and_error
from bromeliad.games.ofc.exact.earlier_streets import solve_exact
from bromeliad.games.ofc.exact.expectation import Expected
from bromeliad.games.ofc.search_spot import default_params, search_spot
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.weights import ErrorModel

SEARCHED_STREETS = (1, 2, 3)  # later streets are always answered exactly
Z95 = 1.96
SHARE = 0.95
BUDGETS = (1000, 8000, 32_000)  # simulations of the searches, in turn
_MANY = 200  # visits that make the sampling error small
_MOST_DROPPED = 1000.0
_MOST_BESIDE = 10.0
_SEED_SHIFT = 1 << 30  # references draw other cards than searches


class Misses(NamedTuple):
    """Searched actions: the error of each mean, and the error that the search states."""

    difference: NDArray[np.float64]  # searched − reference
    error: NDArray[np.float64]  # sampling error that the search states
    reference_error: NDArray[np.float64]
    visits: NDArray[np.int64]

    def only(self, which: NDArray[np.bool_]) -> "Misses":
        """Return the selected actions."""
        return Misses(self.difference[which], self.error[which], self.reference_error[which], self.visits[which])


class _Question(NamedTuple):
    """An item of work: a position, its search and its reference."""

    street: int
    spot: Spot
    simulations: int
    seed: int
    reference_seed: int
    playouts: int


def sample_misses(
    start: Spot,
    street: int,
    positions: int,
    seed: int,
    playouts: int = 1500,
    batch: Batch | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Misses:
    """Search positions of a street and compare the means of all tried actions with references.

    Parameters
    ----------
    start
        Rules and objective; in every second position the deck lacks an opponent's cards.
    playouts
        Number per reference of streets 1 and 2.
    batch
        Does the searches; results do not depend on it.
    """
    cases = make_cases(street, positions, seed, start=start)
    cases[1::2] = make_cases(street, positions, seed, heads_up=True, start=start)[1::2]
    items = (
        (
            f"street {street}, position {i}",
            _Question(street, case.spot, BUDGETS[i % len(BUDGETS)], seed + i, seed + _SEED_SHIFT, playouts),
        )
        for i, case in enumerate(cases)
    )
    found = [row for rows in (batch or Batch()).ordered(compare, items, KERNELS, cancelled) for row in rows]
    rows = np.array(found, np.float64).reshape(-1, 4)
    return Misses(rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3].astype(np.int64))


def compare(question: _Question) -> list[tuple[float, float, float, int]]:
    """Search one position; return difference, stated error, reference's error and visits of each tried action."""
    case = Case(question.street, question.spot, question.spot.to_search_state())
    params = default_params(simulations=question.simulations, seed=question.seed, memory_mb=64.0)
    tried = [item for item in search_spot(case.spot, params).actions if item.visits > 1]
    references = _references(case, [item.action for item in tried], question.playouts, question.reference_seed)
    return [
        (item.mean - mean, item.error, error, item.visits)
        for item, (mean, error) in zip(tried, references, strict=True)
    ]


def _references(case: Case, codes: list[int], playouts: int, seed: int) -> list[tuple[float, float]]:
    """Return the reference of each placement and its standard error."""
    if case.street >= 3:
        exact = solve_exact(case.spot, 1)
        by_code = dict(zip(exact.codes.tolist(), exact.means[:, Expected.VALUE].tolist(), strict=True))
        return [(by_code[code], 0.0) for code in codes]
    return [mean_and_error(rollouts(case.state, code, playouts, seed)) for code in codes]


def coverage(misses: Misses, model: ErrorModel) -> float:
    """Return the share of references within the stated 95 % intervals, widened by the references' errors."""
    each = zip(misses.error, misses.visits, misses.reference_error, strict=True)
    stated = np.array([math.hypot(model.stated(error, int(visits)), own) for error, visits, own in each])
    return float(np.mean(np.abs(misses.difference) <= Z95 * stated))


def fit_errors(misses: Misses) -> ErrorModel:
    """Return the error model with which 95 % of the intervals hold.

    Actions with many visits show the error that simulations do not reduce; the others then show the error of dropping.
    """
    many = misses.visits >= _MANY
    beside = _least(lambda value: coverage(misses.only(many), ErrorModel(value)), _MOST_BESIDE) if many.any() else 0.0
    if many.all():
        return ErrorModel(beside)
    return ErrorModel(
        beside, _least(lambda value: coverage(misses.only(~many), ErrorModel(beside, value)), _MOST_DROPPED)
    )


def _least(covered: Callable[[float], float], most: float) -> float:
    """Return the least value, up to ``most``, with which 95 % are covered."""
    if covered(0.0) >= SHARE:
        return 0.0
    low, high = 0.0, most
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if covered(middle) >= SHARE else (middle, high)
    return high
