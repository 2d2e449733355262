"""The sequential probability ratio test: stop a match as soon as it has said enough."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bromeliad.errors import InputError

__all__ = ["Sprt", "Verdict"]

Verdict = Literal["low", "high"]

ERROR = 0.05
"""Probability of each of the two wrong verdicts."""

LEAST = 50
"""Results before the first look: fewer say too little of their scatter."""


@dataclass(frozen=True)
class Sprt:
    """Is the mean ``high`` (or more) rather than ``low`` (or less)? Results are taken as normal, their scatter as seen.

    >>> Sprt(0.0, 1.0).verdict(np.tile([0.5, 2.5], 100))
    'high'
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise InputError(
                "the test is between two means, the lower first: {low} is not below {high}",
                low=self.low,
                high=self.high,
            )

    @property
    def bound(self) -> float:
        """The ratio, as a logarithm, from which on the test decides."""
        return math.log((1.0 - ERROR) / ERROR)

    def ratio(self, values: NDArray[np.float64]) -> float:
        """Return the logarithm of how much likelier the results are under ``high`` than under ``low``."""
        if len(values) < LEAST:
            return 0.0
        variance = max(float(values.var(ddof=1)), 1e-12)
        middle = (self.low + self.high) / 2.0
        return (self.high - self.low) * (float(values.mean()) - middle) * len(values) / variance

    def verdict(self, values: NDArray[np.float64]) -> Verdict | None:
        """Return what the results show, None as long as they show neither."""
        ratio = self.ratio(values)
        if abs(ratio) < self.bound:
            return None
        return "high" if ratio > 0 else "low"
