"""How the agent thinks: its parameters, and evaluators with caches for what people and interfaces ask about.

The search does not use the caches: its kernels value a move in less time than a cache is looked up in.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.budget import Budget
from bromeliad.core.game import CHANCE, TERMINAL, apply, outcome, playout_action, random_action, sample_chance, to_play
from bromeliad.core.rng import new_rng, uniform
from bromeliad.errors import InputError
from bromeliad.games.sequence.board import CARD_OF, CELLS
from bromeliad.games.sequence.evaluate import card_worth, lines_at, score_action
from bromeliad.games.sequence.moves import MOST_ACTIONS, team_of
from bromeliad.games.sequence.rules import MOST_TEAMS
from bromeliad.games.sequence.state import (
    CHIPS,
    LOCKED,
    MOVER,
    SEQUENCES,
    TEAMS,
    WEIGHTS,
    WINDOWS,
    SequenceState,
    is_chip,
)
from bromeliad.games.sequence.team_value import position_value
from bromeliad.games.sequence.weights import Weights
from bromeliad.search import SearchParams
from bromeliad.search.cache import ACTION_ITEMS, STATE_ITEMS
from bromeliad.search.cache import LruCache as LRUCache
from bromeliad.search.clock import TimeManager as AdaptiveTimeManager

__all__ = [
    "DOCUMENT_POTENTIAL",
    "DOMINANT_THRESHOLD",
    "EXPLORATION_WEIGHT",
    "LEAST_SECONDS",
    "MAX_THINK_TIME",
    "ActionEvaluator",
    "AdaptiveTimeManager",
    "AgentParams",
    "CardEvaluator",
    "Evaluators",
    "LRUCache",
    "StateEvaluator",
    "carelessness",
    "custom_shallow_copy",
    "document_params",
    "document_weights",
]

MAX_THINK_TIME = AdaptiveTimeManager.MOST
"""The share of the time for a move that is ever used."""
EXPLORATION_WEIGHT = 1.2
DOMINANT_THRESHOLD = 0.7
"""The share of visits from which the best action ends the search."""
DOCUMENT_POTENTIAL = (10, 100, 1000, 10_000)
"""What ``mcts:document`` gives to lines of one to four chips."""

UcbForm = Literal["plain", "doubled"]
_SQRT2 = 2.0**0.5
LEAST_SECONDS = 0.001
"""What a search gets where the time is over already: it answers at once."""
_LEAST_CHIPS = 6  # chips before anything is said
_CAREFUL, _CARELESS = 1.2, 0.35  # lines of two or more per chip: guesses for greedy and random play, not measured
_ITEM = 256  # bytes that a value in a cache counts for

V = TypeVar("V", int, float)


@dataclass(frozen=True, kw_only=True)
class AgentParams:
    """How the agent thinks; ``bromeliad bench sequence-ablation`` measures what each parameter is worth.

    :func:`document_params` has the numbers of ``mcts:document``.
    """

    share: float = MAX_THINK_TIME  # of the time for a move that is ever used
    manage_time: bool = False  # spend 40, 60, 80 % of it by the phase of the game, 90 % where it is critical
    document_iterations: bool = False  # at most 200 simulations, 400 where it is critical, 50 in a hurry
    early_stop: bool = True  # stop when the best action cannot be overtaken and holds more than:
    dominance: float = DOMINANT_THRESHOLD
    ucb_c: float = EXPLORATION_WEIGHT
    ucb_form: UcbForm = "plain"  # C sqrt(ln N / n), or C sqrt(2 ln N / n)
    priors: bool = False  # scores of actions steer selection (PUCT), not only which actions are tried
    temperature: float = 200.0  # points of score that make a prior e times smaller
    candidates: int | None = AdaptiveTimeManager.CANDIDATES  # actions of a decision that are tried; None: all
    critical_candidates: int | None = AdaptiveTimeManager.CRITICAL_CANDIDATES
    fixed_candidates: bool = False  # these and no others; else each simulation breaks ties between scores anew
    playout_random: float = AdaptiveTimeManager.RANDOM  # of playout moves
    critical_random: float = AdaptiveTimeManager.CRITICAL_RANDOM
    playout_depth: int | None = AdaptiveTimeManager.DEPTH  # turns before a position is valued; None: to the end
    critical_depth: int | None = AdaptiveTimeManager.CRITICAL_DEPTH
    widening: float | None = None  # actions opened: this times the square root of the visits; None: all at once
    halving: bool = False  # candidates play sweeps with the same cards, after each of which the worse half goes
    deepening: bool = False  # first look one decision deep for a fifth of the time, then only at the better half
    adapt: bool = False  # play opponents out as carelessly as they have played
    memory_mb: float = 64.0

    def __post_init__(self) -> None:
        if self.ucb_form not in ("plain", "doubled"):
            raise InputError("ucb_form is plain or doubled, not {value!r}", value=self.ucb_form)
        self.search(False, Budget(seconds=1.0))

    def but(self, **changes: Any) -> "AgentParams":
        """Return these parameters with some changed."""
        return replace(self, **changes)

    def search(self, critical: bool, budget: Budget, seed: int = 1, decisions: int = 1) -> SearchParams:
        """Return the parameters of a search; a turn has so many decisions."""
        depth = self.critical_depth if critical else self.playout_depth
        if self.document_iterations and _is_tight(budget):
            depth = AdaptiveTimeManager.TIGHT_DEPTH
        seconds = None if budget.seconds is None else max(self.share * budget.seconds, LEAST_SECONDS)
        return SearchParams(
            simulations=self._simulations(critical, budget),
            seconds=seconds,
            early_stop="dominant" if self.early_stop else "never",
            dominance=self.dominance,
            policy="puct" if self.priors else "uct",
            uct_c=self.ucb_c * (_SQRT2 if self.ucb_form == "doubled" else 1.0),
            puct_c=self.ucb_c,
            temperature=self.temperature,
            candidates=self.critical_candidates if critical else self.candidates,
            fixed_candidates=self.fixed_candidates,
            playout_random=self.critical_random if critical else self.playout_random,
            playout_depth=None if depth is None else decisions * depth,
            widening_k=self.widening,
            root_policy="halving" if self.halving else "tree",
            shrinkage=0.0,  # the game's estimates of actions would know the hidden cards
            memory_mb=self.memory_mb,
            seed=seed,
        )

    def _simulations(self, critical: bool, budget: Budget) -> int | None:
        if not self.document_iterations:
            return budget.simulations
        most = AdaptiveTimeManager.CRITICAL_SIMULATIONS if critical else AdaptiveTimeManager.SIMULATIONS
        most = AdaptiveTimeManager.TIGHT_SIMULATIONS if _is_tight(budget) else most
        return most if budget.simulations is None else min(most, budget.simulations)


def document_params() -> AgentParams:
    """Return the parameters of ``mcts:document``: time by phase, few iterations, short playouts."""
    return AgentParams(
        manage_time=True,
        document_iterations=True,
        early_stop=True,
        dominance=DOMINANT_THRESHOLD,
        ucb_c=EXPLORATION_WEIGHT,
        ucb_form="doubled",
        priors=False,
        candidates=AdaptiveTimeManager.CANDIDATES,
        critical_candidates=AdaptiveTimeManager.CRITICAL_CANDIDATES,
        fixed_candidates=True,
        playout_random=AdaptiveTimeManager.RANDOM,
        critical_random=AdaptiveTimeManager.CRITICAL_RANDOM,
        playout_depth=AdaptiveTimeManager.DEPTH,
        critical_depth=AdaptiveTimeManager.CRITICAL_DEPTH,
    )


def document_weights() -> Weights:
    """Return the weights of ``mcts:document``: lines by powers of ten, hands and turns worth nothing."""
    return Weights(
        block_three=0,
        potential=DOCUMENT_POTENTIAL,
        heart_potential=(0, 0, 0),
        sequence=40_000,
        tempo=0,
        held_mover=(0, 0, 0),
        held_other=(0, 0, 0),
        jacks=(0, 0),
        scale=20_000,
        known_win=False,
    )


def _is_tight(budget: Budget) -> bool:
    """Say whether so little time is left that only a hasty look is possible."""
    return budget.seconds is not None and budget.seconds < AdaptiveTimeManager.TIGHT


def custom_shallow_copy(state: SequenceState) -> SequenceState:
    """Return a copy of a state: one small array, all else is shared."""
    return SequenceState(state.data.copy())


def carelessness(state: SequenceState) -> float:
    """Return how randomly the opponents of the mover seem to play, from 0 (like our playouts) to 1.

    Who plays with a plan lays chips in lines: lines with two or more of a team's chips, for each of its chips, are
    compared with what random and careful players make.
    """
    data = state.data
    own = team_of(data, data[MOVER])
    made = chips = 0
    for team in range(int(data[TEAMS])):
        if team != own:
            chips += sum(CARD_OF[cell] >= 0 and bool(is_chip(data, CHIPS, team, cell)) for cell in range(CELLS))
            made += sum(int(lines_at(data, team, level)) for level in range(2, 5)) + 10 * int(data[SEQUENCES + team])
    if chips < _LEAST_CHIPS:
        return 0.0
    return float(np.clip((_CAREFUL - made / chips) / (_CAREFUL - _CARELESS), 0.0, 1.0))


class _Evaluator(Generic[V]):
    """Values of one kind, and the cache that keeps them.

    Parameters
    ----------
    items
        How many values are kept.
    """

    def __init__(self, items: int = STATE_ITEMS) -> None:
        self.cache: LRUCache[V] = LRUCache(items, size_of=lambda value: _ITEM)

    def _known(self, key: Hashable, compute: Callable[[], V]) -> V:
        found = self.cache.get(key)
        if found is None:
            found = compute()
            self.cache.put(key, found)
        return found


class ActionEvaluator(_Evaluator[int]):
    """Values of actions."""

    def __init__(self, items: int = ACTION_ITEMS) -> None:
        super().__init__(items)

    def evaluate_action_quality(self, state: SequenceState, action: int) -> int:
        """Return how good an action of the mover looks, in points."""
        key = (_board(state), int(state.data[MOVER]), action)
        return self._known(key, lambda: int(score_action(state.data, action)))

    def _heuristic_filter(self, state: SequenceState, actions: Iterable[int], critical: bool = False) -> list[int]:
        """Return the best of the mover's actions, best first: twelve, or twenty where the position is critical."""
        most = AdaptiveTimeManager.CRITICAL_CANDIDATES if critical else AdaptiveTimeManager.CANDIDATES
        return sorted(actions, key=lambda action: -self.evaluate_action_quality(state, action))[:most]


