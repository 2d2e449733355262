"""The tendencies of default players, by the cost of a foul and the worth of fantasyland that they play for.

A default player plays as sampled opponents do (:mod:`bromeliad.games.ofc.opponents.sampling`). The table has the
tendencies of such players for many costs and worths, measured in hands without opponents.
"""

import hashlib
import json
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.analysis.tendencies import EARLY, TENDENCIES
from bromeliad.core.kernel_cache import cached_arrays
from bromeliad.evaluation.play import Played, deal_hands, play_hands
from bromeliad.games.ofc.opponents.sampling import Habits
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES, RuleSet
from bromeliad.games.ofc.spot import parse_spot

HANDS = 2000  # per entry of the table
_COSTS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)  # costs of a foul, as multiples of the rule set's
_TIMES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0)  # worths of fantasyland, as multiples of the rule set's
_OWN = (_COSTS.index(1.0), _TIMES.index(1.0))  # the entry with the rule set's own cost and worth
_FINE = 12  # steps tried from one entry of the table to the next
_PULL = 0.05  # penalty per squared step from the default, so that the nearest of equally good fits wins


class DefaultPlay(NamedTuple):
    """Tendencies by cost of a foul, in points, and worth of fantasyland, as a multiple of the rule set's."""

    costs: NDArray[np.float64]
    times: NDArray[np.float64]
    shares: NDArray[np.float64]  # [cost, worth, tendency]

    @property
    def default(self) -> list[float]:
        """The tendencies of a player who plays for the rule set's cost and worth."""
        found: list[float] = self.shares[_OWN].tolist()
        return found

    def fit(self, foul: float, fantasyland: float, errors: tuple[float, float]) -> tuple[Habits, list[float]]:
        """Return the cost and worth with the closest shares of fouls and fantasyland, and their tendencies.

        Distances are in standard errors, which ``errors`` gives.
        """
        best, found = np.inf, (Habits(float(self.costs[_OWN[0]]), 1.0), self.default)
        for i, cost in _steps(self.costs):
            for j, times in _steps(self.times):
                shares = self._between(i, j)
                off = ((shares[0] - foul) / errors[0]) ** 2 + ((shares[1] - fantasyland) / errors[1]) ** 2
                off += _PULL * ((i - _OWN[0]) ** 2 + (j - _OWN[1]) ** 2)
                if off < best:
                    best, found = off, (Habits(cost, times), shares.tolist())
        return found

    def _between(self, i: float, j: float) -> NDArray[np.float64]:
        """Return the tendencies at a point of the table, interpolated."""
        a, b = min(int(i), len(self.costs) - 2), min(int(j), len(self.times) - 2)
        x, y = i - a, j - b
        table = self.shares
        low = (1 - y) * table[a, b] + y * table[a, b + 1]
        high = (1 - y) * table[a + 1, b] + y * table[a + 1, b + 1]
        shares: NDArray[np.float64] = (1 - x) * low + x * high
        return shares


def _steps(values: NDArray[np.float64]) -> list[tuple[float, float]]:
    """Return points along an axis of the table, and their values."""
    places = np.linspace(0, len(values) - 1, _FINE * (len(values) - 1) + 1)
    return [(float(place), float(np.interp(place, range(len(values)), values))) for place in places]


def default_play(rules: RuleSet) -> DefaultPlay:
    """Return the table of a rule set, cached on disk; the first call takes some seconds."""
    content = json.dumps(rules.model_dump(mode="json", exclude={"name", "summary"}), sort_keys=True)
    key = hashlib.sha256(f"{HANDS} {_COSTS} {_TIMES} {content}".encode()).hexdigest()[:16]
    stored = cached_arrays(f"default-play-{key}", lambda: {"shares": _measure(rules)})
    return DefaultPlay(np.array(_COSTS) * rules.objective.foul_cost, np.array(_TIMES), stored["shares"])


def _measure(rules: RuleSet) -> NDArray[np.float64]:
    shares = np.zeros((len(_COSTS), len(_TIMES), len(TENDENCIES)))
    for i, cost in enumerate(_COSTS):
        for j, times in enumerate(_TIMES):
            shares[i, j] = _play(rules, Habits(cost * rules.objective.foul_cost, times))
    return shares


def _play(rules: RuleSet, habits: Habits) -> list[float]:
    """Return the tendencies of a player with these habits."""
    worth = {cards: habits.fantasyland * value for cards, value in rules.objective.fantasyland_worth.items()}
    spot = parse_spot(rules, objective="solo", foul_cost=habits.foul_cost, fantasyland_worth=worth)
    root = spot.to_search_state()
    hands = play_hands(root, deal_hands(root, HANDS, 1), "greedy", 1)
    counts = np.array([_rows(codes[:EARLY]) for codes in hands.codes])
    early = (counts == np.array(ROW_SIZES)).mean()
    fouls, entries = hands.results[:, Played.FOUL].mean(), hands.results[:, Played.FANTASYLAND].mean()
    return [float(fouls), float(entries), float(early)]


def _rows(codes: NDArray[np.int64]) -> list[int]:
    """Return the number of cards that placements put into each row."""
    digits = [int(code) >> shift & 3 for code in codes for shift in range(0, 36, 2)]
    return [digits.count(row) for row in (1, 2, 3)]
