"""Strategies decide for a seat: at random, by heuristics, or by a plain tree search.

Strategies that use the solver are in :mod:`bromeliad.playing.strategies`, which also finds strategies by name.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import Card
from bromeliad.core.game import clone, estimate
from bromeliad.games.ofc.exact.last_street import solve_last_street
from bromeliad.games.ofc.fantasyland.solve import solve_fantasyland
from bromeliad.games.ofc.game import OfcGame
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.seat import SeatView, own_action
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES, MctsSettings, RuleSet
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.hand_state import HandState
from bromeliad.games.ofc.values.promise import promise_tables
from bromeliad.search import Searcher, SearchParams, SearchResult
from bromeliad.search.halving import estimate_children

_MEMORY_MB = 64.0


class AIStrategy(ABC):
    """Decides for one seat, using only what that seat may know.

    One instance plays one hand at a time. All its randomness comes from the seed of :meth:`begin_hand`, so that a hand
    can be reproduced.
    """

    def __init__(self) -> None:
        self.seed = 1

    def begin_hand(self, seed: int) -> None:
        """Begin a new hand, with this seed for all its randomness."""
        self.seed = seed

    @abstractmethod
    def decide_placement(self, view: SeatView) -> Action:
        """Return a placement of the cards in hand; in fantasyland, of thirteen cards at once."""

    @abstractmethod
    def choose_action(self, view: SeatView, actions: Sequence[Action]) -> Action:
        """Return one of these placements of the cards in hand."""

    @abstractmethod
    def evaluate_state(self, view: SeatView) -> float:
        """Return the strategy's estimate of the seat's expected points."""


class RandomStrategy(AIStrategy):
    """Chooses a legal placement at random; its estimate is always 0."""

    def __init__(self) -> None:
        super().__init__()
        self._rng = np.random.default_rng(self.seed)

    def begin_hand(self, seed: int) -> None:
        """Begin a new hand, with random numbers from this seed."""
        super().begin_hand(seed)
        self._rng = np.random.default_rng(seed)

    def decide_placement(self, view: SeatView) -> Action:
        """Return a random legal placement."""
        if not view.in_fantasyland:
            codes = view.legal_codes()
            return Action.from_code(view.cards, int(codes[self._rng.integers(len(codes))]))
        cards = [view.cards[i] for i in self._rng.permutation(len(view.cards))]
        ends = np.cumsum(ROW_SIZES)
        rows: list[list[Card]] = [cards[end - size : end] for size, end in zip(ROW_SIZES, ends, strict=True)]
        return Action(*(tuple(row) for row in rows), discards=tuple(cards[ends[-1] :]))  # type: ignore[misc]

    def choose_action(self, view: SeatView, actions: Sequence[Action]) -> Action:
        """Return one of these placements at random."""
        return actions[int(self._rng.integers(len(actions)))]

    def evaluate_state(self, view: SeatView) -> float:
        """Return 0: this strategy does not estimate."""
        return 0.0


class HeuristicStrategy(AIStrategy):
    """Chooses the best-looking placement by heuristics: the promise of the rows, less the risk of a foul.

    On the last street, and for fantasyland hands, it chooses the board with the best solo value.
    """

    def decide_placement(self, view: SeatView) -> Action:
        """Return the best-looking placement."""
        if view.in_fantasyland:
            return self._set_fantasyland(view)[0]
        codes = view.legal_codes()
        return Action.from_code(view.cards, int(codes[self._best(view, codes)]))

    def choose_action(self, view: SeatView, actions: Sequence[Action]) -> Action:
        """Return the best-looking of these placements."""
        return actions[self._best(view, np.array([action.to_code() for action in actions], np.int64))]

    def evaluate_state(self, view: SeatView) -> float:
        """Return the look of the board after placing the cards in hand; exact for full boards and fantasyland hands."""
        if view.board.is_complete:
            return view.finished_value()
        if view.in_fantasyland:
            return self._set_fantasyland(view)[1]
        if view.cards:
            return float(_looks(view, view.legal_codes()).max())
        return float(estimate(_heuristic_state(view.to_spot()), 0))

    def _best(self, view: SeatView, codes: NDArray[np.int64]) -> int:
        """Return the index of the best placement among these codes."""
        return int(np.argmax(_looks(view, codes)))

    @staticmethod
    def _set_fantasyland(view: SeatView) -> tuple[Action, float]:
        found = solve_fantasyland(view.to_spot(), 1)
        rows = (found.top, found.middle, found.back, found.discards)
        best = Action.from_masks(*(int(masks[0]) for masks in rows))
        return own_action(view.cards, (best.top, best.middle, best.back, best.discards)), float(found.value[0])


class MCTSStrategy(HeuristicStrategy):
    """Monte Carlo tree search guided by heuristics only, with the settings of the rule file's ``mcts`` section.

    Parameters
    ----------
    rules
        The rule set with the section; the house preset's section is used if it has none.
    seconds, simulations
        A budget per decision, instead of the section's ``simulation_count``.
    """

    def __init__(self, rules: RuleSet, *, seconds: float | None = None, simulations: int | None = None) -> None:
        super().__init__()
        settings = mcts_settings(rules)
        if seconds is None and simulations is None:
            simulations = settings.simulation_count
        self.params = SearchParams(
            policy="puct",
            puct_c=settings.exploration_weight,
            temperature=settings.temperature,
            simulations=simulations,
            seconds=seconds,
            memory_mb=_MEMORY_MB,
        )
        self._info = OfcGame(rules).info
        self._searcher = Searcher()

    def _best(self, view: SeatView, codes: NDArray[np.int64]) -> int:
        """Return the index of the code that the search ranks highest; 0 if it ranks none, as it skips sure fouls."""
        places = {int(code): place for place, code in enumerate(codes)}
        return next((places[item.action] for item in self._search(view).actions if item.action in places), 0)

    def evaluate_state(self, view: SeatView) -> float:
        """Return the value that the search finds; if there is nothing to search, estimate like the parent class."""
        if not view.cards or view.in_fantasyland or view.board.is_complete:
            return super().evaluate_state(view)
        return self._search(view).value

    def _search(self, view: SeatView) -> SearchResult:
        return self._searcher.search(self._info, _heuristic_state(view.to_spot()), self.params.but(seed=self.seed))


def mcts_settings(rules: RuleSet) -> MctsSettings:
    """Return the search settings of a rule set, or the house preset's if it has none."""
    settings = rules.mcts or preset("house").mcts
    assert settings is not None
    return settings


def _looks(view: SeatView, codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the look of the board after each placement; on the last street, its exact value."""
    spot = view.to_spot()
    if spot.is_last_street:
        found = solve_last_street(spot)
        values = dict(zip(found.codes.tolist(), found.value.tolist(), strict=True))
        return np.array([values[code] for code in codes.tolist()])
    state, looks = _heuristic_state(spot), np.zeros(len(codes))
    estimate_children(state, clone(state), codes, 0, looks)
    return looks


def _heuristic_state(spot: Spot) -> HandState:
    """Return the state with promise tables and without learned values."""
    state = spot.to_state()
    return state._replace(promise=promise_tables(spot.rules, state.pay.tobytes()))
