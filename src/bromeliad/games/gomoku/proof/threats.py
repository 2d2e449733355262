"""Forced wins, proved: by continuous fours (VCF) and by continuous threats (VCT), and what defends against them.

>>> from bromeliad.games.gomoku.game import Gomoku
>>> from bromeliad.games.gomoku.position import read_position
>>> game = Gomoku()
>>> prove(read_position(game, "H8A1I8A2J8A3"), "fours").result
'win'
"""

from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.game import clone
from bromeliad.core.kernel_cache import warmup
from bromeliad.games.gomoku.game import Gomoku
from bromeliad.games.gomoku.line_tables import Tier
from bromeliad.games.gomoku.model import plain_model
from bromeliad.games.gomoku.moves import is_legal, play
from bromeliad.games.gomoku.proof.vcf import CUTS, LEFT, LENGTH, PROVED, STOP, UNKNOWN, prove_fours
from bromeliad.games.gomoku.proof.vct import ATTACK, prove_threats, threatened_zone
from bromeliad.games.gomoku.state import (
    BOARD,
    EMPTY,
    MOVER,
    NOBODY,
    RULE,
    SIZE,
    WINNER,
    WORDS,
    GomokuState,
    next_in_tier,
)

__all__ = ["KERNELS", "Method", "Proof", "Prover", "prove"]

Method = Literal["fours", "threats"]
Verdict = Literal["win", "none", "unknown"]
KERNELS = ("bromeliad.games.gomoku.game", __name__)
_TABLE_BITS = 16  # of the table's number of entries
_PLIES = 512
_FOUR_DEPTHS = (1, 2, 4, 8, 16, 32, 64, 128)
_THREAT_DEPTHS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16)
NODES = 1_000_000
"""Moves that a proof may try unless it is told otherwise."""


class Proof(NamedTuple):
    """What came of looking for a forced win.

    Attributes
    ----------
    result
        ``win``; ``none`` if there is none of this kind; ``unknown`` if the budget was spent before either was clear.
    line
        A winning line to the five: the whole proof for fours, one variation of it for threats. Empty without a win.
    nodes
        Moves of the attacker that were tried.
    """

    result: Verdict
    line: tuple[int, ...]
    nodes: int

    @property
    def best(self) -> int | None:
        """The first move of the win."""
        return self.line[0] if self.line else None


class Prover:
    """Looks for forced wins, with a table that it keeps from one question to the next.

    Parameters
    ----------
    table_bits
        Entries of the table, as a power of two; each takes 16 bytes.
    """

    def __init__(self, table_bits: int = _TABLE_BITS) -> None:
        self._table = np.zeros(2 << table_bits, np.int64)
        self._line = np.zeros(_PLIES, np.int64)
        self._zones = np.zeros((_PLIES, WORDS), np.int64)
        self._book = np.zeros(4, np.int64)
        self._rules = -1

    @property
    def stop(self) -> NDArray[np.int64]:
        """A place to which another thread writes 1 to end a proof; whoever does so writes 0 again afterwards."""
        return self._book[STOP : STOP + 1]

    def prove(self, state: GomokuState, method: Method, nodes: int = NODES) -> Proof:
        """Look for a forced win of the mover, trying at most so many moves; the state stays as it is."""
        if state.data[WINNER] != NOBODY:
            return Proof("none", (), 0)
        work = self._begin(state, nodes)
        depths = _FOUR_DEPTHS if method == "fours" else _THREAT_DEPTHS
        found = UNKNOWN
        for depth in depths:
            self._book[CUTS] = 0
            if method == "fours":
                found = prove_fours(work, depth, self._book, self._table, self._line, 0)
            else:
                found = prove_threats(work, ATTACK, depth, self._book, self._table, self._line, self._zones, 0)
            if found != 0 or self._book[CUTS] == 0:
                break
        spent = nodes - max(int(self._book[LEFT]), 0)
        if found == PROVED:
            return Proof("win", self._finish(work), spent)
        complete = found != UNKNOWN and self._book[CUTS] == 0
        return Proof("none" if complete else "unknown", (), spent)

    def replies(self, state: GomokuState, nodes: int = NODES) -> list[int] | None:
        """Return the moves that may stop a win by fours which the opponent threatens; None if he threatens none."""
        work = self._begin(state, nodes)
        zone = self._zones[0]
        if threatened_zone(work, zone, self._book, self._table, self._line, 0) != PROVED:
            return None
        cells = range(int(state.data[SIZE]) ** 2)
        marked = (cell for cell in cells if zone[cell >> 6] >> (cell & 63) & 1)
        return [cell for cell in marked if state.data[BOARD + cell] == EMPTY and is_legal(work, cell)]

    def _begin(self, state: GomokuState, nodes: int) -> GomokuState:
        work: GomokuState = clone(state)
        rules = int(state.data[RULE])
        if rules != self._rules:
            self._table.fill(0)  # keys say nothing about the rules
            self._rules = rules
        self._book[LEFT], self._book[LENGTH] = nodes, 0
        return work

    def _finish(self, work: GomokuState) -> tuple[int, ...]:
        """Return the line that was found, played on until five are made, or until black may not reply."""
        line = [int(cell) for cell in self._line[: self._book[LENGTH]]]
        attacker = int(work.data[MOVER])
        for cell in line:
            play(work, cell)
        if work.data[WINNER] == NOBODY:
            reply = int(next_in_tier(work.data, attacker, Tier.FIVE, 0))
            five = int(next_in_tier(work.data, attacker, Tier.FIVE, reply + 1))
            line += [reply] if five < 0 else [reply, five]
        return tuple(line)


def prove(state: GomokuState, method: Method, nodes: int = NODES) -> Proof:
    """Look for a forced win of the mover once."""
    return Prover().prove(state, method, nodes)


@warmup
def _warm() -> None:
    state = Gomoku(6, model=plain_model()).new_state()
    for method in get_args(Method):
        prove(state, method, 10)
    Prover().replies(state, 10)
