"""The settlement of two finished boards, split into parts: rows, scoop, royalties, fouls and fantasyland."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.games.ofc.rules.rule_tables import Flag, Tables
from bromeliad.games.ofc.rules.scoring import Scored, is_scoop, settle


class _Parts(NamedTuple):
    """Offsets into the parts of a settlement with one opponent; the first POINTS parts add up to its value.

    Points are positive if they are mine. Every opponent pays for my next fantasyland, and I pay for theirs.
    """

    ROWS: int = 0  # of hands in which neither side fouls
    SCOOP: int = 1  # of the same hands
    ROYALTIES: int = 2
    OPPONENT_ROYALTIES: int = 3
    FOUL: int = 4  # rows and scoop of hands in which a side fouls
    FANTASYLAND: int = 5
    OPPONENT_FANTASYLAND: int = 6
    ROW_POINTS: int = 7  # rows of all hands
    SCOOPED: int = 8  # 1 if I scoop the opponent, by a foul too
    FOULED: int = 9
    ENTERED: int = 10  # 1 if my next hand is in fantasyland
    OPPONENT_FOULED: int = 11
    OPPONENT_ENTERED: int = 12
    LUCK: int = 13  # of the deals in a playout: points that its value does not contain, but its parts do
    SIZE: int = 14


Part = _Parts()
POINTS = 7
"""The number of parts that are points; the others are counts of events, and the luck of playouts."""


@kernel
def split_settlement(tables: Tables, worth: Floats, mine: Ints, theirs: Ints, points: Ints, out: Floats) -> None:
    """Write the parts of the settlement of two scored boards into ``out`` (offsets: ``Part``).

    Parameters
    ----------
    worth
        The worth of fantasyland by number of cards, as in ``HandState``.
    points
        Scratch of four entries.
    """
    settle(tables, mine, theirs, points)
    rows, scoop = points[0] + points[1] + points[2], points[3]
    fouled = mine[Scored.FOUL] > 0 or theirs[Scored.FOUL] > 0
    out[Part.ROWS] = 0.0 if fouled else rows
    out[Part.SCOOP] = 0.0 if fouled else scoop
    out[Part.FOUL] = rows + scoop if fouled else 0.0
    out[Part.ROYALTIES] = mine[Scored.ROYALTIES]
    out[Part.OPPONENT_ROYALTIES] = -theirs[Scored.ROYALTIES]
    out[Part.FANTASYLAND] = worth[mine[Scored.NEXT_CARDS]]
    out[Part.OPPONENT_FANTASYLAND] = -worth[theirs[Scored.NEXT_CARDS]]
    out[Part.ROW_POINTS] = rows
    out[Part.SCOOPED] = int64(is_scoop(tables, mine, theirs))
    out[Part.FOULED] = mine[Scored.FOUL]
    out[Part.ENTERED] = int64(mine[Scored.NEXT_CARDS] > 0)
    out[Part.OPPONENT_FOULED] = theirs[Scored.FOUL]
    out[Part.OPPONENT_ENTERED] = int64(theirs[Scored.NEXT_CARDS] > 0)


def square_error(tables: Tables, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the squared standard error of means over sampled opponents, along the first axis.

    A sample whose values happen to be equal still has an error, so one value that differs by a scoop is added.
    """
    count = len(values)
    scatter = ((values - values.mean(axis=0)) ** 2).sum(axis=0)
    error: NDArray[np.float64] = scatter / (count * max(count - 1, 1)) + square_surprise(tables, np.int64(count))
    return error


def square_surprise(tables: Tables, count: NDArray[np.int64] | np.int64) -> NDArray[np.float64]:
    """Return the squared standard error of the mean of ``count`` equal values, as if one differed by a scoop."""
    flags = tables.flags
    most = float(flags[Flag.ROW_POINTS : Flag.ROW_POINTS + 3].sum() + flags[Flag.SCOOP])
    values = np.maximum(count, 1)
    error: NDArray[np.float64] = max(most, 1.0) ** 2 / (values * np.maximum(values - 1, 1))
    return error


def move_points(parts: NDArray[np.float64], errors: NDArray[np.float64], moved: NDArray[np.float64]) -> None:
    """Add ``moved`` to the sum of the points of each row of parts, divided among them by their squared errors."""
    shares = errors[:, :POINTS] ** 2
    parts[:, :POINTS] += moved[:, None] * shares / shares.sum(axis=1, keepdims=True)
