"""What happened in a match: fouls, fantasylands, royalties, scoops and thinking time of each player."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bromeliad.evaluation.results import PlainResult, mean_and_error
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.seat import SeatView
from bromeliad.games.ofc.play.strategies import AIStrategy
from bromeliad.games.ofc.play.table import TableHand
from bromeliad.games.ofc.rules.showdown import Showdown

__all__ = ["PlayerResult", "Tally", "TimedStrategy", "summarise"]


@dataclass(frozen=True)
class PlayerResult(PlainResult):
    """How one player did; probabilities are shares of hands, that of a scoop of opponents met."""

    name: str
    mean: float
    stderr: float
    luck_adjusted_mean: float
    luck_adjusted_stderr: float
    p_foul: float
    p_fantasyland: float  # of normal hands that lead there
    p_stay: float | None  # of fantasyland hands that lead to another; None if there were none
    royalties: float
    p_scoop: float
    p_scooped: float
    ms_per_decision: float


class TimedStrategy(AIStrategy):
    """A strategy whose thinking time is measured."""

    def __init__(self, strategy: AIStrategy) -> None:
        super().__init__()
        self.strategy = strategy
        self.restart_clock()

    def restart_clock(self) -> None:
        """Forget the time so far."""
        self.seconds = 0.0
        self.decisions = 0

    def begin_hand(self, seed: int) -> None:
        """Pass it on."""
        self.strategy.begin_hand(seed)

    def decide_placement(self, view: SeatView) -> Action:
        """Decide, and take the time."""
        start = time.perf_counter()
        action = self.strategy.decide_placement(view)
        self.seconds += time.perf_counter() - start
        self.decisions += 1
        return action

    def choose_action(self, view: SeatView, actions: Sequence[Action]) -> Action:
        """Pass it on."""
        return self.strategy.choose_action(view, actions)

    def evaluate_state(self, view: SeatView) -> float:
        """Pass it on."""
        return self.strategy.evaluate_state(view)


@dataclass
class _Counts:
    """What one player's hands came to."""

    normal: int = 0
    fantasyland: int = 0  # hands played in it
    fouls: int = 0
    entered: int = 0
    stayed: int = 0
    royalties: int = 0
    met: int = 0  # opponents
    scoops: int = 0
    scooped: int = 0

    @property
    def hands(self) -> int:
        return self.normal + self.fantasyland


class Tally:
    """Adds up hands by player."""

    def __init__(self, players: int) -> None:
        self.counts = [_Counts() for _ in range(players)]
        self.hands = 0
        self._thought = [[0.0, 0] for _ in range(players)]  # seconds and decisions

    def add(self, hands: Sequence[TableHand]) -> None:
        """Add hands."""
        for played in hands:
            self.hands += 1
            for seat, player in enumerate(played.seating):
                self._add(self.counts[player], played, seat)

    def add_time(self, strategies: Sequence[TimedStrategy]) -> None:
        """Add the thinking time of the players."""
        for thought, strategy in zip(self._thought, strategies, strict=True):
            thought[0] += strategy.seconds
            thought[1] += strategy.decisions

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {"hands": self.hands, "counts": [vars(counts) for counts in self.counts], "thought": self._thought}

    def add_json(self, data: dict[str, Any]) -> None:
        """Add what another tally has."""
        self.hands += data["hands"]
        for mine, theirs in zip(self.counts, data["counts"], strict=True):
            for name, count in theirs.items():
                setattr(mine, name, getattr(mine, name) + count)
        for thought, (seconds, decisions) in zip(self._thought, data["thought"], strict=True):
            thought[0] += seconds
            thought[1] += decisions

    @staticmethod
    def _add(counts: _Counts, played: TableHand, seat: int) -> None:
        hand, showdown = played.hand, played.hand.showdown
        result = showdown.players[seat]
        if hand.fantasyland[seat]:
            counts.fantasyland += 1
            counts.stayed += result.fantasyland > 0
        else:
            counts.normal += 1
            counts.entered += result.fantasyland > 0
        counts.fouls += result.fouled
        counts.royalties += result.royalties
        for other in range(len(showdown.players)):
            if other != seat:
                counts.met += 1
                counts.scoops += _scoops(showdown, seat, other)
                counts.scooped += _scoops(showdown, other, seat)

    def milliseconds(self, player: int) -> float:
        """Return a player's mean time for a decision."""
        seconds, decisions = self._thought[player]
        return 1000.0 * seconds / max(decisions, 1)


def _scoops(showdown: Showdown, one: int, two: int) -> bool:
    """Say whether one seat wins all rows from another."""
    settlement = showdown.settlements[one][two]
    return settlement is not None and all(points > 0 for points in settlement.rows)


def summarise(
    names: Sequence[str], tally: Tally, values: NDArray[np.float64], adjusted: NDArray[np.float64]
) -> tuple[PlayerResult, ...]:
    """Return how each player did, given the results [deck, player] and those without luck."""
    players = []
    for i, (name, counts) in enumerate(zip(names, tally.counts, strict=True)):
        mean, stderr = mean_and_error(values[:, i])
        adjusted_mean, adjusted_stderr = mean_and_error(adjusted[:, i])
        players.append(
            PlayerResult(
                name=name,
                mean=mean,
                stderr=stderr,
                luck_adjusted_mean=adjusted_mean,
                luck_adjusted_stderr=adjusted_stderr,
                p_foul=counts.fouls / counts.hands,
                p_fantasyland=counts.entered / counts.normal,
                p_stay=counts.stayed / counts.fantasyland if counts.fantasyland else None,
                royalties=counts.royalties / counts.hands,
                p_scoop=counts.scoops / counts.met,
                p_scooped=counts.scooped / counts.met,
                ms_per_decision=tally.milliseconds(i),
            )
        )
    return tuple(players)
