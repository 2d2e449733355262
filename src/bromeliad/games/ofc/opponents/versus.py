"""Spots against opponents who are still playing: their boards are sampled, mine are counted or searched against them.

Once the opponents are a bank of boards (:mod:`.opponents`), their effect on the value of a board of mine is a matter
of tables (:mod:`.opponent_tables`): everything that solves a hand alone then solves it against them.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.game import apply, clone, copy_into
from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.core.rng import Rng, new_rng, reseed
from bromeliad.games.ofc.game import OfcGame
from bromeliad.games.ofc.opponents.sampling import Habits, opponent_banks, play_on
from bromeliad.games.ofc.opponents.tables import make_opponent_tables
from bromeliad.games.ofc.rules.rule_tables import Tables
from bromeliad.games.ofc.rules.scoring import Scored, is_scoop, settle
from bromeliad.games.ofc.spot import Spot, parse_spot
from bromeliad.games.ofc.values.hand_state import FOUL_COST, HandState

__all__ = ["VersusParts", "VersusSpot", "bank_size", "sample_opponents"]

_PER_SECOND = 4000  # boards of each opponent that are sampled for a second of thinking
_FEWEST, _MOST = 500, 16_000
_REPRODUCIBLE = 2000  # boards where the budget is a number of simulations


class _Means(NamedTuple):
    """Offsets into the sums of settlements."""

    VALUE: int = 0
    ROW_POINTS: int = 1
    SCOOPS: int = 2  # share of opponents who are scooped
    SIZE: int = 3


Means = _Means()


class VersusParts(NamedTuple):
    """What a placement's EV is made of, over sampled ends of my hand and all boards of the banks."""

    value: float
    stderr: float  # of what sampling the opponents adds to the error of a value
    row_points: float
    p_scoop: float
    p_foul: float
    p_fantasyland: float
    royalties: float


def bank_size(seconds: float | None) -> int:
    """Return how many boards of each opponent to sample for a time; None where simulations are the budget."""
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
    """Return a spot with its opponents' boards sampled, so many for each who is still playing.

    ``alone`` is the spot's state for searches, if somebody has made it already.
    """
    banks = tuple(opponent_banks(spot, count, seed, inferred=inferred, habits=habits))
    return VersusSpot(spot, banks, alone or spot.to_search_state())


@dataclass(frozen=True)
class VersusSpot:
    """A spot and the boards that its opponents may end with."""

    spot: Spot
    banks: tuple[NDArray[np.int64], ...]
    alone: HandState  # whose values are those of a player without opponents

    @property
    def is_certain(self) -> bool:
        """Whether nothing about opponents is sampled or rounded: all have finished, and suits break no ties."""
        finished = not self.spot.hidden and all(board.is_complete for board in self.spot.opponents)
        return finished and not self.spot.rules.order.suits_break_ties

    @cached_property
    def state(self) -> HandState:
        """The state for exact values and searches, whose values are settlements."""
        state = self.alone
        opponent_tables, fouled = make_opponent_tables(state.tables, state.worth, self.banks)
        worth, pay = state.worth.copy(), state.pay + opponent_tables.rows[:3]
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
        """The chance of a foul, the mean over opponents."""
        return float(np.mean([bank[:, Scored.FOUL].mean() for bank in self.banks]))

    @property
    def opponent_p_fantasyland(self) -> float:
        """The chance to enter or keep fantasyland, the mean over opponents."""
        return float(np.mean([(bank[:, Scored.NEXT_CARDS] > 0).mean() for bank in self.banks]))

    def parts(self, action: int, playouts: int, seed: int) -> VersusParts:
        """Return what a placement comes to: the hand is played out so often, and each end meets every board."""
        ends = np.zeros((1 if self.spot.is_last_street else playouts, Scored.SIZE), np.int64)
        state = self.state
        scratch = np.zeros(OfcGame(self.spot.rules).info.max_actions, np.int64)
        _play_out(state, clone(state), int64(action), scratch, new_rng(seed), seed, ends)
        return self.settled(ends)

    def settled(self, ends: NDArray[np.int64]) -> VersusParts:
        """Return what scored boards of mine, all equally likely, get from the banks."""
        worth, tables = self.state.worth, self.state.tables
        points, sums = np.zeros(4, np.int64), np.zeros(Means.SIZE)
        variance = 0.0
        for bank in self.banks:
            totals = np.zeros((len(bank), Means.SIZE))
            _settle_all(tables, worth, ends, bank, points, totals)
            totals /= len(ends)
            sums += totals.mean(axis=0)
            variance += float(totals[:, Means.VALUE].var()) / max(len(bank) - 1, 1)
        mine = worth[ends[:, Scored.NEXT_CARDS]].mean()
        return VersusParts(
            value=float(sums[Means.VALUE] + mine),
            stderr=float(np.sqrt(variance)),
            row_points=float(sums[Means.ROW_POINTS]),
            p_scoop=float(sums[Means.SCOOPS]) / len(self.banks),
            p_foul=float(ends[:, Scored.FOUL].mean()),
            p_fantasyland=float((ends[:, Scored.NEXT_CARDS] > 0).mean()),
            royalties=float(ends[:, Scored.ROYALTIES].mean()),
        )


@kernel
def _play_out(root: HandState, state: HandState, action: int, actions: Ints, rng: Rng, seed: int, ends: Ints) -> None:
    """Play a hand on from a placement again and again, and score the ends."""
    for i in range(ends.shape[0]):
        reseed(rng, seed, i)
        copy_into(state, root)
        apply(state, action)
        play_on(state, actions, rng, ends[i])


@kernel
def _settle_all(tables: Tables, worth: Floats, ends: Ints, bank: Ints, points: Ints, out: Floats) -> None:
    """Add what every end gets from every board of a bank to the board's entry of ``out``."""
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
