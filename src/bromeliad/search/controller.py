"""The controller: answers positions with searches, and keeps memory, threads and answers from one to the next."""

import time

from bromeliad.core import game
from bromeliad.core.game import GameInfo, State
from bromeliad.errors import PositionError
from bromeliad.search.cache import MAX_BYTES, LruCache, TtlCache
from bromeliad.search.clock import Cancel, TimeManager, TimePlan, alarm
from bromeliad.search.parallel import Engine
from bromeliad.search.params import SearchParams
from bromeliad.search.result import SearchResult
from bromeliad.search.run import OnProgress, Run

__all__ = ["Searcher", "new_answers", "warm"]

_ENGINES = 4  # kept at once
_ANSWER_BYTES = 4096  # roughly, of one answer with its actions


class Searcher:
    """Searches positions of any game.

    Parameters
    ----------
    params
        How to search, unless a search is told otherwise.
    answers
        Where answers of reproducible searches are kept until they expire, so that the same question costs nothing;
        None to keep none.
    """

    def __init__(self, params: SearchParams | None = None, answers: TtlCache[SearchResult] | None = None) -> None:
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
        question = (type(state), state[0].tobytes(), params) if _is_reproducible(params) else None
        known = self.answers.get(question) if self.answers is not None and question is not None else None
        if known is not None:
            return known
        answer = self._search(info, state, params, on_progress, cancel or Cancel())
        if self.answers is not None and question is not None and answer.stop_reason != "cancelled":
            self.answers.put(question, answer)
        return answer

    def _search(
        self, info: GameInfo, state: State, params: SearchParams, on_progress: OnProgress | None, cancel: Cancel
    ) -> SearchResult:
        plan = _plan(state, params)
        planned = params if plan is None else _with_plan(state, params, plan)
        engine = self._engine(info, state, planned)
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
        return SearchResult(
            actions=actions,
            variation=engine.variation(actions[0].action),
            simulations=run.simulations,
            seconds=seconds,
            cpu_seconds=cpu_seconds,
            stop_reason=reason,
            tree=engine.tree_statistics(run.simulations),
            params=planned,
        )

    def _engine(self, info: GameInfo, state: State, params: SearchParams) -> Engine:
        """Return an engine of the right shape, one that served before if there is one."""
        shape = (params.threads, params.parallel, params.leaf_batch, params.memory_mb, params.table_mb)
        key = (type(state), tuple(array.shape for array in state), info, params.root_policy, shape)
        engine = self._engines.get(key)
        if engine is None:
            engine = Engine(info, state, params)
            self._engines.put(key, engine)
        return engine


def new_answers() -> TtlCache[SearchResult]:
    """Return a cache for answers: ten thousand of them, each for five minutes."""
    return TtlCache(size_of=lambda answer: _ANSWER_BYTES + 64 * len(answer.actions))


def _is_reproducible(params: SearchParams) -> bool:
    return params.seconds is None and params.threads == 1


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


def warm(info: GameInfo, state: State) -> None:
    """Compile the search for the class of ``state``: to be called by the warm-up of each game."""
    policy = "halving" if game.estimate.provided_by(type(state)) else "tree"
    params = SearchParams(simulations=2 * info.max_actions, root_policy=policy, memory_mb=16)  # type: ignore[arg-type]
    Searcher(params).search(info, state)
