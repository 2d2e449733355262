"""The agent's parameters, and cached evaluators for the interfaces.

The search does not use the caches: its kernels value a move faster than a cache look-up.
"""

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

import bromeliad.games.sequence.state as at
from bromeliad.core.budget import Budget
from bromeliad.core.game import CHANCE, TERMINAL, apply, outcome, playout_action, random_action, sample_chance, to_play
from bromeliad.core.rng import new_rng, uniform
from bromeliad.errors import InputError
from bromeliad.games.sequence.board import CARD_OF, CELLS
from bromeliad.games.sequence.evaluate import card_worth, lines_at, score_action
from bromeliad.games.sequence.moves import MOST_ACTIONS, team_of
from bromeliad.games.sequence.rules import MOST_TEAMS
from bromeliad.games.sequence.state import SequenceState, is_chip
from bromeliad.games.sequence.team_value import position_value
from bromeliad.games.sequence.weights import Weights
from bromeliad.search import SearchParams
from bromeliad.search.cache import ACTION_ITEMS, STATE_ITEMS
from bromeliad.search.cache import LruCache as LRUCache
from bromeliad.search.clock import TimeManager as AdaptiveTimeManager

MAX_THINK_TIME = AdaptiveTimeManager.MOST
"""The maximum share of a move's time that is used."""
EXPLORATION_WEIGHT = 1.2
DOMINANT_THRESHOLD = 0.7
"""An action with more than this share of the visits ends the search, if it cannot be overtaken."""
DOCUMENT_POTENTIAL = (10, 100, 1000, 10_000)
"""Values of lines of one to four chips in ``mcts:document``."""

LEAST_SECONDS = 0.001
"""Time of a search when no time is left: it answers at once."""
_LEAST_CHIPS = 6  # minimum number of chips for an estimate
_CAREFUL, _CARELESS = 1.2, 0.35  # lines with two or more chips, per chip: guesses for greedy and random play
_ITEM = 256  # bytes per value in a cache

V = TypeVar("V", int, float)


@dataclass(frozen=True, kw_only=True)
class AgentParams:
    """The parameters of the agent; ``bromeliad bench sequence-ablation`` measures the effect of each.

    :func:`document_params` has the numbers of ``mcts:document``.
    """

    share: float = MAX_THINK_TIME  # maximum share of a move's time
    manage_time: bool = False  # use 40, 60 or 80 % of it by the phase of the game, 90 % in critical positions
    document_iterations: bool = False  # at most 200 simulations, 400 in critical positions, 50 with little time
    early_stop: bool = True  # stop when an action has more than `dominance` of the visits and cannot be overtaken
    dominance: float = DOMINANT_THRESHOLD  # share of visits
    ucb_c: float = EXPLORATION_WEIGHT
    ucb_form: Literal["plain", "doubled"] = "plain"  # C sqrt(ln N / n), or C sqrt(2 ln N / n)
    priors: bool = False  # scores of actions guide selection (PUCT), not only the choice of candidates
    temperature: float = 200.0  # difference in score that makes a prior e times smaller
    candidates: int | None = AdaptiveTimeManager.CANDIDATES  # actions tried per decision; None: all
    critical_candidates: int | None = AdaptiveTimeManager.CRITICAL_CANDIDATES
    fixed_candidates: bool = False  # keep the first candidates; otherwise each simulation breaks ties anew
    playout_random: float = AdaptiveTimeManager.RANDOM  # share of random playout moves
    critical_random: float = AdaptiveTimeManager.CRITICAL_RANDOM
    playout_depth: int | None = AdaptiveTimeManager.DEPTH  # turns before a position is valued; None: to the end
    critical_depth: int | None = AdaptiveTimeManager.CRITICAL_DEPTH
    widening: float | None = None  # actions opened: this times the square root of the visits; None: all at once
    halving: bool = False  # sequential halving: candidates play sweeps with the same cards
    deepening: bool = False  # search one decision deep for a fifth of the time, then with half the candidates
    adapt: bool = False  # opponents' playout moves are as random as their past moves
    memory_mb: float = 64.0

    def __post_init__(self) -> None:
        if self.ucb_form not in ("plain", "doubled"):
            raise InputError("ucb_form is plain or doubled, not {value!r}", value=self.ucb_form)
        self.search(False, Budget(seconds=1.0))

    def but(self, **changes: Any) -> "AgentParams":
        """Return a copy with some parameters changed."""
        return replace(self, **changes)

    def search(self, critical: bool, budget: Budget, seed: int = 1, decisions: int = 1) -> SearchParams:
        """Return the parameters of a search; ``decisions`` is the number of decisions per turn."""
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
            uct_c=self.ucb_c * (math.sqrt(2.0) if self.ucb_form == "doubled" else 1.0),
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
    return AgentParams(manage_time=True, document_iterations=True, ucb_form="doubled", fixed_candidates=True)


