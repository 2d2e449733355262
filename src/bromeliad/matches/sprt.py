"""The sequential probability ratio test (Wald 1945): end a match as soon as its result is clear."""

import math
from dataclasses import dataclass
from typing import Literal

from bromeliad.errors import InputError
from bromeliad.matches.tally import Estimate, expected_score

Verdict = Literal["low", "high"]

ERROR = 0.05
"""Probability of each of the two wrong verdicts."""

LEAST = 50
"""Results before the first check: fewer give a poor estimate of their spread."""

_LOOKS = 10  # results between two checks
_BOUND = math.log((1.0 - ERROR) / ERROR)  # the log-likelihood ratio at which the test decides


@dataclass(frozen=True)
class Sprt:
    """Tests whether a mean is ``high`` (or more) or ``low`` (or less).

    Results are assumed to be normal, with the spread that they show.

    >>> Sprt(0.0, 1.0).verdict(Estimate(mean=0.9, stderr=0.1, results=100))
    'high'
    """

    low: float
    high: float
    least: int = LEAST  # results before the first check
    every: int = _LOOKS  # results between two checks

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise InputError(
                "the test needs two means, the lower one first: {low} is not below {high}",
                low=self.low,
                high=self.high,
            )

    @classmethod
    def of_elo(cls, low: float, high: float) -> "Sprt":
        """Return a test of a score between two Elo differences. The error of a score is never 0: two deals suffice."""
        return cls(expected_score(low), expected_score(high), least=2, every=1)

    def verdict(self, estimate: Estimate) -> Verdict | None:
        """Return the verdict; None while the results are inconclusive."""
        if estimate.results < self.least:
            return None
        variance = max(estimate.stderr**2, 1e-12 / estimate.results)
        ratio = (self.high - self.low) * (estimate.mean - (self.low + self.high) / 2.0) / variance
        if abs(ratio) < _BOUND:
            return None
        return "high" if ratio > 0 else "low"
