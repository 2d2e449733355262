"""The player, which searches with determinization, and strategies by name."""

import time
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from bromeliad.core.budget import Budget, Cancel, OnProgress
from bromeliad.core.game import apply, is_critical, phase
from bromeliad.core.playable import Strategy
from bromeliad.core.rng import new_rng
from bromeliad.errors import InputError, PositionError
from bromeliad.games.sequence.agent import (
    LEAST_SECONDS,
    AgentParams,
    carelessness,
    custom_shallow_copy,
    document_params,
    document_weights,
)
from bromeliad.games.sequence.evaluate import score_action
from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.moves import MOST_ACTIONS, draw_action
from bromeliad.games.sequence.state import EYES, MOVER, PICK, STEP, WEIGHT_WORDS, WEIGHTS, SequenceState
from bromeliad.games.sequence.weights import Weight, Weights
from bromeliad.search import Searcher, SearchResult
from bromeliad.search.clock import TimeManager

STRATEGIES = ("random", "greedy", "mcts")
_PLAY_SHARE = 0.7  # of a turn's budget: the rest is for choosing the face-up card


class Candidate(NamedTuple):
    """An action that was considered."""

    action: int
    visits: int
    value: float  # from -1 (lost) to 1 (won)
    error: float
    points: int  # its score without search


@dataclass(frozen=True)
class Answer:
    """The action to play, and why."""

    actions: tuple[int, ...]  # the turn as far as it is decided: a play, and the face-up card to take after it
    value: float
    candidates: tuple[Candidate, ...]
    simulations: int
    seconds: float
    critical: bool
    phase: int
    stop_reason: str
    line: tuple[int, ...] = ()
    search: SearchResult | None = field(default=None, repr=False)

    @property
    def best(self) -> int:
        """The action to play."""
        return self.actions[0]


