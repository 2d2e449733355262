"""Tendencies of players (fouls, fantasyland, rows filled early), shrunk towards the default player's."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.analysis.intervals import Frozen
from bromeliad.analysis.scan import Batch
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES
from bromeliad.games.ofc.rules.scoring import Scored

TENDENCIES = ("foul", "fantasyland", "early rows")
"""The shares of normal hands that foul and that lead to fantasyland, and the share of rows filled early."""

EARLY = 3  # a row that is full after this street was filled early
_STRENGTH = 50.0  # weight of the default in cases, if too few players are known to measure how they differ
_LEAST, _MOST = 10.0, 500.0  # bounds of the measured weight
_KNOWN = 20  # a player with this number of hands is known


class Tendency(Frozen):
    """One tendency of a player; ``share`` is observed, ``shrunk`` is the estimate."""

    name: str
    count: int
    of: int
    share: float | None
    default: float
    strength: float
    shrunk: float
    stderr: float


class _Counts(NamedTuple):
    hands: int
    counts: NDArray[np.int64]  # by tendency


class TendencyCounts:
    """Counts the tendencies in the normal hands of every player."""

    def __init__(self) -> None:
        self._counts: dict[str, _Counts] = {}

    def add(self, batch: Batch) -> None:
        """Add the hands of a batch."""
        further = batch.results.scored[:, :, Scored.NEXT_CARDS] > 0
        fouled = batch.results.scored[:, :, Scored.FOUL] > 0
        for hand, entries, fouls in zip(batch.hands, further.tolist(), fouled.tolist(), strict=True):
            early = [0] * len(hand.players)
            for turn in hand.turns:
                if turn.street == EARLY:
                    early[turn.seat] = turn.full.bit_count()
            for seat, name in enumerate(hand.players):
                if not hand.fantasyland[seat]:
                    before = self.of(name)
                    new = np.array([fouls[seat], entries[seat], early[seat]], np.int64)
                    self._counts[name] = _Counts(before.hands + 1, before.counts + new)

    def of(self, player: str) -> _Counts:
        """Return the number of hands and the counts of a player."""
        return self._counts.get(player, _Counts(0, np.zeros(len(TENDENCIES), np.int64)))

    @property
    def players(self) -> list[str]:
        """All players with normal hands, by name."""
        return sorted(self._counts)


def _cases(hands: int) -> NDArray[np.int64]:
    """Return the number of cases of each tendency: hands, or rows for early rows."""
    return np.array([hands, hands, hands * len(ROW_SIZES)])


def prior_strengths(counts: TendencyCounts, default: Sequence[float]) -> list[float]:
    """Return the weight of the default for each tendency, in cases: a beta-binomial fit by moments.

    The more the players differ beyond chance, the smaller the weight.
    """
    known = [counts.of(name) for name in counts.players if counts.of(name).hands >= _KNOWN]
    if len(known) < len(TENDENCIES):
        return [_STRENGTH] * len(TENDENCIES)
    return [_strength(known, at, mean) for at, mean in enumerate(default)]


def _strength(known: Sequence[_Counts], at: int, mean: float) -> float:
    cases = np.array([_cases(item.hands)[at] for item in known], float)
    shares = np.array([item.counts[at] for item in known]) / cases
    chance = mean * (1.0 - mean)
    seen = float((cases * (shares - mean) ** 2).sum() / cases.sum())
    between = seen - chance * len(known) / float(cases.sum())
    if between <= 0.0 or chance == 0.0:
        return _MOST
    return float(min(max(chance / between - 1.0, _LEAST), _MOST))


def shrunk(counts: TendencyCounts, player: str, default: Sequence[float]) -> list[Tendency]:
    """Return the tendencies of a player, shrunk towards the default."""
    mine = counts.of(player)
    found = []
    for at, strength in enumerate(prior_strengths(counts, default)):
        of, count, mean = int(_cases(mine.hands)[at]), int(mine.counts[at]), default[at]
        believed = (strength * mean + count) / (strength + of)
        tendency = Tendency(
            name=TENDENCIES[at],
            count=count,
            of=of,
            share=count / of if of else None,
            default=mean,
            strength=strength,
            shrunk=believed,
            stderr=math.sqrt(believed * (1.0 - believed) / (strength + of + 1.0)),
        )
        found.append(tendency)
    return found
