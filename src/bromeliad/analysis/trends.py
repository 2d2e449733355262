"""Trends: means over stretches of successive hands."""

from bromeliad.analysis.intervals import Frozen, Mean, mean_of

MOST = 40  # most stretches per trend
_LONG, _FEW = 25, 8  # stretches are joined until they have _LONG hands, or at most _FEW are left


class TrendPoint(Frozen):
    """The mean over a stretch of a player's hands, numbered from 1."""

    player: str
    first: int
    last: int
    mean: Mean


class Bins:
    """Sums over stretches of values; stretches grow with the number of values, so there are at most ``MOST``."""

    def __init__(self) -> None:
        self._width = 1
        self._bins: list[list[float]] = []  # count, sum, sum of squares

    def add(self, value: float) -> None:
        """Add the next value."""
        if not self._bins or self._bins[-1][0] == self._width:
            if len(self._bins) == MOST:
                self._bins = _joined(self._bins)
                self._width *= 2
            self._bins.append([0, 0.0, 0.0])
        last = self._bins[-1]
        last[0] += 1
        last[1] += value
        last[2] += value * value

    def points(self, player: str) -> list[TrendPoint]:
        """Return the means of the stretches."""
        bins, width = self._bins, self._width
        while width < _LONG and len(bins) > _FEW:
            bins, width = _joined(bins), 2 * width
        found, first = [], 1
        for count, total, squares in bins:
            last = first + int(count) - 1
            found.append(TrendPoint(player=player, first=first, last=last, mean=mean_of(int(count), total, squares)))
            first = last + 1
        return found


def _joined(bins: list[list[float]]) -> list[list[float]]:
    """Return neighbouring stretches joined in pairs; the last may stay single."""
    return [[sum(values) for values in zip(*bins[i : i + 2], strict=True)] for i in range(0, len(bins), 2)]
