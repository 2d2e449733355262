"""The searcher: searches positions of any game, and reuses memory, threads and answers."""

import time
from collections.abc import Sequence

import numpy as np

from bromeliad.core import game
from bromeliad.core.budget import Cancel, OnProgress
from bromeliad.core.game import GameInfo, State
from bromeliad.errors import PositionError
from bromeliad.search.cache import MAX_BYTES, LruCache, TtlCache
from bromeliad.search.clock import TimeManager, TimePlan, alarm
from bromeliad.search.engine import Engine
from bromeliad.search.loop import Run
from bromeliad.search.params import RootPolicy, SearchParams
from bromeliad.search.result import SearchResult

_ENGINES = 4  # kept for reuse
_ANSWER_BYTES = 4096  # approximate size of an answer

Answers = TtlCache[tuple[State, SearchResult]]
"""Answers with their states: keys contain the ids of a state's tables, which must therefore stay alive."""


class Searcher:
    """Searches positions of any game. Threads may share it: each search borrows an engine.

    Parameters
    ----------
    params
        Default parameters of a search.
    answers
        Cache for the answers of reproducible searches; None for no cache.
    """

    def __init__(self, params: SearchParams | None = None, answers: Answers | None = None) -> None:
        self.params = params or SearchParams()
        self.answers = answers
        self._engines: LruCache[Engine] = LruCache(_ENGINES, MAX_BYTES * _ENGINES, lambda engine: engine.size)

    def search(
        self,
        info: GameInfo,
        state: State,
        params: SearchParams | None = None,
        *,
        on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
    ) -> SearchResult:
        """Search a position and return the answer.

        Parameters
        ----------
        info, state
            The constants of the game, and a position with a player to move.
        on_progress
            Called from this thread between slices.
        cancel
            A handle with which another thread can end the search; it serves one search at a time.

        Raises
        ------
        PositionError
            If the game is over or waits for a chance event.
        """
        if game.to_play(state) < 0:
            raise PositionError("there is no player to move: the game is over, or chance decides first")
        params = params or self.params
        if self.answers is None or params.seconds is not None or params.threads > 1:
            return self._search(info, state, params, on_progress, cancel or Cancel())
        question = (type(state), _content(state), params)
        known = self.answers.get(question)
        if known is not None:
            return known[1]
        answer = self._search(info, state, params, on_progress, cancel or Cancel())
        if answer.stop_reason != "cancelled":
            self.answers.put(question, (state, answer))
        return answer

    def _search(
        self, info: GameInfo, state: State, params: SearchParams, on_progress: OnProgress | None, cancel: Cancel
    ) -> SearchResult:
        plan = _plan(state, params)
        planned = params if plan is None else _with_plan(state, params, plan)
        shape = _engine_shape(info, state, planned)
        engine = self._engines.take(shape) or Engine(info, state, planned)
        least = plan.simulations if plan is not None else 0
        run = Run(engine, state, planned, least=least, cancel=cancel, on_progress=on_progress)
        began, cpu = time.perf_counter(), time.process_time()
        with alarm(cancel, planned.seconds):
            reason = run.to_the_end()
        seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu
        actions = run.actions()
        result = SearchResult(
            actions=actions,
            confidence=run.confidence(actions),
            variation=engine.variation(actions[0].action),
            simulations=run.simulations,
            seconds=seconds,
            cpu_seconds=cpu_seconds,
            stop_reason=reason,
            tree=engine.tree_statistics(run.simulations),
            params=planned,
        )
        self._engines.put(shape, engine)
        return result


def _engine_shape(info: GameInfo, state: State, params: SearchParams) -> tuple[object, ...]:
    """Return a key of everything in which an engine must fit a search."""
    memory = (params.memory_mb, params.table_mb, params.leaf_batch)
    return type(state), info, params.root_policy, params.threads, params.parallel, memory


def new_answers() -> Answers:
    """Return a cache for ten thousand answers, each valid for five minutes."""
    return TtlCache(size_of=lambda entry: _ANSWER_BYTES + 128 * len(entry[1].actions))


def _content(state: State) -> tuple[object, ...]:
    """Return the identity of a state within its class: its contents, and the ids of shared tables."""
    own = (isinstance(part, np.ndarray) and part.flags.writeable for part in state)
    return tuple(part.tobytes() if is_own else id(part) for part, is_own in zip(state, own, strict=True))


def _plan(state: State, params: SearchParams) -> TimePlan | None:
    """Return the time manager's plan for this move, None if time is not managed."""
    if not params.manage_time or params.seconds is None:
        return None
    return TimeManager(params.seconds).plan(int(game.phase(state)), bool(game.is_critical(state)))


def _with_plan(state: State, params: SearchParams, plan: TimePlan) -> SearchParams:
    """Return the parameters with the plan's numbers.

    Depth and candidates change only if the game can use them and the caller has not set them.
    """
    cls = type(state)
    estimates, scores = game.estimate.provided_by(cls), game.score_actions.provided_by(cls)
    return params.but(
        seconds=plan.seconds,
        playout_random=plan.playout_random,
        playout_depth=plan.playout_depth if params.playout_depth is None and estimates else params.playout_depth,
        candidates=plan.candidates if params.candidates is None and scores else params.candidates,
    )


def warm(info: GameInfo, state: State, policies: Sequence[str] = ("uct", "puct")) -> None:
    """Compile the search for the class of ``state`` and each of ``policies``, for the warm-up of a game."""
    root: RootPolicy = "halving" if game.estimate.provided_by(type(state)) else "tree"
    for policy in policies:
        params = SearchParams(simulations=2 * info.max_actions, policy=policy, root_policy=root, memory_mb=16)
        Searcher(params).search(info, state)
