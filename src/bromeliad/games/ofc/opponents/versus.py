"""Spots against opponents who are still playing: their final boards are sampled, then my placements are valued.

Once each opponent is a bank of boards (:mod:`.sampling`), tables give their effect on the value of my board
(:mod:`.tables`). The solvers of a hand without opponents then work against them too.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.game import apply, clone, copy_into
from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.core.rng import Rng, new_rng, reseed
from bromeliad.games.ofc.exact.settlement import square_error
from bromeliad.games.ofc.game import OfcGame
from bromeliad.games.ofc.opponents.sampling import Habits, opponent_banks, play_on
from bromeliad.games.ofc.opponents.tables import make_opponent_tables
from bromeliad.games.ofc.rules.rule_tables import Flag, Tables
from bromeliad.games.ofc.rules.scoring import Scored, is_scoop, settle
from bromeliad.games.ofc.spot import Spot, parse_spot
from bromeliad.games.ofc.values.hand_state import FOUL_COST, Field, HandState, board_value

_PER_SECOND = 4000  # boards sampled per opponent and second of the budget
_FEWEST, _MOST = 500, 128_000
_REPRODUCIBLE = 2000  # boards if the budget is a number of simulations


class _Means(NamedTuple):
    """Offsets into the sums of settlements."""

    VALUE: int = 0
    ROW_POINTS: int = 1
    SCOOPS: int = 2  # number of scoops
    SIZE: int = 3


Means = _Means()


class VersusParts(NamedTuple):
    """The parts of a placement's EV: means over sampled final boards of mine and all boards of the banks."""

    value: float
    stderr: float  # due to sampling the opponents and rounding scoops to classes; added to the error of a value
    row_points: float
    p_scoop: float
    p_foul: float
    p_fantasyland: float
    royalties: float
    by_board: tuple[NDArray[np.float64], ...]  # per bank, the value against each board; for errors of differences


def bank_size(seconds: float | None) -> int:
    """Return the number of boards to sample per opponent; ``seconds`` is None if the budget is in simulations."""
    return _REPRODUCIBLE if seconds is None else int(min(max(_PER_SECOND * seconds, _FEWEST), _MOST))


def sample_opponents(
    spot: Spot,
    count: int,
    seed: int,
    *,
    inferred: bool = True,
    habits: Habits | None = None,
    alone: HandState | None = None,
) -> "VersusSpot":
    """Return a spot with ``count`` sampled boards for each opponent who is still playing.

    ``alone`` is the spot's state for searches, if the caller already has it.
    """
    banks = tuple(opponent_banks(spot, count, seed, inferred=inferred, habits=habits))
    return VersusSpot(spot, banks, alone or spot.to_search_state())


