"""How sure shares and means are."""

import math

from pydantic import BaseModel, ConfigDict

Z = 1.959964
"""Standard errors on either side that hold a mean in 95 % of all cases."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True)


class Share(_Model):
    """A share with its 95 % interval (Wilson's score interval, which is sound for few cases too)."""

    count: int
    of: int
    share: float | None
    low: float | None
    high: float | None


class Mean(_Model):
    """A mean with its standard error, which is not known of less than two cases."""

    count: int
    mean: float | None
    stderr: float | None


def share_of(count: int, of: int) -> Share:
    """Return a share; nothing is known of no cases."""
    if of == 0:
        return Share(count=0, of=0, share=None, low=None, high=None)
    share, square = count / of, Z * Z
    centre = (share + square / (2 * of)) / (1 + square / of)
    half = Z / (1 + square / of) * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    return Share(count=count, of=of, share=share, low=max(centre - half, 0.0), high=min(centre + half, 1.0))


def mean_of(count: int, total: float, squares: float) -> Mean:
    """Return a mean from the number of cases, their sum and the sum of their squares."""
    if count == 0:
        return Mean(count=0, mean=None, stderr=None)
    mean = total / count
    if count == 1:
        return Mean(count=1, mean=mean, stderr=None)
    variance = max(squares - count * mean * mean, 0.0) / (count - 1)
    return Mean(count=count, mean=mean, stderr=math.sqrt(variance / count))
