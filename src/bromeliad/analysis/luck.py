"""Results of recorded hands without the luck of the deal.

:mod:`bromeliad.evaluation.hand_luck` measures the luck of a hand. The value of a hand includes the worth of reaching
fantasyland, minus the worth of the fantasyland that it is played in, so that worths cancel out over successive hands.
"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from bromeliad.analysis.intervals import Mean
from bromeliad.analysis.report import AdjustedResult
from bromeliad.analysis.scan import Batch
from bromeliad.analysis.sources import Sourced
from bromeliad.errors import BromeliadError
from bromeliad.evaluation.hand_luck import HandLuck
from bromeliad.evaluation.luck import adjust
from bromeliad.evaluation.results import mean_and_error
from bromeliad.games.ofc.play.replay import replay
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.rules.scoring import Scored

OnLuck = Callable[[Sourced, NDArray[np.float64]], None]
"""Called with the luck of a hand by seat, as soon as it is measured."""


def batch_values(batch: Batch) -> NDArray[np.float64]:
    """Return the values of :func:`bromeliad.evaluation.hand_luck.hand_values` by [hand, seat]."""
    worths, scored = batch.rules.objective.fantasyland_worth, batch.results.scored
    by_cards = np.array([worths.get(cards, 0.0) for cards in range(max(worths, default=0) + 1)] + [0.0])
    now = np.array([hand.fantasyland for hand in batch.hands], np.int64)
    then = scored[:, :, Scored.NEXT_CARDS]
    gained = by_cards[np.minimum(then, len(by_cards) - 1)] - by_cards[np.minimum(now, len(by_cards) - 1)]
    players = gained.shape[1]
    values: NDArray[np.float64]
    if players == 1:
        fouled = scored[:, :, Scored.FOUL] > 0
        values = gained + np.where(fouled, -batch.rules.objective.foul_cost, scored[:, :, Scored.ROYALTIES])
    else:
        values = batch.results.points + players * gained - gained.sum(axis=1, keepdims=True)
    return values


class LuckResults:
    """Measures the luck of hands, and collects the players' results with and without it.

    Parameters
    ----------
    known
        The luck by seat of hands that were measured before, under the hand's id.
    on_luck
        Called with each new measurement; None to measure nothing.
    cancelled
        Called between hands; once it returns True, nothing more is measured.
    """

    def __init__(
        self,
        known: Mapping[int, NDArray[np.float64]] | None = None,
        on_luck: OnLuck | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self._known = known or {}
        self._on_luck = on_luck
        self._cancelled = cancelled
        self._meters: dict[int, HandLuck] = {}  # by the id of the rules, which the meter keeps alive
        self._values: dict[str, list[tuple[float, float]]] = {}

    def add(self, batch: Batch) -> None:
        """Add the hands of a batch whose luck is known or can be measured."""
        values = batch_values(batch)
        for sourced, hand, row in zip(batch.sourced, batch.hands, values, strict=True):
            luck = self._known.get(sourced.line)
            if luck is None and self._on_luck is not None and not self._cancelled():
                luck = self._measure(sourced, batch.rules)
                self._on_luck(sourced, luck)
            if luck is not None:
                for name, value, part in zip(hand.players, row.tolist(), luck.tolist(), strict=True):
                    self._values.setdefault(name, []).append((value, part))

    def _measure(self, sourced: Sourced, rules: RuleSet) -> NDArray[np.float64]:
        assert not isinstance(sourced.record, BromeliadError)
        if id(rules) not in self._meters:
            self._meters[id(rules)] = HandLuck(rules)
        return self._meters[id(rules)].measure(replay(sourced.record), sourced.record.hand).luck

    def results(self, players: list[str]) -> list[AdjustedResult]:
        """Return the results of these players over their measured hands."""
        return [_result(name, np.array(self._values[name])) for name in players if name in self._values]


def _result(name: str, pairs: NDArray[np.float64]) -> AdjustedResult:
    values, adjusted = pairs[:, 0], adjust(pairs[:, 0], pairs[:, 1:])
    return AdjustedResult(player=name, hands=len(pairs), raw=_mean(values), adjusted=_mean(adjusted))


def _mean(values: NDArray[np.float64]) -> Mean:
    mean, stderr = mean_and_error(values)
    return Mean(count=len(values), mean=mean, stderr=stderr if len(values) > 1 else None)
