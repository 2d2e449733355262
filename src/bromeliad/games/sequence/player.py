"""The agent: determinized tree search with the founding document's parameters, and what measurement made of them."""

import time
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from bromeliad.core.budget import Budget, Cancel, OnProgress
from bromeliad.core.rng import new_rng
from bromeliad.errors import InputError, PositionError
from bromeliad.games.sequence.adapt import carelessness
from bromeliad.games.sequence.evaluate import score_action
from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.moves import MOST_ACTIONS, draw_action
from bromeliad.games.sequence.state import EYES, MOVER, PICK, STEP, WEIGHT_WORDS, WEIGHTS, SequenceState
from bromeliad.games.sequence.weights import Weight, Weights, document_weights
from bromeliad.search import Searcher, SearchParams, SearchResult
from bromeliad.search.clock import TimeManager

__all__ = [
    "DOCUMENT_C",
    "STRATEGIES",
    "AgentParams",
    "Answer",
    "Candidate",
    "Player",
    "document_params",
    "strategy_named",
]

UcbForm = Literal["plain", "doubled"]
STRATEGIES = ("random", "greedy", "mcts")
DOCUMENT_C = 1.2
"""How much the founding document's selection explores."""
_SQRT2 = 2.0**0.5
_PLAY_SHARE = 0.7  # of a turn: the rest is for choosing the card that is taken
_LEAST = 0.001  # seconds of a search: where the time is over already, one that answers at once


@dataclass(frozen=True, kw_only=True)
class AgentParams:
    """How the agent thinks; ``bromeliad bench sequence-ablation`` measures what each parameter is worth.

    All of the founding document's own numbers are :func:`document_params`.
    """

    share: float = TimeManager.MOST  # of the time for a move that is ever used
    manage_time: bool = False  # spend 40, 60, 80 % of it by the phase of the game, 90 % where it is critical
    document_iterations: bool = False  # at most 200 simulations, 400 where it is critical, 50 in a hurry
    early_stop: bool = True  # stop when the best action cannot be overtaken and holds more than:
    dominance: float = 0.7
    ucb_c: float = DOCUMENT_C
    ucb_form: UcbForm = "plain"  # C sqrt(ln N / n), or C sqrt(2 ln N / n)
    priors: bool = False  # scores of actions steer selection (PUCT), not only which actions are tried
    temperature: float = 200.0  # points of score that make a prior e times smaller
    candidates: int | None = TimeManager.CANDIDATES  # actions of a decision that are tried; None: all
    critical_candidates: int | None = TimeManager.CRITICAL_CANDIDATES
    playout_random: float = TimeManager.RANDOM  # of playout moves
    critical_random: float = TimeManager.CRITICAL_RANDOM
    playout_depth: int | None = TimeManager.DEPTH  # turns before a position is valued; None: to the end
    critical_depth: int | None = TimeManager.CRITICAL_DEPTH
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

    def search(self, critical: bool, budget: "Budget", seed: int = 1, decisions: int = 1) -> SearchParams:
        """Return the parameters of a search; a turn has so many decisions."""
        depth = self.critical_depth if critical else self.playout_depth
        if self.document_iterations and _is_tight(budget):
            depth = TimeManager.TIGHT_DEPTH
        seconds = None if budget.seconds is None else max(self.share * budget.seconds, _LEAST)
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
            playout_random=self.critical_random if critical else self.playout_random,
            playout_depth=None if depth is None else decisions * depth,
            widening_k=self.widening,
            root_policy="halving" if self.halving else "tree",
            shrinkage=0.0,  # the game's estimates of actions would know the hidden cards
            memory_mb=self.memory_mb,
            seed=seed,
        )

    def _simulations(self, critical: bool, budget: "Budget") -> int | None:
        if not self.document_iterations:
            return budget.simulations
        most = TimeManager.CRITICAL_SIMULATIONS if critical else TimeManager.SIMULATIONS
        most = TimeManager.TIGHT_SIMULATIONS if _is_tight(budget) else most
        return most if budget.simulations is None else min(most, budget.simulations)


def document_params() -> AgentParams:
    """Return the founding document's agent: its time, iterations, depths and selection."""
    return AgentParams(
        manage_time=True,
        document_iterations=True,
        early_stop=True,
        dominance=0.7,
        ucb_c=DOCUMENT_C,
        ucb_form="doubled",
        priors=False,
        candidates=TimeManager.CANDIDATES,
        critical_candidates=TimeManager.CRITICAL_CANDIDATES,
        playout_random=TimeManager.RANDOM,
        critical_random=TimeManager.CRITICAL_RANDOM,
        playout_depth=TimeManager.DEPTH,
        critical_depth=TimeManager.CRITICAL_DEPTH,
    )


def _is_tight(budget: Budget) -> bool:
    """Say whether so little time is left that only a hasty look is possible."""
    return budget.seconds is not None and budget.seconds < TimeManager.TIGHT


class Candidate(NamedTuple):
    """An action that was looked at."""

    action: int
    visits: int
    value: float  # from -1 (lost) to 1 (won)
    error: float
    points: int  # how good it looks by itself


