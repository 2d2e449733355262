"""Shares and means with their errors."""

import math

from pydantic import BaseModel, ConfigDict

Z = 1.959964  # half width of a 95 % interval in standard errors


class Frozen(BaseModel):
    """An immutable part of a report or a review."""

    model_config = ConfigDict(frozen=True)


class Share(Frozen):
    """A share with its 95 % interval (Wilson's score interval, which also holds for few cases)."""

    count: int
    of: int
    share: float | None
    low: float | None
    high: float | None


class Mean(Frozen):
    """A mean with its standard error, which is unknown for fewer than two cases."""

    count: int
    mean: float | None
    stderr: float | None


def share_of(count: int, of: int) -> Share:
    """Return a share with its interval; both are None if there are no cases."""
    if of == 0:
        return Share(count=0, of=0, share=None, low=None, high=None)
    share, square = count / of, Z * Z
    centre = (share + square / (2 * of)) / (1 + square / of)
    half = Z / (1 + square / of) * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    low = 0.0 if count == 0 else centre - half  # the formula's own bound is 0 or 1 up to rounding
    high = 1.0 if count == of else centre + half
    return Share(count=count, of=of, share=share, low=low, high=high)


def mean_of(count: int, total: float, squares: float) -> Mean:
    """Return a mean from the number of cases, their sum and the sum of their squares."""
    if count == 0:
        return Mean(count=0, mean=None, stderr=None)
    mean = total / count
    variance = max(squares - count * mean * mean, 0.0) / (count - 1) if count > 1 else None
    return Mean(count=count, mean=mean, stderr=None if variance is None else math.sqrt(variance / count))