def document_weights() -> Weights:
    """Return the weights of ``mcts:document``: powers of ten for lines, nothing for hands and turns."""
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
    """Return whether there is only time for a very short search."""
    return budget.seconds is not None and budget.seconds < AdaptiveTimeManager.TIGHT


def custom_shallow_copy(state: SequenceState) -> SequenceState:
    """Return a copy of a state, which is one small array."""
    return SequenceState(state.data.copy())


def carelessness(state: SequenceState) -> float:
    """Return how randomly the mover's opponents seem to play, from 0 (like our playouts) to 1.

    Careful players place their chips in lines. The number of lines with two or more chips of a team, per chip, is
    compared with the numbers of random and careful players.
    """
    data = state.data
    own = team_of(data, data[at.MOVER])
    made = chips = 0
    for team in range(int(data[at.TEAMS])):
        if team != own:
            chips += sum(CARD_OF[cell] >= 0 and bool(is_chip(data, at.CHIPS, team, cell)) for cell in range(CELLS))
            made += sum(int(lines_at(data, team, level)) for level in range(2, 5)) + 10 * int(data[at.SEQUENCES + team])
    if chips < _LEAST_CHIPS:
        return 0.0
    return float(np.clip((_CAREFUL - made / chips) / (_CAREFUL - _CARELESS), 0.0, 1.0))


class _Evaluator(Generic[V]):
    """Values of one kind, with a cache for ``items`` of them."""

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
        """Return the score of an action of the mover, in points."""
        key = (_board(state), int(state.data[at.MOVER]), action)
        return self._known(key, lambda: int(score_action(state.data, action)))

    def _heuristic_filter(self, state: SequenceState, actions: Iterable[int], critical: bool = False) -> list[int]:
        """Return the best of the mover's actions, best first: twelve, or twenty in a critical position."""
        most = AdaptiveTimeManager.CRITICAL_CANDIDATES if critical else AdaptiveTimeManager.CANDIDATES
        return sorted(actions, key=lambda action: -self.evaluate_action_quality(state, action))[:most]


class CardEvaluator(_Evaluator[int]):
    """Values of cards."""

    def evaluate_card(self, state: SequenceState, card: int, team: int) -> int:
        """Return the value of a card to a team, in points."""
        return self._known((_board(state), card, team), lambda: int(card_worth(state.data, card, team)))


class StateEvaluator(_Evaluator[float]):
    """Values of positions."""

    def evaluate_state(self, state: SequenceState, team: int) -> float:
        """Return the value of a position to a team, from -1 to 1."""
        return self._known((_everything(state), team), lambda: float(position_value(state.data, team)))

    def _heuristic_guided_simulate(
        self, state: SequenceState, team: int, critical: bool = False, seed: int = 1
    ) -> float:
        """Play a few moves, most of them the best-scored ones; return the value of the final position to a team."""
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
    """The three evaluators; the arguments are the numbers of values that each one caches."""

    def __init__(self, actions: int = ACTION_ITEMS, cards: int = STATE_ITEMS, states: int = STATE_ITEMS) -> None:
        self.actions, self.cards, self.states = ActionEvaluator(actions), CardEvaluator(cards), StateEvaluator(states)
        self.action = self.actions.evaluate_action_quality
        self.card = self.cards.evaluate_card
        self.state = self.states.evaluate_state

    def statistics(self) -> dict[str, dict[str, Any]]:
        """Return the capacity, items, hits and hit rate of each cache."""
        found = {}
        for name in ("actions", "cards", "states"):
            cache = getattr(self, name).cache
            used = cache.statistics()
            hit_rate = round(used.hit_rate, 4)
            found[name] = {"room": cache.max_items, "items": used.items, "hits": used.hits, "hit_rate": hit_rate}
        return found


def _board(state: SequenceState) -> bytes:
    """Return a key of everything on which the values of moves and cards depend: rules, sequences, chips and weights."""
    return _digest(
        state.data[: at.MOVER], state.data[at.SEQUENCES : at.LOCKED + 2 * MOST_TEAMS], state.data[at.WEIGHTS :]
    )


def _everything(state: SequenceState) -> bytes:
    """Return a key of everything on which the value of a position depends, including hands and turn."""
    return _digest(state.data[: at.WINDOWS], state.data[at.WEIGHTS :])


def _digest(*parts: NDArray[np.int64]) -> bytes:
    return blake2b(b"".join(part.tobytes() for part in parts), digest_size=16).digest()