@dataclass(frozen=True)
class Answer:
    """What to play, and why."""

    actions: tuple[int, ...]  # the whole turn as far as it is decided: a play, and the face-up card taken after it
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
        How to search.
    seed
        Of all randomness: with a budget of simulations the same seed gives the same answers.
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
        """Return what the mover should do; only what he knows is looked at.

        Raises
        ------
        PositionError
            If nobody is to move.
        """
        began = time.perf_counter()
        legal = self.game.legal(state)
        if not legal:
            raise PositionError("nobody is to move in this position: the game is over, or cards are to be dealt first")
        stage, critical = self.game.situation(state)
        if len(legal) == 1:
            return Answer((legal[0],), 0.0, (), 0, time.perf_counter() - began, critical, stage, "forced")
        whole = self._share(budget, critical, stage)
        two = bool(self.game.rules.draft) and state.data[STEP] != PICK  # the play, and then the card taken
        result = self._look(state, critical, whole.part(_PLAY_SHARE) if two else whole, on_progress, cancel)
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

    def _look(
        self,
        state: SequenceState,
        critical: bool,
        budget: Budget,
        on_progress: OnProgress | None,
        cancel: Cancel | None,
    ) -> SearchResult:
        """Search one decision."""
        params = self.params.search(critical, budget, self.seed, 2 if self.game.rules.draft else 1)
        return self._search(self._root(state), params, on_progress, cancel)

    def _take(
        self, state: SequenceState, action: int, critical: bool, budget: Budget, cancel: Cancel | None
    ) -> tuple[tuple[int, ...], int]:
        """Return the face-up card to take after a play, if there is one to take, and the simulations that it took."""
        after = SequenceState(state.data.copy())
        self.game.advance(after, action)
        if after.data[STEP] != PICK:
            return (), 0
        cards = self.game.legal(after)
        if len(cards) == 1:
            return (cards[0],), 0
        result = self._look(after, critical, budget, None, cancel)
        return (result.best,), result.simulations

    def _root(self, state: SequenceState) -> SequenceState:
        """Return the position to search, with what this player believes of the others."""
        root = SequenceState(state.data.copy())
        root.data[WEIGHTS : WEIGHTS + WEIGHT_WORDS] = self._weights
        if self.params.adapt:
            root.data[EYES] = root.data[MOVER]
            root.data[int(Weight.OPPONENT_RANDOM)] = round(1000 * carelessness(state))
        return root

    def _share(self, budget: Budget, critical: bool, stage: int) -> Budget:
        """Return the part of the time that the phase of the game deserves."""
        if not self.params.manage_time or budget.seconds is None:
            return budget
        share = TimeManager.CRITICAL_SHARE if critical else TimeManager.PHASE_SHARES[stage]
        return budget._replace(seconds=budget.seconds * min(1.0, share / self.params.share))

    def _search(
        self, root: SequenceState, params: SearchParams, on_progress: OnProgress | None, cancel: Cancel | None
    ) -> SearchResult:
        info = self.game.info
        if not self.params.deepening:
            return self._searcher.search(info, root, params, on_progress=on_progress, cancel=cancel)
        fifth = None if params.seconds is None else max(0.2 * params.seconds, _LEAST)
        few = None if params.simulations is None else max(params.simulations // 5, 1)
        shallow = self._searcher.search(info, root, params.but(seconds=fifth, simulations=few, tree_depth=1))
        rest = params.but(
            seconds=None if params.seconds is None else max(params.seconds - shallow.seconds, _LEAST),
            simulations=None if params.simulations is None else max(params.simulations - shallow.simulations, 1),
            candidates=max(len(shallow.actions) // 2, 2),
        )
        return self._searcher.search(info, root, rest, on_progress=on_progress, cancel=cancel)


class _Plain:
    """A strategy that needs no search: a random action, or the one that looks best."""

    def __init__(self, name: str, game: Sequence, seed: int) -> None:
        self.name = name
        self._game = game
        self._scratch = np.zeros(MOST_ACTIONS, np.int64)
        self._rng = new_rng(seed)

    def choose(self, state: SequenceState) -> int:
        """Return an action of the mover."""
        if self.name == "random":
            return int(draw_action(state.data, self._scratch, self._rng))
        return max(self._game.legal(state), key=lambda action: int(score_action(state.data, action)))


class _Searching:
    """The agent as a strategy: it searches once a turn."""

    def __init__(self, player: Player, budget: Budget, name: str) -> None:
        self.name = name
        self._player, self._budget = player, budget
        self._planned: tuple[int, ...] = ()

    def choose(self, state: SequenceState) -> int:
        """Return an action of the mover: the rest of the turn that was thought out, or a new thought."""
        if state.data[STEP] == PICK and self._planned and self._planned[0] in self._player.game.legal(state):
            planned, self._planned = self._planned[0], self._planned[1:]
            return planned
        answer = self._player.think(state, self._budget)
        self._planned = answer.actions[1:]
        return answer.best


_AGENTS = {"": (AgentParams, Weights), "document": (document_params, document_weights)}


def strategy_named(
    name: str, game: Sequence, budget: Budget, *, seed: int = 1, params: AgentParams | None = None
) -> _Plain | _Searching:
    """Return a strategy by its name: ``random``, ``greedy``, ``mcts`` or ``mcts:document``."""
    kind, _, agent = name.partition(":")
    if kind not in STRATEGIES or agent not in _AGENTS or (agent and kind != "mcts"):
        names = ", ".join((*STRATEGIES, "mcts:document"))
        raise InputError("there is no Sequence strategy {name}; strategies: {names}", name=name, names=names)
    if kind != "mcts":
        return _Plain(name, game, seed)
    make_params, make_weights = _AGENTS[agent]
    seen = Sequence(game.rules, make_weights()) if agent else game
    return _Searching(Player(seen, params or make_params(), seed), budget, name)