class CardEvaluator(_Evaluator[int]):
    """Values of cards."""

    def evaluate_card(self, state: SequenceState, card: int, team: int) -> int:
        """Return what a card is worth to a team, in points."""
        return self._known((_board(state), card, team), lambda: int(card_worth(state.data, card, team)))


class StateEvaluator(_Evaluator[float]):
    """Values of positions."""

    def evaluate_state(self, state: SequenceState, team: int) -> float:
        """Return what a position is worth to a team, from -1 to 1."""
        return self._known((_everything(state), team), lambda: float(position_value(state.data, team)))

    def _heuristic_guided_simulate(
        self, state: SequenceState, team: int, critical: bool = False, seed: int = 1
    ) -> float:
        """Play some moves, most of them those that look best, and return what the position is then worth to a team."""
        state, rng, actions = custom_shallow_copy(state), new_rng(seed), np.zeros(MOST_ACTIONS, np.int64)
        depth = AdaptiveTimeManager.CRITICAL_DEPTH if critical else AdaptiveTimeManager.DEPTH
        share = AdaptiveTimeManager.CRITICAL_RANDOM if critical else AdaptiveTimeManager.RANDOM
        while (player := to_play(state)) != TERMINAL and depth > 0:
            if player == CHANCE:
                apply(state, sample_chance(state, rng))
                continue
            choose = random_action if uniform(rng) < share else playout_action
            apply(state, choose(state, actions, rng))
            depth -= 1
        return float(outcome(state, team)) if player == TERMINAL else self.evaluate_state(state, team)


