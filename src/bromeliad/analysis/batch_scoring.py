"""Many finished hands scored and settled at once."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.analysis.hand_reader import HandFacts
from bromeliad.core.jit import kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.rules.rule_tables import rule_tables
from bromeliad.games.ofc.rules.scoring import Scored, score_board, settle

__all__ = ["ScoredHands", "score_hands"]


class ScoredHands(NamedTuple):
    """Results by [hand, seat]."""

    scored: NDArray[np.int64]  # [hand, seat, offset in Scored]
    pairs: NDArray[np.int64]  # [hand, one, two] what the first gets from the second
    scoops: NDArray[np.int64]  # opponents that were scooped
    scooped: NDArray[np.int64]  # opponents that scooped

    @property
    def points(self) -> NDArray[np.int64]:
        """What each seat wins from all others."""
        points: NDArray[np.int64] = self.pairs.sum(axis=2)
        return points


def score_hands(rules: RuleSet, hands: Sequence[HandFacts]) -> ScoredHands:
    """Score hands of one rule set and of equally many players."""
    shape = len(hands), len(hands[0].players)
    boards = np.array([hand.boards for hand in hands], np.int64)
    reached = np.array([hand.reached for hand in hands], np.int64)
    out = _room(*shape)
    _score(rule_tables(rules), boards, reached, np.zeros(4, np.int64), out)
    return out


def _room(hands: int, players: int) -> ScoredHands:
    shape = hands, players
    return ScoredHands(*(np.zeros(each, np.int64) for each in ((*shape, Scored.SIZE), (*shape, players), shape, shape)))


@kernel
def _score(tables, boards, fantasyland, scratch, out):
    """Score every board, and settle every pair of a hand."""
    players = boards.shape[1]
    for i in range(boards.shape[0]):
        seen = np.int64(0)
        for seat in range(players):
            seen |= boards[i, seat, 0] | boards[i, seat, 1] | boards[i, seat, 2]
        for seat in range(players):
            top, middle, back = boards[i, seat, 0], boards[i, seat, 1], boards[i, seat, 2]
            score_board(tables, top, middle, back, fantasyland[i, seat], seen, out.scored[i, seat])
        for one in range(players):
            for two in range(players):
                if one != two:
                    out.pairs[i, one, two] = settle(tables, out.scored[i, one], out.scored[i, two], scratch)
                    out.scoops[i, one] += np.int64(scratch[0] > 0 and scratch[1] > 0 and scratch[2] > 0)
                    out.scooped[i, one] += np.int64(scratch[0] < 0 and scratch[1] < 0 and scratch[2] < 0)


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset

    boards = np.array([[[7, 31 << 3, 31 << 8], [7 << 13, 31 << 16, 31 << 21]]], np.int64)
    tables = rule_tables(preset("pineapple"))
    _score(tables, boards, np.zeros((1, 2), np.int64), np.zeros(4, np.int64), _room(1, 2))