class Player:
    """Answers positions of one rule set.

    Parameters
    ----------
    game
        Rules and weights.
    params
        Parameters of the agent.
    seed
        Seed of all randomness: with a budget of simulations, the same seed gives the same answers.
    """

    def __init__(self, game: Sequence, params: AgentParams | None = None, seed: int = 1) -> None:
        self.game = game
        self.params = params or AgentParams()
        self.seed = seed
        self._weights = game.weights.to_array()
        self._searcher = Searcher()

    def think(
        self,
        state: SequenceState,
        budget: Budget,
        *,
        on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
    ) -> Answer:
        """Return the mover's best actions, using only the mover's knowledge.

        Raises
        ------
        PositionError
            If there is no mover.
        """
        began = time.perf_counter()
        legal = self.game.legal(state)
        if not legal:
            raise PositionError("there is no player to move: the game is over, or chance decides first")
        stage, critical = int(phase(state)), bool(is_critical(state))
        if len(legal) == 1:
            return Answer((legal[0],), 0.0, (), 0, time.perf_counter() - began, critical, stage, "forced")
        whole = self._share(budget, critical, stage)
        two = bool(self.game.rules.draft) and state.data[STEP] != PICK  # the play, and then the card to take
        result = self._search(state, critical, whole.part(_PLAY_SHARE) if two else whole, on_progress, cancel)
        rest = whole.part(1.0 - _PLAY_SHARE).within(whole, time.perf_counter() - began)
        taken, more = self._take(state, result.best, critical, rest, cancel) if two else ((), 0)
        return Answer(
            actions=(result.best, *taken),
            value=result.value,
            candidates=tuple(
                Candidate(item.action, item.visits, item.mean, item.error, int(score_action(state.data, item.action)))
                for item in result.actions
            ),
            simulations=result.simulations + more,
            seconds=time.perf_counter() - began,
            critical=critical,
            phase=stage,
            stop_reason=result.stop_reason,
            line=result.variation,
            search=result,
        )

    def _take(
        self, state: SequenceState, action: int, critical: bool, budget: Budget, cancel: Cancel | None
    ) -> tuple[tuple[int, ...], int]:
        """Return the face-up card to take after a play, if any, and the number of simulations spent."""
        after = custom_shallow_copy(state)
        apply(after, action)
        if after.data[STEP] != PICK:
            return (), 0
        cards = self.game.legal(after)
        if len(cards) == 1:
            return (cards[0],), 0
        result = self._search(after, critical, budget, None, cancel)
        return (result.best,), result.simulations

    def _root(self, state: SequenceState) -> SequenceState:
        """Return the position to search, with this player's weights and model of the opponents."""
        root = custom_shallow_copy(state)
        root.data[WEIGHTS : WEIGHTS + WEIGHT_WORDS] = self._weights
        if self.params.adapt:
            root.data[EYES] = root.data[MOVER]
            root.data[int(Weight.OPPONENT_RANDOM)] = round(1000 * carelessness(state))
        return root

    def _share(self, budget: Budget, critical: bool, stage: int) -> Budget:
        """Return the budget; with ``manage_time`` only a part of it, by the phase of the game and the position."""
        if not self.params.manage_time or budget.seconds is None:
            return budget
        share = TimeManager.CRITICAL_SHARE if critical else TimeManager.PHASE_SHARES[stage]
        return budget._replace(seconds=budget.seconds * min(1.0, share / self.params.share))

    def _search(
        self,
        state: SequenceState,
        critical: bool,
        budget: Budget,
        on_progress: OnProgress | None,
        cancel: Cancel | None,
    ) -> SearchResult:
        """Search one decision."""
        info, root = self.game.info, self._root(state)
        params = self.params.search(critical, budget, self.seed, 2 if self.game.rules.draft else 1)
        if not self.params.deepening:
            return self._searcher.search(info, root, params, on_progress=on_progress, cancel=cancel)
        fifth = None if params.seconds is None else max(0.2 * params.seconds, LEAST_SECONDS)
        few = None if params.simulations is None else max(params.simulations // 5, 1)
        shallow = self._searcher.search(info, root, params.but(seconds=fifth, simulations=few, tree_depth=1))
        rest = params.but(
            seconds=None if params.seconds is None else max(params.seconds - shallow.seconds, LEAST_SECONDS),
            simulations=None if params.simulations is None else max(params.simulations - shallow.simulations, 1),
            candidates=max(len(shallow.actions) // 2, 2),
        )
        return self._searcher.search(info, root, rest, on_progress=on_progress, cancel=cancel)


class _Agent:
    """The agent as a strategy, which searches once per turn."""

    def __init__(self, player: Player, budget: Budget) -> None:
        self._player, self._budget = player, budget
        self._planned: tuple[int, ...] = ()

    def choose(self, state: SequenceState) -> int:
        """Return an action of the mover: the rest of the planned turn, or the result of a new search."""
        if state.data[STEP] == PICK and self._planned and self._planned[0] in self._player.game.legal(state):
            planned, self._planned = self._planned[0], self._planned[1:]
            return planned
        answer = self._player.think(state, self._budget)
        self._planned = answer.actions[1:]
        return answer.best


_AGENTS = {"": (AgentParams, Weights), "document": (document_params, document_weights)}


def strategy_named(
    name: str, game: Sequence, budget: Budget, *, seed: int = 1, params: AgentParams | None = None
) -> Strategy:
    """Return a strategy by its name: ``random``, ``greedy``, ``mcts`` or ``mcts:document``."""
    kind, _, agent = name.partition(":")
    if kind not in STRATEGIES or agent not in _AGENTS or (agent and kind != "mcts"):
        names = ", ".join((*STRATEGIES, "mcts:document"))
        raise InputError("there is no Sequence strategy {name}; strategies: {names}", name=name, names=names)
    if kind == "random":
        scratch, rng = np.zeros(MOST_ACTIONS, np.int64), new_rng(seed)
        return Strategy(name, lambda state: int(draw_action(state.data, scratch, rng)))
    if kind == "greedy":
        return Strategy(name, lambda state: max(game.legal(state), key=lambda action: score_action(state.data, action)))
    make_params, make_weights = _AGENTS[agent]
    seen = Sequence(game.rules, make_weights()) if agent else game
    return Strategy(name, _Agent(Player(seen, params or make_params(), seed), budget).choose)
