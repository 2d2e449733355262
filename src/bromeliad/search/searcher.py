"""The controller: answers positions with searches, and keeps memory, threads and answers from one to the next."""

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

__all__ = ["Searcher", "new_answers", "warm"]

_ENGINES = 4  # kept at once
_ANSWER_BYTES = 4096  # roughly, of one answer with its actions


Answers = TtlCache[tuple[State, SearchResult]]
"""Answers with the states they belong to: a state's tables must live as long as what is known by their identity."""


class Searcher:
    """Searches positions of any game. Threads may share it: each search takes an engine and gives it back.

    Parameters
    ----------
    params
        How to search, unless a search is told otherwise.
    answers
        Where answers of reproducible searches are kept until they expire, so that the same question costs nothing;
        None to keep none.
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
            The game's numbers, and the position: somebody must be to move there.
        on_progress
            Called from this thread between slices.
        cancel
            A handle by which another thread can end the search; it serves one search at a time.

        Raises
        ------
        PositionError
            If the game is over or waits for a chance event.
        """
        if game.to_play(state) < 0:
            raise PositionError("nobody is to move in this position: the game is over, or cards are to be dealt first")
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
        run = Run(
            engine,
            state,
            planned,
            least=plan.simulations if plan is not None else 0,
            cancel=cancel,
            on_progress=on_progress,
        )
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
    """Return what an engine must agree in to serve a search."""
    memory = (params.memory_mb, params.table_mb, params.leaf_batch)
    return type(state), info, params.root_policy, params.threads, params.parallel, memory


def new_answers() -> Answers:
    """Return a cache for answers: ten thousand of them, each for five minutes."""
    return TtlCache(size_of=lambda entry: _ANSWER_BYTES + 128 * len(entry[1].actions))


def _content(state: State) -> tuple[object, ...]:
    """Return what tells states of a class apart: what they hold, and which tables they share."""
    own = (isinstance(part, np.ndarray) and part.flags.writeable for part in state)
    return tuple(part.tobytes() if is_own else id(part) for part, is_own in zip(state, own, strict=True))


def _plan(state: State, params: SearchParams) -> TimePlan | None:
    """Return what the time manager gives to this move, None if it is not asked."""
    if not params.manage_time or params.seconds is None:
        return None
    return TimeManager(params.seconds).plan(int(game.phase(state)), bool(game.is_critical(state)))


def _with_plan(state: State, params: SearchParams, plan: TimePlan) -> SearchParams:
    """Return the parameters with the plan's numbers, as far as the game can use them and nobody set others."""
    cls = type(state)
    estimates, scores = game.estimate.provided_by(cls), game.score_actions.provided_by(cls)
    return params.but(
        seconds=plan.seconds,
        playout_random=plan.playout_random,
        playout_depth=plan.playout_depth if params.playout_depth is None and estimates else params.playout_depth,
        candidates=plan.candidates if params.candidates is None and scores else params.candidates,
    )


def warm(info: GameInfo, state: State, policies: Sequence[str] = ("uct", "puct")) -> None:
    """Compile the search for the class of ``state`` and some policies: called by the warm-up of each game."""
    root: RootPolicy = "halving" if game.estimate.provided_by(type(state)) else "tree"
    for policy in policies:
        params = SearchParams(simulations=2 * info.max_actions, policy=policy, root_policy=root, memory_mb=16)
        Searcher(params).search(info, state)
