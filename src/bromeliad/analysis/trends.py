"""Trends: means over stretches of hands, in the order in which they were played."""

from pydantic import BaseModel, ConfigDict

from bromeliad.analysis.intervals import Mean, mean_of

__all__ = ["Bins", "TrendPoint"]

MOST = 40
"""Stretches of a trend, at most."""


class TrendPoint(BaseModel):
    """The mean over a stretch of a player's hands, numbered from 1."""

    model_config = ConfigDict(frozen=True)

    player: str
    first: int
    last: int
    mean: Mean


class Bins:
    """Sums over stretches of values; as more come, stretches grow and their number stays."""

    def __init__(self) -> None:
        self._width = 1
        self._bins: list[list[float]] = []  # count, sum, sum of squares

    def add(self, value: float) -> None:
        """Add the next value."""
        if not self._bins or self._bins[-1][0] == self._width:
            if len(self._bins) == MOST:
                self._merge()
            self._bins.append([0, 0.0, 0.0])
        last = self._bins[-1]
        last[0] += 1
        last[1] += value
        last[2] += value * value

    def _merge(self) -> None:
        """Join neighbours."""
        pairs = zip(self._bins[::2], self._bins[1::2], strict=True)
        self._bins = [[x + y for x, y in zip(one, two, strict=True)] for one, two in pairs]
        self._width *= 2

    def points(self, player: str) -> list[TrendPoint]:
        """Return the means of the stretches."""
        found, first = [], 1
        for count, total, squares in self._bins:
            last = first + int(count) - 1
            found.append(TrendPoint(player=player, first=first, last=last, mean=mean_of(int(count), total, squares)))
            first = last + 1
        return found