class Evaluators:
    """The three evaluators, and how their caches were used.

    Parameters
    ----------
    actions, cards, states
        How many values of each kind are kept.
    """

    def __init__(self, actions: int = ACTION_ITEMS, cards: int = STATE_ITEMS, states: int = STATE_ITEMS) -> None:
        self.actions, self.cards, self.states = ActionEvaluator(actions), CardEvaluator(cards), StateEvaluator(states)
        self.action = self.actions.evaluate_action_quality
        self.card = self.cards.evaluate_card
        self.state = self.states.evaluate_state

    def statistics(self) -> dict[str, dict[str, Any]]:
        """Return size, items and hit rate of each cache."""
        caches: dict[str, LRUCache[Any]] = {
            "actions": self.actions.cache,
            "cards": self.cards.cache,
            "states": self.states.cache,
        }
        return {
            name: {"room": cache.max_items, "items": used.items, "hits": used.hits, "hit_rate": round(used.hit_rate, 4)}
            for name, cache in caches.items()
            for used in (cache.statistics(),)
        }


def _board(state: SequenceState) -> bytes:
    """Return what values of moves and cards depend on: the rules, finished sequences, chips and weights."""
    return _digest(state.data[:MOVER], state.data[SEQUENCES : LOCKED + 2 * MOST_TEAMS], state.data[WEIGHTS:])


def _everything(state: SequenceState) -> bytes:
    """Return what the value of a position depends on: hands and whose turn it is, too."""
    return _digest(state.data[:WINDOWS], state.data[WEIGHTS:])


def _digest(*parts: NDArray[np.int64]) -> bytes:
    return blake2b(b"".join(part.tobytes() for part in parts), digest_size=16).digest()
