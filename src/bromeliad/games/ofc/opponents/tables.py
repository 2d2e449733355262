"""Opponents as tables: the points that my rows can expect to win from them, by strength.

A bank holds equally likely final boards of one opponent; the bank of a finished opponent has one board. Against a bank,
the expected points of a row depend only on the strength of my row, so they are added to the row's pay. The scoop
depends on all three rows: the strengths of each row are grouped into a few classes, and the expected scoop is tabulated
by class. If a bank has few different strengths, as a finished board does, the classes are exact.

A value against opponents thus has the same form as a value without them, and the same exact solvers, searches and
playouts work for both.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.jit import int64, kernel
from bromeliad.games.ofc.rules.rule_tables import Flag, Tables
from bromeliad.games.ofc.rules.scoring import Scored

CLASSES = 24
"""The maximum number of strength classes per row."""

_AT_ONCE = 8192  # boards of a bank that are compared at a time
_CLASS = 3  # where the classes begin in OpponentTables.rows

Bank = NDArray[np.int64]  # [board, offset in Scored]


class OpponentTables(NamedTuple):
    """The opponents' tables for kernels; empty arrays if there are no opponents."""

    rows: NDArray[np.float64]  # [row, strength] points added to an unfouled row's own value; [3 + row, strength] class
    scoop: NDArray[np.float64]  # [class top, class middle, class back], flat: expected points of scoops


def no_opponents() -> OpponentTables:
    """Return empty opponent tables."""
    opponent_tables = OpponentTables(np.zeros((2 * _CLASS, 0)), np.zeros(0))
    for array in opponent_tables:
        array.setflags(write=False)
    return opponent_tables


@kernel(inline=True)
def expected_scoop(opponent_tables: OpponentTables, top: int, middle: int, back: int) -> float:
    """Return the expected points from scoops, those lost subtracted, of a board with these strengths."""
    rows = opponent_tables.rows
    a, b, c = int64(rows[_CLASS, top]), int64(rows[_CLASS + 1, middle]), int64(rows[_CLASS + 2, back])
    return opponent_tables.scoop[(a * CLASSES + b) * CLASSES + c]


def make_opponent_tables(
    tables: Tables, worth: NDArray[np.float64], banks: Sequence[Bank], bonus: float = 0.0
) -> tuple[OpponentTables, float]:
    """Return the opponents' tables, and the points of a fouled board of mine against all of them.

    Parameters
    ----------
    worth
        The worth of an opponent's next fantasyland hand, by number of cards.
    bonus
        The bonus that the first deal of my hand earned, if the rules have one.
    """
    strengths = tables.marks.shape[1]
    rows, scoop = np.zeros((2 * _CLASS, strengths)), np.zeros((CLASSES,) * 3)
    alive = [bank[bank[:, Scored.FOUL] == 0, Scored.STRENGTH : Scored.STRENGTH + 3] for bank in banks]
    for row in range(3):
        bounds = _bounds(np.concatenate([strength[:, row] for strength in alive]))
        rows[_CLASS + row] = np.searchsorted(bounds, np.arange(strengths), side="right")
    entered = tables.flags[Flag.BONUS] * (tables.entry > 0)
    rows[:3] = (len(banks) - 1.0) * (tables.royalty + entered)  # each opponent pays; my own value has one share
    rows[2] += (len(banks) - 1.0) * bonus
    points, fouled = tables.flags[Flag.ROW_POINTS : Flag.ROW_POINTS + 3].astype(np.float64), 0.0
    for bank, strength in zip(banks, alive, strict=True):
        won = len(strength) / len(bank)
        theirs = float(bank[:, Scored.ROYALTIES].mean() + worth[bank[:, Scored.NEXT_CARDS]].mean())
        most = float(points.sum() + tables.flags[Flag.SCOOP])
        fouled -= won * most + theirs
        rows[2] += (1.0 - won) * most - theirs  # points of every unfouled board, added to its back row
        for row in range(3):
            rows[row] += won * points[row] * _signs(strength[:, row], strengths)
        if len(strength):
            scoop += won * float(tables.flags[Flag.SCOOP]) * _scoops(strength, rows[_CLASS:], strengths)
    flat = scoop.ravel()
    for array in (rows, flat):
        array.setflags(write=False)
    return OpponentTables(rows, flat), fouled


def _bounds(strengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the strengths at which classes begin: around each strength of the bank if few, otherwise at quantiles."""
    known = np.unique(strengths)
    if 2 * len(known) < CLASSES:
        return np.sort(np.concatenate([known, known + 1]))
    inner = np.sort(strengths)[np.linspace(0, len(strengths), CLASSES - 1)[1:-1].astype(np.int64)]
    return np.unique([known[0], *inner, known[-1] + 1])  # rows that beat none or all have classes of their own


def _signs(theirs: NDArray[np.int64], strengths: int) -> NDArray[np.float64]:
    """Return, for each strength of mine, the share of rows that it beats less the share that beats it."""
    if not len(theirs):
        return np.zeros(strengths)
    ordered = np.sort(theirs)
    mine = np.arange(strengths)
    below = np.searchsorted(ordered, mine, side="left")
    above = len(ordered) - np.searchsorted(ordered, mine, side="right")
    signs: NDArray[np.float64] = (below - above) / len(ordered)
    return signs


def _scoops(theirs: NDArray[np.int64], classes: NDArray[np.float64], strengths: int) -> NDArray[np.float64]:
    """Return [class, class, class] the share of boards that I scoop less the share that scoop me."""
    wins, losses = [], []
    for row in range(3):
        middle = _middles(classes[row], theirs[:, row], strengths)
        wins.append((theirs[:, row] < middle[:, None]).astype(np.float32))
        losses.append((theirs[:, row] > middle[:, None]).astype(np.float32))
    scoops: NDArray[np.float64] = (_all_three(wins) - _all_three(losses)) / len(theirs)
    return scoops


def _middles(classes: NDArray[np.float64], theirs: NDArray[np.int64], strengths: int) -> NDArray[np.float64]:
    """Return a strength to represent each class: the median of the bank's strengths in it, or its middle if none."""
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
    """Return [class, class, class] the number of boards with all three signs; in portions, to save memory."""
    counts = np.zeros((CLASSES * CLASSES, CLASSES))
    for first in range(0, rows[0].shape[1], _AT_ONCE):
        top, middle, back = (row[:, first : first + _AT_ONCE] for row in rows)
        both = (top[:, None, :] * middle[None, :, :]).reshape(CLASSES * CLASSES, -1)
        counts += both @ back.T
    return counts.reshape((CLASSES,) * 3)
