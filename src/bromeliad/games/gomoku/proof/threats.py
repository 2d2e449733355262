"""Proofs of forced wins by continuous fours (VCF) and continuous threats (VCT), and defences against them.

>>> from bromeliad.games.gomoku.game import Gomoku
>>> from bromeliad.games.gomoku.position import read_position
>>> game = Gomoku()
>>> prove(read_position(game, "H8A1I8A2J8A3"), "fours").result
'win'
"""

from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

import bromeliad.games.gomoku.state as at
from bromeliad.core.game import clone
from bromeliad.core.kernel_cache import warmup
from bromeliad.games.gomoku.game import Gomoku
from bromeliad.games.gomoku.line_tables import Tier
from bromeliad.games.gomoku.model import plain_model
from bromeliad.games.gomoku.moves import is_legal, play
from bromeliad.games.gomoku.position import play_cells
from bromeliad.games.gomoku.proof.vcf import CUTS, LEFT, LENGTH, PROVED, STOP, UNKNOWN, prove_fours
from bromeliad.games.gomoku.proof.vct import (
    ATTACK,
    ENTRY,
    FRAME_ROWS,
    HEAD,
    ThreatScratch,
    entry_cell,
    entry_plies,
    find_entry,
    list_replies,
    prove_threats,
    role_key,
    threatened_zone,
)
from bromeliad.games.gomoku.rules import LARGEST
from bromeliad.games.gomoku.state import GomokuState, next_in_tier

Method = Literal["fours", "threats"]
Verdict = Literal["win", "none", "unknown"]
KERNELS = ("bromeliad.games.gomoku.game", __name__)
_TABLE_BITS = 18  # binary logarithm of the number of table entries
_PLIES = 512  # maximum length of a win by fours
_THREAT_PLIES = 128
_FOUR_DEPTHS = (1, 2, 4, 8, 16, 32, 64, 128)
_WON = (39, 0, 41, 8, 31, 72, 49, 80)  # black wins by two threes, for the warm-up
_LINE_NODES = 2_000  # moves that may be tried to end a line by fours
NODES = 1_000_000
"""Default maximum number of moves that a proof tries."""


class Proof(NamedTuple):
    """The result of a proof search."""

    result: Verdict  # "none": there is no win of this kind (caro and renju: none was found); "unknown": not decided
    line: tuple[int, ...]  # a winning line up to the five: the whole proof for fours, one variation for threats
    nodes: int  # number of moves that were tried

    @property
    def best(self) -> int | None:
        """The first move of the winning line, None without a win."""
        return self.line[0] if self.line else None


