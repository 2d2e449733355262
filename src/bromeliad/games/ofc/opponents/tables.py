"""What opponents are about to show, as tables: the points that a row of mine can expect from them, by its strength.

A bank holds boards that an opponent may end with, each as likely as the others; a finished opponent is a bank of one.
VersusSpot a bank the expected points of a row depend on the strength of my row only, so they are added to what the row
pays anyway. The scoop depends on all three rows: strengths are put into a few classes by row, and the expected scoop
is tabulated by classes. Where the bank has few strengths, as of finished boards, the classes lose nothing.

So the value against opponents has the shape of the value alone, and whatever counts, searches or plays out hands for
the one does so for the other.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.jit import int64, kernel
from bromeliad.games.ofc.rules.rule_tables import Flag, Tables
from bromeliad.games.ofc.rules.scoring import Scored

__all__ = ["CLASSES", "OpponentTables", "expected_scoop", "make_opponent_tables", "no_opponents"]

CLASSES = 24
"""Classes of strengths in a row, at most."""

_CLASS = 3  # where the classes begin in OpponentTables.rows

Bank = NDArray[np.int64]  # [board, offset in Scored]


class OpponentTables(NamedTuple):
    """Opponents as kernels take them; without entries there are none."""

    rows: NDArray[np.float64]  # [row, strength] what an unfouled row adds to its value alone; [3 + row, ...] its class
    scoop: NDArray[np.float64]  # [class top, class middle, class back], flat: expected points of scoops


def no_opponents() -> OpponentTables:
    """Return what stands where nobody else plays."""
    opponent_tables = OpponentTables(np.zeros((2 * _CLASS, 0)), np.zeros(0))
    for array in opponent_tables:
        array.setflags(write=False)
    return opponent_tables


@kernel(inline=True)
def expected_scoop(opponent_tables: OpponentTables, top: int, middle: int, back: int) -> float:
    """Return the expected points of scoops, won less lost, of a board with these strengths."""
    rows = opponent_tables.rows
    a, b, c = int64(rows[_CLASS, top]), int64(rows[_CLASS + 1, middle]), int64(rows[_CLASS + 2, back])
    return opponent_tables.scoop[(a * CLASSES + b) * CLASSES + c]


def make_opponent_tables(
    tables: Tables, worth: NDArray[np.float64], banks: Sequence[Bank]
) -> tuple[OpponentTables, float]:
    """Return opponents as tables, and what a fouled board of mine gets from them all.

    Parameters
    ----------
    worth
        By number of fantasyland cards: what the opponent's next hand is worth to them.
    """
    strengths = tables.marks.shape[1]
    rows, scoop = np.zeros((2 * _CLASS, strengths)), np.zeros((CLASSES,) * 3)
    alive = [bank[bank[:, Scored.FOUL] == 0, Scored.STRENGTH : Scored.STRENGTH + 3] for bank in banks]
    for row in range(3):
        bounds = _bounds(np.concatenate([strength[:, row] for strength in alive]))
        rows[_CLASS + row] = np.searchsorted(bounds, np.arange(strengths), side="right")
    rows[:3] = (len(banks) - 1.0) * tables.royalty  # every opponent pays mine; once they are in the value anyway
    points, fouled = tables.flags[Flag.ROW_POINTS : Flag.ROW_POINTS + 3].astype(np.float64), 0.0
    for bank, strength in zip(banks, alive, strict=True):
        won = len(strength) / len(bank)
        theirs = float(bank[:, Scored.ROYALTIES].mean() + worth[bank[:, Scored.NEXT_CARDS]].mean())
        most = float(points.sum() + tables.flags[Flag.SCOOP])
        fouled -= won * most + theirs
        rows[2] += (1.0 - won) * most - theirs  # what every unfouled board gets, counted with its back
        for row in range(3):
            rows[row] += won * points[row] * _signs(strength[:, row], strengths)
        if len(strength):
            scoop += won * float(tables.flags[Flag.SCOOP]) * _scoops(strength, rows[_CLASS:], strengths)
    flat = scoop.ravel()
    for array in (rows, flat):
        array.setflags(write=False)
    return OpponentTables(rows, flat), fouled


def _bounds(strengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the strengths at which classes begin: around every strength of the bank if they are few, else by rank."""
    known = np.unique(strengths)
    if 2 * len(known) < CLASSES:
        return np.sort(np.concatenate([known, known + 1]))
    ranks = np.linspace(0, len(strengths), CLASSES + 1)[1:-1].astype(np.int64)
    return np.unique(np.sort(strengths)[ranks])


def _signs(theirs: NDArray[np.int64], strengths: int) -> NDArray[np.float64]:
    """Return, by my strength, the share of rows that it beats less the share that beats it."""
    if not len(theirs):
        return np.zeros(strengths)
    ordered = np.sort(theirs)
    mine = np.arange(strengths)
    below = np.searchsorted(ordered, mine, side="left")
    above = len(ordered) - np.searchsorted(ordered, mine, side="right")
    signs: NDArray[np.float64] = (below - above) / len(ordered)
    return signs


def _scoops(theirs: NDArray[np.int64], classes: NDArray[np.float64], strengths: int) -> NDArray[np.float64]:
    """Return [class, class, class] the share of boards that mine scoops, less the share that scoops mine."""
    wins, losses = [], []
    for row in range(3):
        middle = _middles(classes[row], theirs[:, row], strengths)
        wins.append((theirs[:, row] < middle[:, None]).astype(np.float32))
        losses.append((theirs[:, row] > middle[:, None]).astype(np.float32))
    scoops: NDArray[np.float64] = (_all_three(wins) - _all_three(losses)) / len(theirs)
    return scoops


def _middles(classes: NDArray[np.float64], theirs: NDArray[np.int64], strengths: int) -> NDArray[np.float64]:
    """Return for each class the strength that stands for it: the median of the bank's in it, else any of it."""
    own = classes[np.clip(theirs, 0, strengths - 1)]
    middles = np.zeros(CLASSES)
    for number in range(CLASSES):
        inside = theirs[own == number]
        members = np.flatnonzero(classes == number)
        if len(inside):
            middles[number] = np.median(inside)
        elif len(members):
            middles[number] = members[len(members) // 2]
    return middles


def _all_three(rows: list[NDArray[np.float32]]) -> NDArray[np.float64]:
    """Return [class, class, class] how many boards have all three signs."""
    both = (rows[0][:, None, :] * rows[1][None, :, :]).reshape(CLASSES * CLASSES, -1)
    counts: NDArray[np.float64] = (both @ rows[2].T).astype(np.float64).reshape((CLASSES,) * 3)
    return counts