@dataclass(frozen=True)
class VersusSpot:
    """A spot and the possible final boards of its opponents."""

    spot: Spot
    banks: tuple[NDArray[np.int64], ...]
    alone: HandState  # the state without opponents

    @property
    def is_certain(self) -> bool:
        """Whether nothing about the opponents is sampled or rounded: all have finished, and suits break no ties."""
        finished = not self.spot.hidden and all(board.is_complete for board in self.spot.opponents)
        return finished and not self.spot.rules.order.suits_break_ties

    @cached_property
    def state(self) -> HandState:
        """The state for exact values and searches, whose values are settlements."""
        state, others = self.alone, len(self.banks) - 1
        tables, flags = state.tables, state.tables.flags
        bonus = float(flags[Flag.BONUS]) if flags[Flag.BY_FIRST_STREET] and state.v[Field.FANTASYLAND] else 0.0
        opponent_tables, fouled = make_opponent_tables(tables, state.worth, self.banks, bonus)
        entered = np.where(tables.entry > 0, state.worth[tables.entry], 0.0)
        worth = state.worth * (others + 1)  # every opponent pays for my next fantasyland
        pay = state.pay + opponent_tables.rows[:3] + others * entered
        worth[FOUL_COST] = -fouled
        for array in (worth, pay):
            array.setflags(write=False)
        return state._replace(worth=worth, pay=pay, opponent_tables=opponent_tables)

    @property
    def opponent_royalties(self) -> float:
        """Expected royalties of all opponents together."""
        return float(sum(bank[:, Scored.ROYALTIES].mean() for bank in self.banks))

    @property
    def opponent_p_foul(self) -> float:
        """The probability of a foul, averaged over opponents."""
        return float(np.mean([bank[:, Scored.FOUL].mean() for bank in self.banks]))

    @property
    def opponent_p_fantasyland(self) -> float:
        """The probability to enter or stay in fantasyland, averaged over opponents."""
        return float(np.mean([(bank[:, Scored.NEXT_CARDS] > 0).mean() for bank in self.banks]))

    def parts(self, action: int, playouts: int, seed: int) -> VersusParts:
        """Return the parts of a placement's EV: every playout is settled against every board of the banks."""
        ends = np.zeros((playouts, Scored.SIZE), np.int64)
        by_tables = np.zeros(playouts)
        state = self.state
        scratch = np.zeros(OfcGame(self.spot.rules).info.max_actions, np.int64)
        _play_out(state, clone(state), int64(action), scratch, new_rng(seed), seed, ends, by_tables)
        found = self._settled(ends)
        rounding = 0.0 if self.is_certain else float(by_tables.mean()) - found.value
        return found._replace(stderr=math.hypot(found.stderr, rounding))

    def loss_stderr(self, parts: VersusParts, best: VersusParts) -> float:
        """Return the error of a difference due to sampling the opponents; both placements face the same boards."""
        if parts is best:
            return 0.0
        return self._error(mine - other for mine, other in zip(parts.by_board, best.by_board, strict=True))

    def _error(self, by_board: Iterable[NDArray[np.float64]]) -> float:
        """Return the standard error of a sum of means over the banks; finished opponents, banks of one, have none."""
        tables = self.alone.tables
        return math.sqrt(sum(float(square_error(tables, values)) for values in by_board if len(values) > 1))

    def _settled(self, ends: NDArray[np.int64]) -> VersusParts:
        """Return the parts of the EV of equally likely scored boards of mine against the banks."""
        worth, tables = self.alone.worth, self.alone.tables
        points, sums = np.zeros(4, np.int64), np.zeros(Means.SIZE)
        by_board = []
        for bank in self.banks:
            totals = np.zeros((len(bank), Means.SIZE))
            _settle_all(tables, worth, ends, bank, points, totals)
            totals /= len(ends)
            sums += totals.mean(axis=0)
            by_board.append(totals[:, Means.VALUE])
        mine = worth[ends[:, Scored.NEXT_CARDS]].mean() * len(self.banks)
        return VersusParts(
            value=float(sums[Means.VALUE] + mine),
            stderr=self._error(by_board),
            row_points=float(sums[Means.ROW_POINTS]),
            p_scoop=float(sums[Means.SCOOPS]) / len(self.banks),
            p_foul=float(ends[:, Scored.FOUL].mean()),
            p_fantasyland=float((ends[:, Scored.NEXT_CARDS] > 0).mean()),
            royalties=float(ends[:, Scored.ROYALTIES].mean()),
            by_board=tuple(by_board),
        )


@kernel
def _play_out(
    root: HandState, state: HandState, action: int, actions: Ints, rng: Rng, seed: int, ends: Ints, values: Floats
) -> None:
    """Play a hand to its end many times after a placement; score each final board and value it by the tables."""
    for i in range(ends.shape[0]):
        reseed(rng, seed, i)
        copy_into(state, root)
        apply(state, action)
        play_on(state, actions, rng, ends[i])
        values[i] = board_value(state)[0]


@kernel
def _settle_all(tables: Tables, worth: Floats, ends: Ints, bank: Ints, points: Ints, out: Floats) -> None:
    """Add the settlement of each of my final boards with each board of a bank to that board's entry of ``out``."""
    for j in range(bank.shape[0]):
        for i in range(ends.shape[0]):
            total = settle(tables, ends[i], bank[j], points)
            out[j, Means.VALUE] += total - worth[bank[j, Scored.NEXT_CARDS]]
            out[j, Means.ROW_POINTS] += points[0] + points[1] + points[2]
            out[j, Means.SCOOPS] += int64(is_scoop(tables, ends[i], bank[j]))


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset

    board, opponent = "Qd Qh / 9c 9s 4h 4d / As Ac Jd 7h 7d", "2c 3d / 6h 6d Th Td / Ks Kd Kh 3c 3h"
    spot = parse_spot(preset("pineapple"), cards="Kc 8d 3s", board=board, opponents=[opponent])
    sample_opponents(spot, 4, 1).parts(0b101001, 2, 1)