class Prover:
    """Looks for forced wins; keeps two tables of ``2 ** table_bits`` entries, of 32 and 16 bytes, between calls."""

    def __init__(self, table_bits: int = _TABLE_BITS) -> None:
        self._scratch = ThreatScratch(
            table=np.zeros(ENTRY << table_bits, np.int64),
            fours=np.zeros(2 << table_bits, np.int64),
            frames=np.zeros((_THREAT_PLIES, FRAME_ROWS, LARGEST * LARGEST), np.int64),
            heads=np.zeros((_THREAT_PLIES, HEAD), np.int64),
            zones=np.zeros((2, at.WORDS), np.int64),
            line=np.zeros(_PLIES, np.int64),
        )
        self._counters = np.zeros(4, np.int64)
        self._board: tuple[int, bytes] | None = None  # rules and blocked cells, which are not in the keys

    @property
    def stop(self) -> NDArray[np.int64]:
        """A flag that another thread sets to 1 to end a proof, and resets to 0 afterwards."""
        return self._counters[STOP : STOP + 1]

    def prove(self, state: GomokuState, method: Method, nodes: int = NODES) -> Proof:
        """Look for a forced win of the mover, trying at most ``nodes`` moves; does not change the state."""
        if state.data[at.WINNER] != at.NOBODY:
            return Proof("none", (), 0)
        work = self._begin(state, nodes)
        found = self._prove_fours(work) if method == "fours" else self._prove_threats(work)
        spent = nodes - max(int(self._counters[LEFT]), 0)
        if found == PROVED:
            line = self._end_line(work) if method == "fours" else self._threat_line(work)
            return Proof("win", tuple(line), spent)
        complete = found != UNKNOWN and self._counters[CUTS] == 0
        return Proof("none" if complete else "unknown", (), spent)

    def replies(self, state: GomokuState, nodes: int = NODES) -> list[int] | None:
        """Return the moves that may stop the opponent's threatened win by fours; None if no such threat is found."""
        work = self._begin(state, nodes)
        zone = self._scratch.zones[0]
        if threatened_zone(work, zone, self._scratch, self._counters) != PROVED:
            return None
        cells = range(int(state.data[at.SIZE]) ** 2)
        marked = (cell for cell in cells if zone[cell >> 6] >> (cell & 63) & 1)
        return [cell for cell in marked if state.data[at.BOARD + cell] == at.EMPTY and is_legal(work, cell)]

    def _begin(self, state: GomokuState, nodes: int) -> GomokuState:
        work: GomokuState = clone(state)
        size = int(state.data[at.SIZE])
        blocked = state.data[at.BOARD : at.BOARD + size * size] == at.BLOCKED
        board = (int(state.data[at.RULE]), blocked.tobytes())
        if board != self._board:
            self._scratch.table.fill(0)
            self._scratch.fours.fill(0)
            self._board = board
        self._counters[LEFT] = nodes
        return work

    def _prove_fours(self, work: GomokuState) -> int:
        self._counters[LENGTH] = 0
        for depth in _FOUR_DEPTHS:
            self._counters[CUTS] = 0
            found = int(prove_fours(work, depth, self._counters, self._scratch.fours, self._scratch.line, 0))
            if found != 0 or self._counters[CUTS] == 0:
                break
        return found

    def _prove_threats(self, work: GomokuState) -> int:
        self._counters[CUTS] = 0
        return int(prove_threats(work, self._scratch, self._counters))

    def _end_line(self, work: GomokuState) -> list[int]:
        """Return the win by fours just found, continued until five are made or black has no legal reply."""
        line = [int(cell) for cell in self._scratch.line[: self._counters[LENGTH]]]
        attacker = int(work.data[at.MOVER])
        for cell in line:
            play(work, cell)
        if work.data[at.WINNER] == at.NOBODY:
            reply = int(next_in_tier(work.data, attacker, Tier.FIVE, 0))
            five = int(next_in_tier(work.data, attacker, Tier.FIVE, reply + 1))
            line += [reply] if five < 0 else [reply, five]
        return line

    def _threat_line(self, work: GomokuState) -> list[int]:
        """Return a variation of the win by threats just found, with the replies that delay it longest."""
        line: list[int] = []
        while True:
            self._counters[LEFT] = _LINE_NODES
            if self._prove_fours(work) == PROVED:
                return line + self._end_line(work)
            cell = self._winning_move(work)
            if cell < 0:
                self._counters[LEFT] = NODES
                return line + self._end_line(work) if self._prove_fours(work) == PROVED else line
            line.append(cell)
            play(work, cell)
            reply = self._longest_reply(work)
            line.append(reply)
            play(work, reply)

    def _winning_move(self, work: GomokuState) -> int:
        """Return the first move of a win by threats, proved again if the table has lost it; -1 if none is found."""
        table, key = self._scratch.table, role_key(work, ATTACK)
        place = find_entry(table, key)
        if place < 0 or entry_plies(table, place) < 0:
            self._counters[LEFT] = NODES
            if self._prove_threats(work) != PROVED:
                return -1
            place = find_entry(table, key)
        return int(entry_cell(table, place)) if place >= 0 else -1

    def _longest_reply(self, work: GomokuState) -> int:
        """Return the reply to a winning move after which the win takes longest."""
        cells = np.zeros(LARGEST * LARGEST, np.int64)
        self._counters[LEFT] = _LINE_NODES
        count = int(list_replies(work, cells, self._scratch, self._counters))
        if count <= 0:
            other = 1 - int(work.data[at.MOVER])
            return int(max(next_in_tier(work.data, other, tier, 0) for tier in (Tier.FIVE, Tier.WIN)))

        def plies(cell: int) -> int:
            child: GomokuState = clone(work)
            play(child, cell)
            place = find_entry(self._scratch.table, role_key(child, ATTACK))
            return int(entry_plies(self._scratch.table, place)) if place >= 0 else -1

        return max((int(cell) for cell in cells[:count]), key=plies)


def prove(state: GomokuState, method: Method, nodes: int = NODES) -> Proof:
    """Look for a forced win of the mover, with a new table."""
    return Prover().prove(state, method, nodes)


@warmup
def _warm() -> None:
    game = Gomoku(9, model=plain_model())
    for method in get_args(Method):
        prove(game.new_state(), method, 10)
    prove(play_cells(game, _WON), "threats")
    Prover().replies(game.new_state(), 10)
