"""The sequential probability ratio test (Wald 1945): end a match as soon as its result is clear."""

import math
from dataclasses import dataclass
from typing import Literal

from bromeliad.errors import InputError
from bromeliad.matches.tally import Estimate, expected_score

__all__ = ["Sprt", "Verdict"]

Verdict = Literal["low", "high"]

ERROR = 0.05
"""Probability of each of the two wrong verdicts."""

LEAST = 50
"""Results before the first look: fewer say too little of their scatter."""

_LOOKS = 10  # results between two looks


@dataclass(frozen=True)
class Sprt:
    """Is the mean ``high`` (or more) rather than ``low`` (or less)? Results are taken as normal, their scatter as seen.

    >>> Sprt(0.0, 1.0).verdict(Estimate(mean=0.9, stderr=0.1, results=100))
    'high'
    """

    low: float
    high: float
    least: int = LEAST  # results before the first look
    every: int = _LOOKS  # results between two looks

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise InputError(
                "the test is between two means, the lower first: {low} is not below {high}",
                low=self.low,
                high=self.high,
            )

    @classmethod
    def of_elo(cls, low: float, high: float) -> "Sprt":
        """Return a test of a score by differences in Elo. The error of a score is never 0, so two deals are enough."""
        return cls(expected_score(low), expected_score(high), least=2, every=1)

    @property
    def bound(self) -> float:
        """The ratio, as a logarithm, from which on the test decides."""
        return math.log((1.0 - ERROR) / ERROR)

    def ratio(self, estimate: Estimate) -> float:
        """Return the logarithm of how much likelier the results are under ``high`` than under ``low``."""
        if estimate.results < self.least:
            return 0.0
        variance = max(estimate.stderr**2, 1e-12 / estimate.results)
        return (self.high - self.low) * (estimate.mean - (self.low + self.high) / 2.0) / variance

    def verdict(self, estimate: Estimate) -> Verdict | None:
        """Return what the results show, None as long as they show neither."""
        ratio = self.ratio(estimate)
        if abs(ratio) < self.bound:
            return None
        return "high" if ratio > 0 else "low"
